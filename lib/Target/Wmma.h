//===- Wmma.h - Instruction table of WMMA -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RDNA3 and RDNA4 Instruction Set Architecture, chapter "Wave Matrix
// Multiply-Accumulate"; AMD GPUOpen, "How to accelerate AI applications on
// RDNA 3 using WMMA". With 32 lanes, RDNA3 puts row lane % 16 of A and column
// lane % 16 of B on a lane, all of K, so that the upper 16 lanes hold copies;
// D has every second row. RDNA4 splits K and the rows of D over the two halves
// of the subgroup.
//
// RDNA4 numbers K of 16-bit operands in groups of four; the rows have eight
// adjacent values instead, which is the same product (A and B are permuted
// alike) and makes loads twice as wide.
//
// Costs are cycles at the rates that the white papers give per compute unit
// and two SIMDs: 512 operations of f16 per cycle, RDNA4 twice as many, and of 8
// bits twice that.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_WMMA_H
#define DISTAFF_LIB_TARGET_WMMA_H

#include "Natural.h"
#include <array>

namespace distaff::wmma {
using enum ScalarKind;

constexpr MmaRow row(llvm::StringLiteral name, llvm::StringLiteral instruction,
                     ScalarKind a, ScalarKind b, ScalarKind c,
                     const Fragment &fragmentA, const Fragment &fragmentB,
                     const Fragment &fragmentC, int64_t issueCost,
                     MmaEmitter emitter) {
  return {name,      instruction,
          /*m=*/16,  /*n=*/16,
          /*k=*/16,  a,           b,         c,
          fragmentA, fragmentB,   fragmentC, /*subgroupSize=*/32,
          issueCost, emitter};
}

constexpr MmaRow rdna3(llvm::StringLiteral name,
                       llvm::StringLiteral instruction, ScalarKind a,
                       ScalarKind b, ScalarKind c, int64_t issueCost,
                       MmaEmitter emitter) {
  return row(name, instruction, a, b, c, natural(1, 16, 1, 1, 0, 1, 16),
             natural(1, 1, 16, 0, 1, 16, 1), natural(8, 2, 16, 16, 1, 1, 1),
             issueCost, emitter);
}

constexpr MmaRow rdna4(llvm::StringLiteral name,
                       llvm::StringLiteral instruction, ScalarKind a,
                       ScalarKind b, ScalarKind c, int64_t issueCost,
                       MmaEmitter emitter) {
  return row(name, instruction, a, b, c, natural(1, 16, 2, 1, 16, 1, 8),
             natural(1, 2, 16, 16, 1, 8, 1), natural(1, 2, 16, 16, 1, 8, 1),
             issueCost, emitter);
}

inline constexpr MmaRow gfx11[] = {
    rdna3("WMMAR3_F32_16x16x16_F16", "rocdl.wmma.f32.16x16x16.f16", F16, F16,
          F32, 32, MmaEmitter::RocdlWmma),
    rdna3("WMMAR3_F16_16x16x16_F16", "rocdl.wmma.f16.16x16x16.f16", F16, F16,
          F16, 32, MmaEmitter::RocdlWmmaHalves),
    rdna3("WMMAR3_F32_16x16x16_BF16", "rocdl.wmma.f32.16x16x16.bf16", BF16,
          BF16, F32, 32, MmaEmitter::RocdlWmma),
    rdna3("WMMAR3_BF16_16x16x16_BF16", "rocdl.wmma.bf16.16x16x16.bf16", BF16,
          BF16, BF16, 32, MmaEmitter::RocdlWmmaHalves),
    rdna3("WMMAR3_I32_16x16x16_I8", "rocdl.wmma.i32.16x16x16.iu8", I8, I8, I32,
          32, MmaEmitter::RocdlWmmaInteger),
    rdna3("WMMAR3_I32_16x16x16_U8", "rocdl.wmma.i32.16x16x16.iu8", U8, U8, I32,
          32, MmaEmitter::RocdlWmmaInteger),
    rdna3("WMMAR3_I32_16x16x16_I8_U8", "rocdl.wmma.i32.16x16x16.iu8", I8, U8,
          I32, 32, MmaEmitter::RocdlWmmaInteger),
    rdna3("WMMAR3_I32_16x16x16_U8_I8", "rocdl.wmma.i32.16x16x16.iu8", U8, I8,
          I32, 32, MmaEmitter::RocdlWmmaInteger),
};

inline constexpr MmaRow gfx12[] = {
    rdna4("WMMAR4_F32_16x16x16_F16", "rocdl.wmma.f32.16x16x16.f16", F16, F16,
          F32, 16, MmaEmitter::RocdlWmma),
    rdna4("WMMAR4_F16_16x16x16_F16", "rocdl.wmma.f16.16x16x16.f16", F16, F16,
          F16, 16, MmaEmitter::RocdlWmmaOpsel),
    rdna4("WMMAR4_F32_16x16x16_BF16", "rocdl.wmma.f32.16x16x16.bf16", BF16,
          BF16, F32, 16, MmaEmitter::RocdlWmma),
    rdna4("WMMAR4_BF16_16x16x16_BF16", "rocdl.wmma.bf16.16x16x16.bf16", BF16,
          BF16, BF16, 16, MmaEmitter::RocdlWmmaOpsel),
    rdna4("WMMAR4_F32_16x16x16_F8E4M3FN", "rocdl.wmma.f32.16x16x16.fp8_fp8",
          F8E4M3FN, F8E4M3FN, F32, 8, MmaEmitter::RocdlWmma),
    rdna4("WMMAR4_F32_16x16x16_F8E5M2", "rocdl.wmma.f32.16x16x16.bf8_bf8",
          F8E5M2, F8E5M2, F32, 8, MmaEmitter::RocdlWmma),
    rdna4("WMMAR4_F32_16x16x16_F8E4M3FN_F8E5M2",
          "rocdl.wmma.f32.16x16x16.fp8_bf8", F8E4M3FN, F8E5M2, F32, 8,
          MmaEmitter::RocdlWmma),
    rdna4("WMMAR4_F32_16x16x16_F8E5M2_F8E4M3FN",
          "rocdl.wmma.f32.16x16x16.bf8_fp8", F8E5M2, F8E4M3FN, F32, 8,
          MmaEmitter::RocdlWmma),
    rdna4("WMMAR4_I32_16x16x16_I8", "rocdl.wmma.i32.16x16x16.iu8", I8, I8, I32,
          8, MmaEmitter::RocdlWmmaInteger),
    rdna4("WMMAR4_I32_16x16x16_U8", "rocdl.wmma.i32.16x16x16.iu8", U8, U8, I32,
          8, MmaEmitter::RocdlWmmaInteger),
    rdna4("WMMAR4_I32_16x16x16_I8_U8", "rocdl.wmma.i32.16x16x16.iu8", I8, U8,
          I32, 8, MmaEmitter::RocdlWmmaInteger),
    rdna4("WMMAR4_I32_16x16x16_U8_I8", "rocdl.wmma.i32.16x16x16.iu8", U8, I8,
          I32, 8, MmaEmitter::RocdlWmmaInteger),
};

} // namespace distaff::wmma

#endif // DISTAFF_LIB_TARGET_WMMA_H
