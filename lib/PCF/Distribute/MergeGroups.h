//===- MergeGroups.h - Groups that are split alike are one ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase may take payload of clusters of two groups, one inside of the other,
// whose bounds are the same. Before code is copied for each cluster such groups
// become one, so that a worker is in one cluster.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_MERGEGROUPS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_MERGEGROUPS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Verifies that groups whose clusters a phase takes payload of are split
/// alike.
LogicalResult verifyMergeable(SharedExecutorOp executor);

/// Merges the groups whose clusters one phase takes payload of.
/// \pre verifyMergeable
void mergeGroups(SharedExecutorOp executor, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_MERGEGROUPS_H
