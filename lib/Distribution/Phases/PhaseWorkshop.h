//===- PhaseWorkshop.h - Distribution of a phase's body ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `match` tests whether a copy of the body can be distributed, and `rewrite`
// uses the result.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEWORKSHOP_H
#define DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEWORKSHOP_H

#include "PhaseLayouts.h"

namespace distaff {

class PhaseWorkshop {
public:
  /// Lays out the values at the boundary of `body`.
  /// \pre  no class is open, and nothing is proposed
  PhaseWorkshop(PhaseBody body, const PhaseMembers &members,
                const PhaseLayouts &layouts,
                vector_ext::VectorLayoutInterface fallback, Attribute scope);

  /// Fails, with the reason, where the body cannot be distributed.
  LogicalResult distribute(std::string &why);

  /// Moves the result into an empty body.
  /// \pre  distribute() has succeeded
  void moveInto(pcf::RunThreadOp newOp, ValueRange ids, RewriterBase &rewriter);

private:
  void renameAtBoundary(const PhaseLayouts &layouts);
  void layOutTheRest();
  void layOutBlocks();
  Value makeBuffer(OpBuilder &builder, Location loc, int64_t bytes);
  void shareBuffer(pcf::RunThreadOp newOp, RewriterBase &rewriter);
  void orderMemory(pcf::RunThreadOp newOp);
  LogicalResult verifyExchanges(std::string &why);

  PhaseBody body;
  const PhaseMembers &members;
  vector_ext::VectorLayoutInterface fallback;
  ScopeSync sync;
  SmallVector<vector_ext::VectorLayoutInterface> inputs; // of the payload
  RegionBoundary boundary;
  Operation *buffer = nullptr;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEWORKSHOP_H
