//===- TargetList.h - Listing targets and instructions ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the output of `distaff targets`: one line per target, or for a named
// target each instruction that a kernel may name. The text of sm_80 has
//
//   NV_MMA_SYNC_F32_16x8x16_F16  16x8x16  f16 x f16 + f32  8  m16n8k16
//
// the name that `mma_kind` takes, M x N x K, the element types of A, B and C,
// the issue slots of one subgroup that the instruction costs, and its name in
// the assembler or LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_TARGETLIST_H
#define DISTAFF_DRIVER_TARGETLIST_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"

namespace distaff {

/// Prints a line per target: its name and its features.
void printTargets(ArrayRef<const Target *> targets, raw_ostream &stream);

/// Prints the instructions of one target, a line each, under headings.
void printInstructions(const Target &target, raw_ostream &stream);

/// Prints an array of the targets with their instructions, as JSON.
void printTargetsJson(ArrayRef<const Target *> targets, raw_ostream &stream);

} // namespace distaff

#endif // DISTAFF_DRIVER_TARGETLIST_H
