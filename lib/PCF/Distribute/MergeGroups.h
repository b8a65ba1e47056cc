//===- MergeGroups.h - Merging groups with equal splits ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase may take payload of clusters of two nested groups whose bounds are
// the same. Before code is copied for each cluster such groups are merged, so
// that a worker is in one cluster.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_MERGEGROUPS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_MERGEGROUPS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Verifies that groups whose clusters supply payload to one phase are split at
/// the same points.
LogicalResult verifyMergeable(SharedExecutorOp executor);

/// Merges the groups whose clusters supply payload to one phase.
/// \pre verifyMergeable
void mergeGroups(SharedExecutorOp executor, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_MERGEGROUPS_H
