//===- ReplicateClusters.h - Replicating code for each cluster --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_RESOLVE_REPLICATECLUSTERS_H
#define DISTAFF_LIB_PCF_RESOLVE_REPLICATECLUSTERS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Verifies that everything in an executor is distributed, and assigns ids to
/// the barriers of some clusters.
LogicalResult verifyReplicable(SharedExecutorOp executor);

/// Replaces an executor by code of its workers in which groups are switches
/// with a case per cluster, and handles are results of casts.
/// \pre verifyReplicable
GenericOp replicateClusters(SharedExecutorOp executor, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_RESOLVE_REPLICATECLUSTERS_H
