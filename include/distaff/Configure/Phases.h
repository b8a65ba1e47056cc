//===- Phases.h - How the products of phases are computed -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What configure chooses for a program of phases (docs/ParallelControlFlow.md),
// whoever wrote it: for every product in a phase the instruction and the box of
// the result that each subgroup has, as the product's `lowering_config`.
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

/// Gives a kernel that starts workers itself, and says how many lanes it has,
/// the target's subgroup size where it does not say one.
void completeLaunch(func::FuncOp kernel, const Target &machine);

/// Chooses for every product in the phases of `kernel` that are run by
/// subgroups. What a `lowering_config` on it says stays, and the rest is chosen
/// to agree; fails where that cannot be had. A product that no instruction
/// computes gets a box alone, and a warning that says why. Choices are recorded
/// in `log`, if there is one.
LogicalResult configurePhases(func::FuncOp kernel, const Target &machine,
                              DecisionLog *log);

} // namespace distaff

#endif // DISTAFF_CONFIGURE_PHASES_H
