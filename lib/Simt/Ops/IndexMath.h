//===- IndexMath.h - Affine expressions as instructions ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_INDEXMATH_H
#define DISTAFF_LIB_SIMT_OPS_INDEXMATH_H

#include "../Translate/OpRegistry.h"
#include "mlir/IR/AffineExpr.h"

namespace distaff::simt {

/// Emits instructions that compute with index values; each function returns the
/// register of its result. Domains without integer functions fail at `finish`.
class IndexMath {
public:
  IndexMath(Operation *op, Translator &t) : op(op), t(t) {}

  Reg binary(IntegerBinary function, Reg a, Reg b);
  /// Emits the remainder of floored division, in [0, b) for positive b.
  Reg modulo(Reg a, Reg b);
  Reg expression(AffineExpr expression, ArrayRef<Reg> dims,
                 ArrayRef<Reg> symbols);
  /// Emits a copy of a value into `result`.
  void assign(Reg value, Reg result) { t.copy(op, value, result); }
  /// Returns success, or emits a diagnostic if the domain lacks a function.
  LogicalResult finish();

private:
  Operation *op;
  Translator &t;
  bool isModelled = true;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_INDEXMATH_H
