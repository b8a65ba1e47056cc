//===- HandleConversion.h - Handles become their payloads ------*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_PCF_HANDLECONVERSION_H
#define DISTAFF_LIB_TRANSFORMS_PCF_HANDLECONVERSION_H

#include "ClusterFrame.h"
#include "llvm/ADT/DenseSet.h"

namespace distaff::pcf {

/// In the code of one cluster: its handles become their private payloads, those
/// of its siblings nothing, and phases become plain code or go away.
struct HandleConversion {
  const ClusterFrame &frame;
  /// If set, phases become phases of this scope, and payloads are carried by
  /// its handles.
  Attribute telescopeTo;
  /// Clusters of one group, and which of them the code is of.
  llvm::SmallDenseSet<NsSymAttr> symbols;
  NsSymAttr active;
  /// Ids of the active group's members, counted from its lower bounds.
  SmallVector<Value> localIds;
  /// The payload-free handle of the finer scope.
  Value handle;
  /// If set, threadgroups of this scope are converted too.
  Attribute threadgroupScope;

  /// Converts all ops in a block.
  /// \pre handles are used by phases, groups, barriers, control flow of scf and
  ///      cf, and arith.select alone
  LogicalResult run(Block &block) const;

  /// Whether a handle is converted here, and whether it is this code's.
  bool isConverted(Type handle) const;
  bool isActive(Type handle) const;
};

/// Returns a bound of a cluster, or a point of a group, as a value; `ranges`
/// are the values of its `dN`.
Value makeBound(OpBuilder &builder, Location loc, AffineExpr bound,
                const ClusterFrame &frame, ValueRange ranges);

/// Ids of a member, counted from the lower bounds of its cluster; `ranges` are
/// the values of the bounds' `dN`.
SmallVector<Value> makeLocalIds(OpBuilder &builder, Location loc,
                                ClusterType cluster, const ClusterFrame &frame,
                                ValueRange ranges);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_TRANSFORMS_PCF_HANDLECONVERSION_H
