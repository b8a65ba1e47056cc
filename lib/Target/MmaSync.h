//===- MmaSync.h - The rows of mma.sync -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 8.x, section "Warp-level matrix instructions: mma.m16n8k8 and
// m16n8k16". With g = lane / 4 and q = lane % 4, every operand has lane digits
// (g, q): g along the dim of 8, q along the dim of 4 pairs. Registers come in
// pairs of adjacent 16-bit elements; A numbers its pairs with k outermost.
//
// f16 accumulates in f16 or f32, bf16 in f32 only. The cost of 16x8x16 is its 8
// cycles at 256 multiply-adds per cycle (A100 whitepaper, per SM quarter);
// 16x8x8 does half the work and pays its issue again.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_MMASYNC_H
#define DISTAFF_LIB_TARGET_MMASYNC_H

#include "distaff/Target/Target.h"

namespace distaff::mma_sync {
using enum ScalarKind;

/// A of 16 rows and 8 * columnBlocks columns: registers (o_k, o_m, e).
constexpr Fragment fragmentA(int64_t columnBlocks) {
  return {{2, columnBlocks},
          {8, 4},
          {4, 1},
          {1, 2},
          {Fragment::Outer1, Fragment::Outer0, Fragment::Element0,
           Fragment::Element1},
          {2 * columnBlocks, 2}};
}

/// B of 8 * rowBlocks rows and 8 columns: registers (o_k, e).
constexpr Fragment fragmentB(int64_t rowBlocks) {
  return {{rowBlocks, 1},
          {4, 8},
          {1, 4},
          {2, 1},
          {Fragment::Outer0, Fragment::Outer1, Fragment::Element0,
           Fragment::Element1},
          {rowBlocks, 2}};
}

/// C and D of 16x8: registers (o_m, e).
inline constexpr Fragment fragmentC = {{2, 1},
                                       {8, 4},
                                       {4, 1},
                                       {1, 2},
                                       {Fragment::Outer0, Fragment::Outer1,
                                        Fragment::Element0, Fragment::Element1},
                                       {2, 2}};

constexpr MmaRow row(llvm::StringLiteral name, llvm::StringLiteral instruction,
                     int64_t k, ScalarKind input, ScalarKind accumulator) {
  return {name,
          instruction,
          /*m=*/16,
          /*n=*/8,
          k,
          input,
          input,
          accumulator,
          fragmentA(k / 8),
          fragmentB(k / 8),
          fragmentC,
          /*subgroupSize=*/32,
          /*issueCost=*/k == 16 ? 8 : 5,
          MmaEmitter::NvvmMmaSync};
}

inline constexpr MmaRow rows[] = {
    row("NV_MMA_SYNC_F32_16x8x16_F16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, F16, F32),
    row("NV_MMA_SYNC_F32_16x8x8_F16",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 8, F16, F32),
    row("NV_MMA_SYNC_F16_16x8x16_F16",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, F16, F16),
    row("NV_MMA_SYNC_F16_16x8x8_F16",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 8, F16, F16),
    row("NV_MMA_SYNC_F32_16x8x16_BF16",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, BF16, F32),
    row("NV_MMA_SYNC_F32_16x8x8_BF16",
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 8, BF16, F32),
};

} // namespace distaff::mma_sync

#endif // DISTAFF_LIB_TARGET_MMASYNC_H
