//===- FastMath.h - Ops with fast-math flags --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_FASTMATH_H
#define DISTAFF_LIB_SIMT_OPS_FASTMATH_H

#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace distaff::simt {

/// Returns the function of an op, with the estimate of the result weakened by
/// its fast-math flags; a null function stays null.
template <typename Function>
Function relaxed(Operation *op, Translator &t, Function function) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  Unary relax = t.domain().relaxed();
  if (!function || !relax || !flags || !flags.getFastMathFlagsAttr() ||
      flags.getFastMathFlagsAttr().getValue() == arith::FastMathFlags::none)
    return function;
  return [=](int64_t n, auto... cells) {
    function(n, cells...);
    void *result = std::get<sizeof...(cells) - 1>(std::tuple(cells...));
    relax(n, result, result);
  };
}

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_FASTMATH_H
