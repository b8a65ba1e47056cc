//===- MmaSync.h - Instruction table of mma.sync ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 8.x, section "Warp-level matrix instructions: mma", fragments of
// m8n8k4 of f64, m8n8k16, m16n8k4, m16n8k8, m16n8k16, m16n8k32 and m16n8k64.
// With g = lane / 4 and q = lane % 4, every operand has lane digits (g, q): g
// along the dim of 8, q along the dim of 4. A 32-bit register has as many
// adjacent elements of A or B as fit, f64 takes a register of 64 bits; A
// numbers its registers with k outermost. C comes in pairs along n.
//
// f16 accumulates in f16 or f32, other floats in f32 or f64, integers in i32.
// Costs rank the instructions of one target: of 16 bits 256 multiply-adds per
// cycle, of tf32 half, of 8 bits twice, of 4 bits four times as many (A100
// white paper, per SM quarter; other chips have other rates of those in the
// same proportions); small shapes pay the issue again. 4-bit ones of 9.0 are
// slower.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_MMASYNC_H
#define DISTAFF_LIB_TARGET_MMASYNC_H

#include "Concat.h"

namespace distaff::mma_sync {
using enum ScalarKind;

/// Returns A of 8 * rowBlocks rows and 4 * packed * columnBlocks columns:
/// registers (o_k, o_m, e).
constexpr Fragment fragmentA(int64_t rowBlocks, int64_t columnBlocks,
                             int64_t packed) {
  return {{rowBlocks, columnBlocks},
          {8, 4},
          {4, 1},
          {1, packed},
          {Fragment::Outer1, Fragment::Outer0, Fragment::Element0,
           Fragment::Element1},
          {rowBlocks * columnBlocks, packed}};
}

/// Returns B of 4 * packed * rowBlocks rows and 8 columns: registers (o_k, e).
constexpr Fragment fragmentB(int64_t rowBlocks, int64_t packed) {
  return {{rowBlocks, 1},
          {4, 8},
          {1, 4},
          {packed, 1},
          {Fragment::Outer0, Fragment::Outer1, Fragment::Element0,
           Fragment::Element1},
          {rowBlocks, packed}};
}

/// Returns C and D of 8 * rowBlocks rows and 8 columns: registers (o_m, e).
constexpr Fragment fragmentC(int64_t rowBlocks) {
  return {{rowBlocks, 1},
          {8, 4},
          {4, 1},
          {1, 2},
          {Fragment::Outer0, Fragment::Outer1, Fragment::Element0,
           Fragment::Element1},
          {rowBlocks, 2}};
}

/// Returns the number of elements in a register of A or B.
constexpr int64_t packedOf(ScalarKind kind) {
  switch (kind) {
  case F16:
  case BF16:
    return 2;
  case I8:
  case U8:
  case F8E4M3FN:
  case F8E5M2:
    return 4;
  case I4:
  case U4:
    return 8;
  default:
    return 1;
  }
}

constexpr MmaRow row(llvm::StringLiteral name, llvm::StringLiteral instruction,
                     int64_t m, int64_t k, ScalarKind a, ScalarKind b,
                     ScalarKind c, int64_t issueCost, MmaEmitter emitter) {
  int64_t packed = packedOf(a), blocks = k / (4 * packed);
  return {name,
          instruction,
          m,
          /*n=*/8,
          k,
          a,
          b,
          c,
          fragmentA(m / 8, blocks, packed),
          fragmentB(blocks, packed),
          fragmentC(m / 8),
          /*subgroupSize=*/32,
          issueCost,
          emitter};
}

/// Forms of f16 with k = 8, from sm_75 on.
inline constexpr std::array<MmaRow, 2> halfK8 = {
    row("NV_MMA_SYNC_F32_16x8x8_F16",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8, F16, F16,
        F32, 5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_F16_16x8x8_F16",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 16, 8, F16, F16,
        F16, 5, MmaEmitter::NvvmMmaSync),
};

/// Forms of bytes with m = 8, from sm_75 on.
inline constexpr std::array<MmaRow, 4> byteM8 = {
    row("NV_MMA_SYNC_I32_8x8x16_I8",
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 8, 16, I8, I8, I32, 4,
        MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_8x8x16_U8",
        "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", 8, 16, U8, U8, I32, 4,
        MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_8x8x16_I8_U8",
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", 8, 16, I8, U8, I32, 4,
        MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_8x8x16_U8_I8",
        "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", 8, 16, U8, I8, I32, 4,
        MmaEmitter::NvvmMmaSync),
};

/// Forms of f16 with k = 16; these and all arrays below are from sm_80 on.
inline constexpr std::array<MmaRow, 2> halfK16 = {
    row("NV_MMA_SYNC_F32_16x8x16_F16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 16, F16, F16,
        F32, 8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_F16_16x8x16_F16",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, 16, F16, F16,
        F16, 8, MmaEmitter::NvvmMmaSync),
};

/// Forms of bf16 and tf32, with sums in f32.
inline constexpr std::array<MmaRow, 4> bfloatAndTensorFloat = {
    row("NV_MMA_SYNC_F32_16x8x16_BF16",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, BF16,
        BF16, F32, 8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_F32_16x8x8_BF16",
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, BF16, BF16,
        F32, 5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_F32_16x8x8_TF32",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, TF32, TF32,
        F32, 8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_F32_16x8x4_TF32",
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, TF32, TF32,
        F32, 5, MmaEmitter::NvvmMmaSync),
};

/// Returns the form of f64 with m = 8: four fused multiply-adds.
constexpr std::array<MmaRow, 1> doubleM8(int64_t issueCost) {
  return {row("NV_MMA_SYNC_F64_8x8x4_F64",
              "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 8, 4, F64, F64,
              F64, issueCost, MmaEmitter::NvvmMmaSync)};
}
/// 8.0 and 9.0 multiply 64 of f64 per cycle and SM; 8.6 and 8.9, which have two
/// units ("Throughput of Native Arithmetic Instructions"), 2.
inline constexpr auto doubleM8Fast = doubleM8(16), doubleM8Slow = doubleM8(512);

/// Forms of bytes with m = 16; their sums wrap.
inline constexpr std::array<MmaRow, 8> byteM16 = {
    row("NV_MMA_SYNC_I32_16x8x32_I8",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 16, 32, I8, I8, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x32_U8",
        "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 16, 32, U8, U8, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x32_I8_U8",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 16, 32, I8, U8, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x32_U8_I8",
        "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", 16, 32, U8, I8, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x16_I8",
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 16, 16, I8, I8, I32,
        5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x16_U8",
        "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", 16, 16, U8, U8, I32,
        5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x16_I8_U8",
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", 16, 16, I8, U8, I32,
        5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x16_U8_I8",
        "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 16, 16, U8, I8, I32,
        5, MmaEmitter::NvvmMmaSync),
};

/// Forms of 4-bit integers; their sums wrap.
inline constexpr std::array<MmaRow, 8> nibble = {
    row("NV_MMA_SYNC_I32_16x8x64_I4",
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 16, 64, I4, I4, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x64_U4",
        "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", 16, 64, U4, U4, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x64_I4_U4",
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 16, 64, I4, U4, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x64_U4_I4",
        "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 16, 64, U4, I4, I32,
        8, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x32_I4",
        "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 16, 32, I4, I4, I32,
        5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x32_U4",
        "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32", 16, 32, U4, U4, I32,
        5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x32_I4_U4",
        "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", 16, 32, I4, U4, I32,
        5, MmaEmitter::NvvmMmaSync),
    row("NV_MMA_SYNC_I32_16x8x32_U4_I4",
        "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", 16, 32, U4, I4, I32,
        5, MmaEmitter::NvvmMmaSync),
};

/// Forms of 8-bit floats, from sm_89 on, in PTX ISA 8.4. Sums in f16 came with
/// 8.7, which would exclude drivers of CUDA before 12.8 for all code of these
/// targets; contractions of f8 with f16 results widen their operands to f16.
inline constexpr std::array<MmaRow, 4> float8 = {
    row("NV_MMA_SYNC_F32_16x8x32_F8E4M3FN",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 32, F8E4M3FN,
        F8E4M3FN, F32, 8, MmaEmitter::PtxMmaSync),
    row("NV_MMA_SYNC_F32_16x8x32_F8E5M2",
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 32, F8E5M2,
        F8E5M2, F32, 8, MmaEmitter::PtxMmaSync),
    row("NV_MMA_SYNC_F32_16x8x32_F8E4M3FN_F8E5M2",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, F8E4M3FN,
        F8E5M2, F32, 8, MmaEmitter::PtxMmaSync),
    row("NV_MMA_SYNC_F32_16x8x32_F8E5M2_F8E4M3FN",
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", 16, 32, F8E5M2,
        F8E4M3FN, F32, 8, MmaEmitter::PtxMmaSync),
};

/// Forms of f64 with m = 16, from sm_90 on, in PTX ISA 7.8.
inline constexpr std::array<MmaRow, 3> doubleM16 = {
    row("NV_MMA_SYNC_F64_16x8x16_F64",
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 16, 16, F64, F64,
        F64, 64, MmaEmitter::PtxMmaSync),
    row("NV_MMA_SYNC_F64_16x8x8_F64",
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 16, 8, F64, F64,
        F64, 32, MmaEmitter::PtxMmaSync),
    row("NV_MMA_SYNC_F64_16x8x4_F64",
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 16, 4, F64, F64,
        F64, 16, MmaEmitter::PtxMmaSync),
};

inline constexpr auto sm75 = concat(halfK8, byteM8);
inline constexpr auto sm80 = concat(halfK16, halfK8, bfloatAndTensorFloat,
                                    doubleM8Fast, byteM16, byteM8, nibble);
inline constexpr auto sm86 = concat(halfK16, halfK8, bfloatAndTensorFloat,
                                    doubleM8Slow, byteM16, byteM8, nibble);
inline constexpr auto sm89 =
    concat(halfK16, halfK8, bfloatAndTensorFloat, doubleM8Slow, float8, byteM16,
           byteM8, nibble);
inline constexpr auto sm90 =
    concat(halfK16, halfK8, bfloatAndTensorFloat, doubleM16, doubleM8Fast,
           float8, byteM16, byteM8, nibble);

} // namespace distaff::mma_sync

#endif // DISTAFF_LIB_TARGET_MMASYNC_H
