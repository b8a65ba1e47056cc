//===- MfmaLanes.cpp - Lane broadcast modifiers of MFMA -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MfmaLanes.h"

using namespace distaff;
using namespace distaff::simt;

bool MfmaLanes::isOf(const MmaInstruction &mma) const {
  int64_t blocks = mma.shape(MmaOperand::A).block;
  return StringRef(mma.name).starts_with("MFMA_") &&
         (int64_t(1) << cbsz) <= blocks && abid < (int64_t(1) << cbsz) &&
         blgp < 8;
}

/// Emits a gather: each lane gets the cells of lane `sourceOf`.
static Reg takeFrom(Operation *op, Reg from,
                    std::function<int64_t(int64_t)> sourceOf, Translator &t) {
  Reg to = t.scratch(from.kind, from.elements);
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes(), bytes = from.cellBytes;
    for (int64_t e = 0; e < from.elements; ++e)
      for (int64_t lane = 0; lane < lanes; ++lane)
        std::memcpy(agent.cells(to) + (e * lanes + lane) * bytes,
                    agent.cells(from) + (e * lanes + sourceOf(lane)) * bytes,
                    bytes);
  });
  return to;
}

Reg MfmaLanes::takeA(Operation *op, const MmaInstruction &mma, Reg a,
                     Translator &t) const {
  if (cbsz == 0)
    return a;
  int64_t lanesOfBlock = mma.subgroupSize / mma.shape(MmaOperand::A).block;
  return takeFrom(
      op, a,
      [=, *this](int64_t lane) {
        int64_t block = lane / lanesOfBlock;
        int64_t taken = (block >> cbsz << cbsz) + abid;
        return taken * lanesOfBlock + lane % lanesOfBlock;
      },
      t);
}

Reg MfmaLanes::takeB(Operation *op, Reg b, Translator &t) const {
  if (blgp == 0)
    return b;
  return takeFrom(
      op, b,
      [blgp = blgp](int64_t lane) -> int64_t {
        if (blgp < 3)
          return 32 * (blgp - 1) + lane % 32;
        if (blgp == 3)
          return (lane + 16) % 64;
        return 16 * (blgp - 4) + lane % 16;
      },
      t);
}
