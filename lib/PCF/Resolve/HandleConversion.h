//===- HandleConversion.h - Lowering handles to their payloads --*- C++ -*-===//
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

/// Converts the code of one cluster: its handles become their private payloads,
/// those of its siblings become nothing, and its phases become plain code;
/// those of siblings are erased.
struct HandleConversion {
  HandleConversion(const ClusterFrame &frame, Attribute telescopeTo)
      : frame(frame), telescopeTo(telescopeTo) {}

  const ClusterFrame &frame;
  /// If set, phases become phases of this scope, and payloads are carried by
  /// its handles.
  Attribute telescopeTo;
  /// The clusters that are converted, and the ids of a member, counted from the
  /// cluster's lower bounds; none if the code does not belong to the cluster.
  llvm::SmallDenseMap<NsSymAttr, SmallVector<Value>> clusters;
  /// The payload-free handle of the finer scope.
  Value handle;
  /// If set, threadgroups of this scope are converted too; the code belongs to
  /// all of them.
  Attribute threadgroupScope;
  SmallVector<Value> threadgroupIds;

  /// Converts all ops in a block.
  /// \pre handles are used by phases, groups, barriers, control flow of scf
  ///      and cf, and arith.select alone
  LogicalResult run(Block &block) const;

  /// Returns whether a handle is converted here; `isActive`, whether the code
  /// belongs to its cluster.
  bool isConverted(Type handle) const;
  bool isActive(Type handle) const;

  /// Returns the ids of a member of a group that the code belongs to.
  ArrayRef<Value> idsOf(Type handle) const;
};

/// Verifies that only ops with a known conversion use handles. Groups count as
/// such, since replication converts them; collective phases do with
/// `allowsClusters`.
LogicalResult verifyHandleUsers(Region &region, bool allowsClusters = false);

/// Marks an op legal if the types of its operands, results and block arguments
/// are.
void markLegalByTypes(ConversionTarget &target, const TypeConverter &converter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_RESOLVE_HANDLECONVERSION_H
