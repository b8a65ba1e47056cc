//===- MultiBufferPlan.h - Panels that may become rings ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel that a loop fills, and reads later in the same iteration, may become
// a ring: what iteration n + d - 1 is going to read is filled in iteration n,
// in a slot of its own. That is legal if an iteration reads nothing but what it
// has filled itself, and if the phase that fills the panel needs nothing of the
// d - 1 iterations that it then precedes. All of that is proved here, on IR
// that is not touched.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_MULTIBUFFERPLAN_H
#define DISTAFF_LIB_PCF_SCHEDULE_MULTIBUFFERPLAN_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace distaff::pcf {

/// A phase that fills panels, and what of the loop's body it needs besides the
/// induction variable: pure ops, in order.
struct PanelFiller {
  RunClusterOp phase;
  llvm::SetVector<Operation *> needed;
};

/// The panels of one loop.
struct RingPlan {
  SharedExecutorOp executor;
  scf::ForOp loop;
  SmallVector<BlockArgument> panels;
  SmallVector<PanelFiller> fillers;
  /// Phases that read panels.
  llvm::SetVector<RunClusterOp> readers;
  /// Barriers that order nothing but a fill before reads of the same iteration.
  llvm::SetVector<BarrierOp> redundant;
  /// Whether the first fills must wait for reads of an earlier run of the loop.
  bool waitsBefore = false;
};

/// The rings of every loop of an executor. Errors: `cannot multi-buffer a
/// panel: <why>`, at what is in the way, and `no phase of a loop fills a
/// panel`.
FailureOr<SmallVector<RingPlan>> planRings(SharedExecutorOp executor);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_MULTIBUFFERPLAN_H
