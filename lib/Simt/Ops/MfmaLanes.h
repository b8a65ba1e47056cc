//===- MfmaLanes.h - Lanes that MFMA takes its matrices from ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CDNA1 to CDNA4 ISA, "Matrix Arithmetic Instructions". CBSZ and ABID: the
// blocks of A are groups of 2^CBSZ, of each of which the block with number ABID
// is broadcast to all. BLGP: what B's lanes give,
//
//   1, 2         lanes 0-31 (32-63) to both halves
//   3            rotated down by 16: lane 16's to lane 0
//   4, 5, 6, 7   lanes 0-15 (16-31, 32-47, 48-63) to all four groups
//
// Of f64 the bits of BLGP negate instead.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_MFMALANES_H
#define DISTAFF_LIB_SIMT_OPS_MFMALANES_H

#include "../Translate/OpRegistry.h"
#include "FragmentMaps.h"

namespace distaff::simt {

struct MfmaLanes {
  int64_t cbsz = 0, abid = 0, blgp = 0;

  /// Whether the instruction has such modifiers.
  bool isOf(const MmaInstruction &mma) const;

  /// Emits what the instruction takes of A, or of B, of what lanes hold.
  Reg takeA(Operation *op, const MmaInstruction &mma, Reg a,
            Translator &t) const;
  Reg takeB(Operation *op, Reg b, Translator &t) const;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MFMALANES_H
