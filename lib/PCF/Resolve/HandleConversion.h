//===- HandleConversion.h - Handles become their payloads -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_RESOLVE_HANDLECONVERSION_H
#define DISTAFF_LIB_PCF_RESOLVE_HANDLECONVERSION_H

#include "ClusterFrame.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff::pcf {

/// In the code of one cluster: its handles become their private payloads, those
/// of its siblings nothing, and phases become plain code or go away.
struct HandleConversion {
  HandleConversion(const ClusterFrame &frame, Attribute telescopeTo)
      : frame(frame), telescopeTo(telescopeTo) {}

  const ClusterFrame &frame;
  /// If set, phases become phases of this scope, and payloads are carried by
  /// its handles.
  Attribute telescopeTo;
  /// Clusters that are converted, and the ids of a member, counted from the
  /// cluster's lower bounds; none if the code is not of the cluster.
  llvm::SmallDenseMap<NsSymAttr, SmallVector<Value>> clusters;
  /// The payload-free handle of the finer scope.
  Value handle;
  /// If set, threadgroups of this scope are converted too; all are the code's.
  Attribute threadgroupScope;
  SmallVector<Value> threadgroupIds;

  /// Converts all ops in a block.
  /// \pre handles are used by phases, groups, barriers, control flow of scf and
  ///      cf, and arith.select alone
  LogicalResult run(Block &block) const;

  /// Whether a handle is converted here, and whether it is this code's.
  bool isConverted(Type handle) const;
  bool isActive(Type handle) const;

  /// The ids of a member of a group that the code is of.
  ArrayRef<Value> idsOf(Type handle) const;
};

/// Verifies that only ops whose conversion is known use handles; groups count
/// as such, for replication converts them, and collective phases if that is
/// said.
LogicalResult verifyHandleUsers(Region &region, bool allowsClusters = false);

/// Has an op be legal by the types of its operands, results and block
/// arguments.
void markLegalByTypes(ConversionTarget &target, const TypeConverter &converter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_RESOLVE_HANDLECONVERSION_H
