//===- DecomposeAggregates.h - Decomposition of softmax ---------*- C++ -*-===//
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

/// Replaces each `linalg.softmax` under `root` by max, exp, sum and division.
/// The division takes over the attributes of the softmax, and with
/// `usesReciprocals` allows products with reciprocals. Fails, with a
/// diagnostic, where a softmax is not of floats.
LogicalResult decomposeAggregates(RewriterBase &rewriter, Operation *root,
                                  bool usesReciprocals);

} // namespace distaff

#endif // DISTAFF_REWRITE_DECOMPOSEAGGREGATES_H
