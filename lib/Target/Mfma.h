//===- Mfma.h - Instruction table of MFMA -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI100, MI200, MI300 and CDNA4 Instruction Set Architecture,
// chapter "Matrix Arithmetic Instructions". With 64 lanes, MFMA MxNxK of one
// block puts row i = lane % M of A and column j = lane % N of B on a lane,
// K/(64/M) adjacent k values each; D has column j = lane % N and rows in groups
// of four, those of f64 one by one. Instructions of several blocks have all of
// K on a lane; lanes are numbered (block, i) in A and B, and D is that of one
// block after the other, of 4x4 one block per four lanes.
//
// Costs are the cycles that the manuals' passes of four make: per SIMD 32
// multiply-adds of f32 per cycle, of f16 128 and from CDNA3 on 256, of 8 bits
// twice as many, on CDNA4 twice that again. MFMA of 4x4 take two passes.
//
// K of the 128- and 64-deep forms is numbered in sixteens of two halves
// (unchecked on hardware); A and B number it alike, so any common order is
// correct, and the table has the plain one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_MFMA_H
#define DISTAFF_LIB_TARGET_MFMA_H

#include "Concat.h"
#include "Natural.h"

namespace distaff::mfma {
using enum ScalarKind;

/// Returns the row of an MFMA of size x size x k; the lanes that do not index
/// the size-wide dim split k (A, B) or the groups of four rows (C).
constexpr MmaRow row(llvm::StringLiteral name, llvm::StringLiteral instruction,
                     int64_t size, int64_t k, ScalarKind a, ScalarKind b,
                     ScalarKind c, int64_t issueCost,
                     MmaEmitter emitter = MmaEmitter::RocdlMfma) {
  int64_t groups = 64 / size;
  return {name,
          instruction,
          /*m=*/size,
          /*n=*/size,
          k,
          a,
          b,
          c,
          natural(1, size, groups, 1, size, 1, k / groups),
          natural(1, groups, size, size, 1, k / groups, 1),
          natural(size / (4 * groups), groups, size, size, 1, 4, 1),
          /*subgroupSize=*/64,
          issueCost,
          emitter};
}

constexpr Fragment inBlocks(Fragment fragment, FragmentBlocks blocks) {
  fragment.blocks = blocks;
  fragment.shape[0] *= blocks.outer;
  return fragment;
}

/// Returns the row of an MFMA of 64 / size blocks of size x size x k.
constexpr MmaRow blocked(llvm::StringLiteral name,
                         llvm::StringLiteral instruction, int64_t size,
                         int64_t k, ScalarKind input, ScalarKind accumulator,
                         int64_t issueCost) {
  int64_t count = 64 / size, groups = 64 / size;
  FragmentBlocks onLanes = {1, count, size}, onRegisters = {count, 1, 0};
  Fragment c =
      size == 4
          ? inBlocks(natural(1, 1, 4, 0, 1, 4, 1), onLanes)
          : inBlocks(natural(size / (4 * groups), groups, size, size, 1, 4, 1),
                     onRegisters);
  return {name,
          instruction,
          /*m=*/size,
          /*n=*/size,
          k,
          input,
          input,
          accumulator,
          inBlocks(natural(1, size, 1, 1, 0, 1, k), onLanes),
          inBlocks(natural(1, 1, size, 0, 1, k, 1), onLanes),
          c,
          /*subgroupSize=*/64,
          issueCost,
          MmaEmitter::RocdlMfma,
          count};
}

/// Returns the row for f64 of 16x16x4, with rows of D one by one.
constexpr MmaRow double16(int64_t issueCost) {
  return {"MFMA_F64_16x16x4_F64",
          "rocdl.mfma.f64.16x16x4f64",
          /*m=*/16,
          /*n=*/16,
          /*k=*/4,
          F64,
          F64,
          F64,
          natural(1, 16, 4, 1, 16, 1, 1),
          natural(1, 4, 16, 16, 1, 1, 1),
          natural(4, 4, 16, 16, 1, 1, 1),
          /*subgroupSize=*/64,
          issueCost,
          MmaEmitter::RocdlMfma};
}

/// Returns the row for f64 of four blocks of 4x4x4, with one element of each
/// operand per lane.
constexpr MmaRow double4(int64_t issueCost) {
  FragmentBlocks blocks = {1, 4, 4};
  return {"MFMA_F64_4x4x4_4B_F64",
          "rocdl.mfma.f64.4x4x4f64",
          /*m=*/4,
          /*n=*/4,
          /*k=*/4,
          F64,
          F64,
          F64,
          inBlocks(natural(1, 4, 4, 1, 16, 1, 1), blocks),
          inBlocks(natural(1, 4, 4, 16, 1, 1, 1), blocks),
          inBlocks(natural(1, 4, 4, 16, 1, 1, 1), blocks),
          /*subgroupSize=*/64,
          issueCost,
          MmaEmitter::RocdlMfma,
          /*blocks=*/4};
}

/// f32, from CDNA1 on.
inline constexpr std::array<MmaRow, 5> float32 = {
    row("MFMA_F32_32x32x2_F32", "rocdl.mfma.f32.32x32x2f32", 32, 2, F32, F32,
        F32, 64),
    row("MFMA_F32_16x16x4_F32", "rocdl.mfma.f32.16x16x4f32", 16, 4, F32, F32,
        F32, 32),
    blocked("MFMA_F32_32x32x1_2B_F32", "rocdl.mfma.f32.32x32x1f32", 32, 1, F32,
            F32, 64),
    blocked("MFMA_F32_16x16x1_4B_F32", "rocdl.mfma.f32.16x16x1f32", 16, 1, F32,
            F32, 32),
    blocked("MFMA_F32_4x4x1_16B_F32", "rocdl.mfma.f32.4x4x1f32", 4, 1, F32, F32,
            8),
};

/// f16 of CDNA1 and CDNA2: 128 multiply-adds per cycle.
inline constexpr std::array<MmaRow, 2> halfSlow = {
    row("MFMA_F32_32x32x8_F16", "rocdl.mfma.f32.32x32x8f16", 32, 8, F16, F16,
        F32, 64),
    row("MFMA_F32_16x16x16_F16", "rocdl.mfma.f32.16x16x16f16", 16, 16, F16, F16,
        F32, 32),
};

/// f16 of CDNA3 and CDNA4.
inline constexpr std::array<MmaRow, 2> half = {
    row("MFMA_F32_32x32x8_F16", "rocdl.mfma.f32.32x32x8f16", 32, 8, F16, F16,
        F32, 32),
    row("MFMA_F32_16x16x16_F16", "rocdl.mfma.f32.16x16x16f16", 16, 16, F16, F16,
        F32, 16),
};

/// f16, from CDNA1 on.
inline constexpr std::array<MmaRow, 3> halfBlocks = {
    blocked("MFMA_F32_32x32x4_2B_F16", "rocdl.mfma.f32.32x32x4f16", 32, 4, F16,
            F32, 64),
    blocked("MFMA_F32_16x16x4_4B_F16", "rocdl.mfma.f32.16x16x4f16", 16, 4, F16,
            F32, 32),
    blocked("MFMA_F32_4x4x4_16B_F16", "rocdl.mfma.f32.4x4x4f16", 4, 4, F16, F32,
            8),
};

/// bf16 in pairs, CDNA1 and CDNA2.
inline constexpr std::array<MmaRow, 5> bfloatOld = {
    row("MFMA_F32_32x32x4_BF16", "rocdl.mfma.f32.32x32x4bf16", 32, 4, BF16,
        BF16, F32, 64),
    row("MFMA_F32_16x16x8_BF16", "rocdl.mfma.f32.16x16x8bf16", 16, 8, BF16,
        BF16, F32, 32),
    blocked("MFMA_F32_32x32x2_2B_BF16", "rocdl.mfma.f32.32x32x2bf16", 32, 2,
            BF16, F32, 64),
    blocked("MFMA_F32_16x16x2_4B_BF16", "rocdl.mfma.f32.16x16x2bf16", 16, 2,
            BF16, F32, 32),
    blocked("MFMA_F32_4x4x2_16B_BF16", "rocdl.mfma.f32.4x4x2bf16", 4, 2, BF16,
            F32, 8),
};

/// The forms `_1k`, of CDNA2.
inline constexpr std::array<MmaRow, 2> bfloatSlow = {
    row("MFMA_F32_32x32x8_BF16", "rocdl.mfma.f32.32x32x8bf16.1k", 32, 8, BF16,
        BF16, F32, 64),
    row("MFMA_F32_16x16x16_BF16", "rocdl.mfma.f32.16x16x16bf16.1k", 16, 16,
        BF16, BF16, F32, 32),
};

/// The same forms on CDNA3 and CDNA4.
inline constexpr std::array<MmaRow, 2> bfloat = {
    row("MFMA_F32_32x32x8_BF16", "rocdl.mfma.f32.32x32x8bf16.1k", 32, 8, BF16,
        BF16, F32, 32),
    row("MFMA_F32_16x16x16_BF16", "rocdl.mfma.f32.16x16x16bf16.1k", 16, 16,
        BF16, BF16, F32, 16),
};

/// Blocked bf16 forms, from CDNA2 on.
inline constexpr std::array<MmaRow, 3> bfloatBlocks = {
    blocked("MFMA_F32_32x32x4_2B_BF16", "rocdl.mfma.f32.32x32x4bf16.1k", 32, 4,
            BF16, F32, 64),
    blocked("MFMA_F32_16x16x4_4B_BF16", "rocdl.mfma.f32.16x16x4bf16.1k", 16, 4,
            BF16, F32, 32),
    blocked("MFMA_F32_4x4x4_16B_BF16", "rocdl.mfma.f32.4x4x4bf16.1k", 4, 4,
            BF16, F32, 8),
};

/// i8 of CDNA1 and CDNA2.
inline constexpr std::array<MmaRow, 2> byteOld = {
    row("MFMA_I32_32x32x8_I8", "rocdl.mfma.i32.32x32x8i8", 32, 8, I8, I8, I32,
        64),
    row("MFMA_I32_16x16x16_I8", "rocdl.mfma.i32.16x16x16i8", 16, 16, I8, I8,
        I32, 32),
};

/// i8, from CDNA1 on.
inline constexpr std::array<MmaRow, 3> byteBlocks = {
    blocked("MFMA_I32_32x32x4_2B_I8", "rocdl.mfma.i32.32x32x4i8", 32, 4, I8,
            I32, 64),
    blocked("MFMA_I32_16x16x4_4B_I8", "rocdl.mfma.i32.16x16x4i8", 16, 4, I8,
            I32, 32),
    blocked("MFMA_I32_4x4x4_16B_I8", "rocdl.mfma.i32.4x4x4i8", 4, 4, I8, I32,
            8),
};

/// i8, from CDNA3 on.
inline constexpr std::array<MmaRow, 2> byte = {
    row("MFMA_I32_32x32x16_I8", "rocdl.mfma.i32.32x32x16.i8", 32, 16, I8, I8,
        I32, 32),
    row("MFMA_I32_16x16x32_I8", "rocdl.mfma.i32.16x16x32.i8", 16, 32, I8, I8,
        I32, 16),
};

/// XF32, on CDNA3 alone.
inline constexpr std::array<MmaRow, 2> extendedFloat = {
    row("MFMA_F32_32x32x4_XF32", "rocdl.mfma.f32.32x32x4.xf32", 32, 4, XF32,
        XF32, F32, 32),
    row("MFMA_F32_16x16x8_XF32", "rocdl.mfma.f32.16x16x8.xf32", 16, 8, XF32,
        XF32, F32, 16),
};

/// 8-bit floats of CDNA3.
inline constexpr std::array<MmaRow, 8> float8Fnuz = {
    row("MFMA_F32_32x32x16_F8E4M3FNUZ", "rocdl.mfma.f32.32x32x16.fp8.fp8", 32,
        16, F8E4M3FNUZ, F8E4M3FNUZ, F32, 32),
    row("MFMA_F32_16x16x32_F8E4M3FNUZ", "rocdl.mfma.f32.16x16x32.fp8.fp8", 16,
        32, F8E4M3FNUZ, F8E4M3FNUZ, F32, 16),
    row("MFMA_F32_32x32x16_F8E5M2FNUZ", "rocdl.mfma.f32.32x32x16.bf8.bf8", 32,
        16, F8E5M2FNUZ, F8E5M2FNUZ, F32, 32),
    row("MFMA_F32_16x16x32_F8E5M2FNUZ", "rocdl.mfma.f32.16x16x32.bf8.bf8", 16,
        32, F8E5M2FNUZ, F8E5M2FNUZ, F32, 16),
    row("MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ",
        "rocdl.mfma.f32.32x32x16.fp8.bf8", 32, 16, F8E4M3FNUZ, F8E5M2FNUZ, F32,
        32),
    row("MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ",
        "rocdl.mfma.f32.16x16x32.fp8.bf8", 16, 32, F8E4M3FNUZ, F8E5M2FNUZ, F32,
        16),
    row("MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ",
        "rocdl.mfma.f32.32x32x16.bf8.fp8", 32, 16, F8E5M2FNUZ, F8E4M3FNUZ, F32,
        32),
    row("MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ",
        "rocdl.mfma.f32.16x16x32.bf8.fp8", 16, 32, F8E5M2FNUZ, F8E4M3FNUZ, F32,
        16),
};

/// 8-bit floats of CDNA4.
inline constexpr std::array<MmaRow, 8> float8Ocp = {
    row("MFMA_F32_32x32x16_F8E4M3FN", "rocdl.mfma.f32.32x32x16.fp8.fp8", 32, 16,
        F8E4M3FN, F8E4M3FN, F32, 32),
    row("MFMA_F32_16x16x32_F8E4M3FN", "rocdl.mfma.f32.16x16x32.fp8.fp8", 16, 32,
        F8E4M3FN, F8E4M3FN, F32, 16),
    row("MFMA_F32_32x32x16_F8E5M2", "rocdl.mfma.f32.32x32x16.bf8.bf8", 32, 16,
        F8E5M2, F8E5M2, F32, 32),
    row("MFMA_F32_16x16x32_F8E5M2", "rocdl.mfma.f32.16x16x32.bf8.bf8", 16, 32,
        F8E5M2, F8E5M2, F32, 16),
    row("MFMA_F32_32x32x16_F8E4M3FN_F8E5M2", "rocdl.mfma.f32.32x32x16.fp8.bf8",
        32, 16, F8E4M3FN, F8E5M2, F32, 32),
    row("MFMA_F32_16x16x32_F8E4M3FN_F8E5M2", "rocdl.mfma.f32.16x16x32.fp8.bf8",
        16, 32, F8E4M3FN, F8E5M2, F32, 16),
    row("MFMA_F32_32x32x16_F8E5M2_F8E4M3FN", "rocdl.mfma.f32.32x32x16.bf8.fp8",
        32, 16, F8E5M2, F8E4M3FN, F32, 32),
    row("MFMA_F32_16x16x32_F8E5M2_F8E4M3FN", "rocdl.mfma.f32.16x16x32.bf8.fp8",
        16, 32, F8E5M2, F8E4M3FN, F32, 16),
};

/// 8-bit floats of CDNA4 with scales, which are 1 here.
inline constexpr std::array<MmaRow, 8> float8Scale = {
    row("MFMA_F32_32x32x64_F8E4M3FN", "rocdl.mfma.scale.f32.32x32x64.f8f6f4",
        32, 64, F8E4M3FN, F8E4M3FN, F32, 64, MmaEmitter::RocdlMfmaScale),
    row("MFMA_F32_16x16x128_F8E4M3FN", "rocdl.mfma.scale.f32.16x16x128.f8f6f4",
        16, 128, F8E4M3FN, F8E4M3FN, F32, 32, MmaEmitter::RocdlMfmaScale),
    row("MFMA_F32_32x32x64_F8E5M2", "rocdl.mfma.scale.f32.32x32x64.f8f6f4", 32,
        64, F8E5M2, F8E5M2, F32, 64, MmaEmitter::RocdlMfmaScale),
    row("MFMA_F32_16x16x128_F8E5M2", "rocdl.mfma.scale.f32.16x16x128.f8f6f4",
        16, 128, F8E5M2, F8E5M2, F32, 32, MmaEmitter::RocdlMfmaScale),
    row("MFMA_F32_32x32x64_F8E4M3FN_F8E5M2",
        "rocdl.mfma.scale.f32.32x32x64.f8f6f4", 32, 64, F8E4M3FN, F8E5M2, F32,
        64, MmaEmitter::RocdlMfmaScale),
    row("MFMA_F32_16x16x128_F8E4M3FN_F8E5M2",
        "rocdl.mfma.scale.f32.16x16x128.f8f6f4", 16, 128, F8E4M3FN, F8E5M2, F32,
        32, MmaEmitter::RocdlMfmaScale),
    row("MFMA_F32_32x32x64_F8E5M2_F8E4M3FN",
        "rocdl.mfma.scale.f32.32x32x64.f8f6f4", 32, 64, F8E5M2, F8E4M3FN, F32,
        64, MmaEmitter::RocdlMfmaScale),
    row("MFMA_F32_16x16x128_F8E5M2_F8E4M3FN",
        "rocdl.mfma.scale.f32.16x16x128.f8f6f4", 16, 128, F8E5M2, F8E4M3FN, F32,
        32, MmaEmitter::RocdlMfmaScale),
};

/// f16 and bf16 with twice the K, on CDNA4.
inline constexpr std::array<MmaRow, 4> wide = {
    row("MFMA_F32_32x32x16_F16", "rocdl.mfma.f32.32x32x16.f16", 32, 16, F16,
        F16, F32, 32),
    row("MFMA_F32_16x16x32_F16", "rocdl.mfma.f32.16x16x32.f16", 16, 32, F16,
        F16, F32, 16),
    row("MFMA_F32_32x32x16_BF16", "rocdl.mfma.f32.32x32x16.bf16", 32, 16, BF16,
        BF16, F32, 32),
    row("MFMA_F32_16x16x32_BF16", "rocdl.mfma.f32.16x16x32.bf16", 16, 32, BF16,
        BF16, F32, 16),
};

/// i8 with twice the K, on CDNA4.
inline constexpr std::array<MmaRow, 2> wideByte = {
    row("MFMA_I32_32x32x32_I8", "rocdl.mfma.i32.32x32x32.i8", 32, 32, I8, I8,
        I32, 32),
    row("MFMA_I32_16x16x64_I8", "rocdl.mfma.i32.16x16x64.i8", 16, 64, I8, I8,
        I32, 16),
};

/// f64 of CDNA2 and CDNA3, and of CDNA4, which has half as many units, but not
/// for four blocks (LLVM's SISchedule: 16 passes, and 4).
inline constexpr std::array<MmaRow, 2> doubles = {double16(32), double4(16)};
inline constexpr std::array<MmaRow, 2> doublesSlow = {double16(64),
                                                      double4(16)};

inline constexpr auto gfx908 =
    concat(halfSlow, bfloatOld, float32, halfBlocks, byteOld, byteBlocks);
inline constexpr auto gfx90a =
    concat(halfSlow, bfloatSlow, bfloatOld, float32, doubles, halfBlocks,
           bfloatBlocks, byteOld, byteBlocks);
inline constexpr auto gfx942 =
    concat(half, bfloat, float32, doubles, extendedFloat, float8Fnuz,
           halfBlocks, bfloatBlocks, byte, byteBlocks);
inline constexpr auto gfx950 =
    concat(wide, half, bfloat, float32, doublesSlow, float8Scale, float8Ocp,
           halfBlocks, bfloatBlocks, wideByte, byte, byteBlocks);

} // namespace distaff::mfma

#endif // DISTAFF_LIB_TARGET_MFMA_H
