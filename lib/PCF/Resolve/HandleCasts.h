//===- HandleCasts.h - Casts of handles -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the two steps of cluster resolution every handle that a group defined
// is the result of an `unrealized_conversion_cast`. The handle of the group
// that the code belongs to takes the member's ids in the group, those of other
// clusters take nothing:
//
//   case 0 {
//     %left = builtin.unrealized_conversion_cast %g : index to !left
//     %right = builtin.unrealized_conversion_cast to !right
//     ... all of the region
//
// So each case records its cluster, also when the switch is folded.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_RESOLVE_HANDLECASTS_H
#define DISTAFF_LIB_PCF_RESOLVE_HANDLECASTS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Creates a handle that no group defines; `ids` are the member's, and empty
/// for groups that the code does not belong to.
inline Value makeHandleCast(OpBuilder &builder, Location loc, Type handle,
                            ValueRange ids = {}) {
  return UnrealizedConversionCastOp::create(builder, loc, handle, ids)
      .getResult(0);
}

/// Returns whether an op is such a cast.
inline bool isHandleCast(Operation *op) {
  auto cast = dyn_cast<UnrealizedConversionCastOp>(op);
  return cast && cast->getNumResults() == 1 && isHandle(cast.getType(0)) &&
         llvm::all_of(cast->getOperandTypes(),
                      [](Type type) { return type.isIndex(); });
}

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_RESOLVE_HANDLECASTS_H
