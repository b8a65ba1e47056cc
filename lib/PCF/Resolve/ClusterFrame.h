//===- ClusterFrame.h - Ids and counts in a resolved executor ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_RESOLVE_CLUSTERFRAME_H
#define DISTAFF_LIB_PCF_RESOLVE_CLUSTERFRAME_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/Builders.h"

namespace distaff::pcf {

/// Holds the ids and counts of the workers that run an executor's code, fastest
/// first.
struct ClusterFrame {
  SmallVector<Value> ids, counts;
};

/// Returns a bound of a cluster, or a point of a group, as a value; `ranges`
/// are the values of its `dN`.
Value makeBound(OpBuilder &builder, Location loc, AffineExpr bound,
                const ClusterFrame &frame, ValueRange ranges);

/// Returns the ids of a member, counted from the lower bounds of its cluster;
/// `ranges` are the values of the bounds' `dN`.
SmallVector<Value> makeLocalIds(OpBuilder &builder, Location loc,
                                ClusterType cluster, const ClusterFrame &frame,
                                ValueRange ranges);

/// Returns the number of members of a cluster: the product of its extents.
Value countMembers(OpBuilder &builder, Location loc, ClusterType cluster,
                   const ClusterFrame &frame, ValueRange ranges);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_RESOLVE_CLUSTERFRAME_H
