//===- MovedOps.h - Moving ops with their operands' ops ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_MOVEDOPS_H
#define DISTAFF_LIB_PCF_ORDER_MOVEDOPS_H

#include "distaff/LLVM.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace distaff::pcf {

/// Adds, in order, the ops that compute `value` from values for which `isThere`
/// holds. Returns false if one of them is not pure, or has a region, or is no
/// op but an argument.
bool collectOps(Value value, function_ref<bool(Value)> isThere,
                SetVector<Operation *> &ops);

/// Returns whether two values are one, or computed by equal pure ops.
bool areEqual(Value a, Value b);

/// Erases the ops that compute the values if they have no uses any more.
void eraseIfDead(RewriterBase &rewriter, ArrayRef<Value> values);

/// Simplifies the ops between two ops of a block, of which `after` may be null
/// for its start: erases unused ops, and replaces a value by one of `values`
/// that is computed in the same way.
void simplifyBetween(RewriterBase &rewriter, Operation *after,
                     Operation *before, ValueRange values = {});

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_MOVEDOPS_H
