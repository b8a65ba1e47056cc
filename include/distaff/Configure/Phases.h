//===- Phases.h - Instructions and boxes of products in phases --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a program of phases (docs/ParallelControlFlow.md), by a user or by the
// compiler, configure chooses for every product in a phase the instruction and
// the box of the result that each subgroup computes. The choice is the
// product's `lowering_config`.
//
//   %m = linalg.batch_matmul ins(%a, %b : tensor<1x256x32xf16>, ...)
//
// in a phase of eight subgroups of sm_80 gets
//
//   lowering_config = #iree_gpu.lowering_config<{
//     mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>,
//     subgroup = [1, 64, 64, 0]}>
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_PHASES_H
#define DISTAFF_CONFIGURE_PHASES_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

class DecisionLog;

/// Gives a kernel that starts workers itself, and specifies its workgroup size,
/// the target's subgroup size unless it specifies one.
void completeLaunch(func::FuncOp kernel, const Target &machine);

/// Chooses for every product in the phases of `kernel` that are run by
/// subgroups. The entries of a `lowering_config` on it stay, and the rest is
/// chosen to agree; fails where no choice agrees. A product that no instruction
/// computes gets a box alone, and a warning with the reason. Choices are
/// recorded in `log`, if there is one.
LogicalResult configurePhases(func::FuncOp kernel, const Target &machine,
                              DecisionLog *log);

} // namespace distaff

#endif // DISTAFF_CONFIGURE_PHASES_H
