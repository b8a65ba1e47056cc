//===- MultiBufferPlan.h - Panels that can be multi-buffered ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel that a loop fills, and reads later in the same iteration, may become
// a ring buffer: the panel that iteration n + d - 1 reads is filled in
// iteration n, in a slot of its own. That is legal if an iteration reads only
// data that it has filled itself, and if the phase that fills the panel needs
// nothing of the d - 1 iterations that it then precedes. All of that is proved
// here, without a change to the IR.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_MULTIBUFFERPLAN_H
#define DISTAFF_LIB_PCF_SCHEDULE_MULTIBUFFERPLAN_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace distaff::pcf {

/// Describes a phase that fills panels, and the ops of the loop's body that it
/// needs besides the induction variable: pure ops, in order.
struct PanelFiller {
  RunClusterOp phase;
  llvm::SetVector<Operation *> needed;
};

/// Plans the multi-buffering of the panels of one loop.
struct RingPlan {
  SharedExecutorOp executor;
  scf::ForOp loop;
  SmallVector<BlockArgument> panels;
  SmallVector<PanelFiller> fillers;
  /// Phases that read panels.
  llvm::SetVector<RunClusterOp> readers;
  /// Barriers that only order a fill before reads of the same iteration.
  llvm::SetVector<BarrierOp> redundant;
  /// True if the first fills must wait for reads of an earlier run of the loop.
  bool waitsBefore = false;
};

/// Plans the ring buffers of every loop of an executor. Errors:
/// `cannot multi-buffer a panel: <why>`, at the obstacle, and
/// `no phase of a loop fills a panel`.
FailureOr<SmallVector<RingPlan>> planRings(SharedExecutorOp executor);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_MULTIBUFFERPLAN_H
