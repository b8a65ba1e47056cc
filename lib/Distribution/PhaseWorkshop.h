//===- PhaseWorkshop.h - A phase's body, distributed by itself -*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of the body in a function that belongs to no module, where it is
// distributed: the arguments are what the body captures, the payload and the
// ids. What can be distributed there can be distributed in the phase's place,
// so `match` tries it out, and `rewrite` takes the result:
//
//   func @kernel(%ref: !pcf.sref<64xf32>, %x: vector<2xf32>, %lane: index) {
//     ...
//     pcf.cluster_yield %y : vector<2xf32>
//   }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_PHASEWORKSHOP_H
#define DISTAFF_LIB_DISTRIBUTION_PHASEWORKSHOP_H

#include "PhaseLayouts.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

class PhaseWorkshop {
public:
  /// Copies the body of `op`, and lays out what crosses its boundary.
  /// \pre  layouts.hasOpenClass() is false, and nothing is proposed
  PhaseWorkshop(pcf::RunClusterOp op, const pcf::WorkerGrid &grid,
                const PhaseMembers &members, const PhaseLayouts &layouts,
                vector_ext::VectorLayoutInterface fallback);

  /// Fails, with the reason, where the copy cannot be distributed.
  LogicalResult distribute(std::string &why);

  /// Moves the result into an empty body.
  /// \pre  distribute() has succeeded
  void moveInto(pcf::RunThreadOp newOp, ValueRange ids, RewriterBase &rewriter);

private:
  Region &getRegion() { return function->getRegion(0); }
  Block &getBlock() { return getRegion().front(); }
  void capture(Value value, OpBuilder &builder, IRMapping &mapping);
  void makeIds(const pcf::WorkerGrid &grid, Location loc, OpBuilder &builder);
  void renameAtBoundary(const PhaseLayouts &layouts);
  void layOutTheRest();
  void layOutBlocks();
  Value makeBuffer(OpBuilder &builder, Location loc, int64_t bytes);
  void shareBuffer(pcf::RunThreadOp newOp, RewriterBase &rewriter);
  void orderMemory(pcf::RunThreadOp newOp);
  LogicalResult verifyExchanges(std::string &why);

  const PhaseMembers &members;
  vector_ext::VectorLayoutInterface fallback;
  ScopeSync sync;
  OwningOpRef<Operation *> function;
  SmallVector<Value> captured; // what the first arguments stand for
  SmallVector<Operation *> unknownMemory;
  SmallVector<BlockArgument> payload;
  Value subgroup, lane;
  SmallVector<vector_ext::VectorLayoutInterface> inputs;
  RegionBoundary boundary;
  Operation *buffer = nullptr;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_PHASEWORKSHOP_H
