//===- PhaseBody.h - A phase's body in a function of its own ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase body is a copy of the body in a function that belongs to no module,
// with vectors in the place of its tensors: if the copy can be distributed, so
// can the phase. Arguments are the captured values, the payload, and the ids of
// the grid, from which the members' own are computed:
//
//   func @kernel(%ref: !pcf.sref<64xf32>, %x: vector<64xf32>, %lane: index) {
//     ...
//     pcf.cluster_yield %y : vector<64xf32>
//   }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEBODY_H
#define DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEBODY_H

#include "PhaseMembers.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

class PhaseBody {
public:
  /// Fails, with the reason, where a tensor cannot become a vector.
  static FailureOr<PhaseBody> copy(pcf::RunClusterOp op,
                                   const pcf::WorkerGrid &grid,
                                   const PhaseMembers &members,
                                   std::string &why);

  Region &getRegion() const { return function.get()->getRegion(0); }
  Block &getBlock() const { return getRegion().front(); }
  Operation *getYield() const { return getBlock().getTerminator(); }
  ArrayRef<BlockArgument> getPayload() const { return payload; }

  /// Returns the members' ids as layouts count them; no subgroup id for lanes.
  Value getSubgroup() const { return subgroup; }
  Value getLane() const { return lane; }

  /// Moves the ops into an empty body, and empties this one.
  void moveInto(pcf::RunThreadOp newOp, ValueRange ids, RewriterBase &rewriter);

private:
  void markUnknownMemory(OpBuilder &builder);
  void capture(Value value, OpBuilder &builder, IRMapping &mapping);
  void makeIds(const pcf::WorkerGrid &grid, bool areLanes, Location loc,
               OpBuilder &builder);

  OwningOpRef<Operation *> function;
  SmallVector<Value> captured; // the values of the first arguments
  SmallVector<Operation *> unknownMemory;
  SmallVector<BlockArgument> payload;
  Value subgroup, lane;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEBODY_H
