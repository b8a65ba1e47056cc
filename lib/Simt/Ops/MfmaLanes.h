//===- MfmaLanes.h - Lane broadcast modifiers of MFMA -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CDNA1 to CDNA4 ISA, "Matrix Arithmetic Instructions". CBSZ and ABID: the
// blocks of A are groups of 2^CBSZ, and in each group the block with number
// ABID is broadcast to all. BLGP moves the values of B's lanes:
//
//   1, 2         lanes 0-31 (32-63) to both halves
//   3            rotated down by 16: lane 16's to lane 0
//   4, 5, 6, 7   lanes 0-15 (16-31, 32-47, 48-63) to all four groups
//
// For f64 the bits of BLGP negate operands instead.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_MFMALANES_H
#define DISTAFF_LIB_SIMT_OPS_MFMALANES_H

#include "../Translate/OpRegistry.h"
#include "FragmentMaps.h"

namespace distaff::simt {

struct MfmaLanes {
  int64_t cbsz = 0, abid = 0, blgp = 0;

  /// Returns whether the instruction has these modifiers.
  bool isOf(const MmaInstruction &mma) const;

  /// Emits the operand A, or B, that the instruction reads from the lanes'
  /// values.
  Reg takeA(Operation *op, const MmaInstruction &mma, Reg a,
            Translator &t) const;
  Reg takeB(Operation *op, Reg b, Translator &t) const;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MFMALANES_H
