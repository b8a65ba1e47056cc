//===- CpuInstructions.h - Ops that are a CPU's instructions ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the dialects x86vector, amx, arm_neon and llvm on vectors represent
// instructions. The CPUs that support them follow from the called intrinsic:
//
//   x86vector.avx512.dot    llvm.x86.avx512bf16.dpbf16ps.512    avx512bf16
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_CPUINSTRUCTIONS_H
#define DISTAFF_ANALYSIS_LEGALITY_CPUINSTRUCTIONS_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

struct Target;

/// Returns whether CPU code keeps the op unchanged, with each vector whole: an
/// op of x86vector, arm_neon or llvm on vectors.
bool isCpuInstruction(Operation *op);

/// Fails, with an error at the op, if a kernel has instructions of another CPU
/// than the target, or instructions that its level lacks; the error names a
/// level that has them.
LogicalResult checkCpuInstructions(FunctionOpInterface kernel,
                                   const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_CPUINSTRUCTIONS_H
