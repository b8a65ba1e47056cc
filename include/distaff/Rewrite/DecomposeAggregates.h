//===- DecomposeAggregates.h - Ops that are several ops ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_REWRITE_DECOMPOSEAGGREGATES_H
#define DISTAFF_REWRITE_DECOMPOSEAGGREGATES_H

#include "distaff/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Replaces each `linalg.softmax` under `root` by max, exp, sum and division,
/// of which the division takes over the attributes of the softmax, and with
/// `usesReciprocals` allows products with reciprocals. Failure: one is not of
/// floats, and has a diagnostic.
LogicalResult decomposeAggregates(RewriterBase &rewriter, Operation *root,
                                  bool usesReciprocals);

} // namespace distaff

#endif // DISTAFF_REWRITE_DECOMPOSEAGGREGATES_H
