//===- FragmentMapsNvidia.cpp - Fragment layouts of mma.sync --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 8.x, "Matrix multiply-accumulate operation using mma instruction",
// the figures and formulas of each shape. With the manual's terms, groupID =
// laneid >> 2 and threadID_in_group = laneid % 4; `i` is the index of the
// element within the lane's fragment.
//
// The formulas of all shapes are one family: with p elements in a register the
// manual counts rows of A in eights and columns in 4 p, and registers go down
// the rows first.
//
//   m16n8k16 f16, a_i   row groupID for i = 0,1,4,5, else groupID + 8
//                       column threadID_in_group * 2 + (i & 1), + 8 for i >= 4
//   m16n8k32 s8, a_i    row groupID for i = 0..3, 8..11, else groupID + 8
//                       column threadID_in_group * 4 + (i & 3), + 16 for i >= 8
//
//===----------------------------------------------------------------------===//
#include "FragmentMaps.h"
#include "MmaElements.h"

using namespace distaff::simt;
using namespace distaff::simt::mma;

namespace {

int64_t groupOf(int64_t lane) { return lane >> 2; }
int64_t threadInGroup(int64_t lane) { return lane % 4; }

/// Returns the place in A of M rows, with P elements in a register.
template <int M, int P> MatrixElement fragmentA(int64_t lane, int64_t i) {
  int64_t word = i / P, eights = M / 8;
  return {groupOf(lane) + 8 * (word % eights),
          threadInGroup(lane) * P + i % P + 4 * P * (word / eights)};
}

/// Returns the place in B of any size, with P elements in a register.
template <int P> MatrixElement fragmentB(int64_t lane, int64_t i) {
  return {threadInGroup(lane) * P + i % P + 4 * P * (i / P), groupOf(lane)};
}

/// Returns the place in accumulators of all shapes and types.
MatrixElement fragmentC(int64_t lane, int64_t i) {
  return {i < 2 ? groupOf(lane) : groupOf(lane) + 8,
          threadInGroup(lane) * 2 + (i & 1)};
}

template <int M, int P>
constexpr MmaInstruction sync(llvm::StringLiteral name, int64_t k, MmaElement a,
                              MmaElement b, MmaElement c) {
  return {name, M, 8, k, a, b, c, 32, fragmentA<M, P>, fragmentB<P>, fragmentC};
}

constexpr MmaInstruction nvidiaRows[] = {
    sync<16, 2>("NV_MMA_SYNC_F32_16x8x8_F16", 8, f16, f16, f32),
    sync<16, 2>("NV_MMA_SYNC_F16_16x8x8_F16", 8, f16, f16, f16),
    sync<16, 2>("NV_MMA_SYNC_F32_16x8x8_BF16", 8, bf16, bf16, f32),
    sync<16, 2>("NV_MMA_SYNC_F32_16x8x16_F16", 16, f16, f16, f32),
    sync<16, 2>("NV_MMA_SYNC_F16_16x8x16_F16", 16, f16, f16, f16),
    sync<16, 2>("NV_MMA_SYNC_F32_16x8x16_BF16", 16, bf16, bf16, f32),
    sync<16, 1>("NV_MMA_SYNC_F32_16x8x4_TF32", 4, tf32, tf32, f32),
    sync<16, 1>("NV_MMA_SYNC_F32_16x8x8_TF32", 8, tf32, tf32, f32),
    sync<8, 1>("NV_MMA_SYNC_F64_8x8x4_F64", 4, f64, f64, f64),
    sync<16, 1>("NV_MMA_SYNC_F64_16x8x4_F64", 4, f64, f64, f64),
    sync<16, 1>("NV_MMA_SYNC_F64_16x8x8_F64", 8, f64, f64, f64),
    sync<16, 1>("NV_MMA_SYNC_F64_16x8x16_F64", 16, f64, f64, f64),
    sync<8, 4>("NV_MMA_SYNC_I32_8x8x16_I8", 16, s8, s8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x16_I8", 16, s8, s8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x32_I8", 32, s8, s8, s32),
    sync<8, 4>("NV_MMA_SYNC_I32_8x8x16_U8", 16, u8, u8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x16_U8", 16, u8, u8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x32_U8", 32, u8, u8, s32),
    sync<8, 4>("NV_MMA_SYNC_I32_8x8x16_I8_U8", 16, s8, u8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x16_I8_U8", 16, s8, u8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x32_I8_U8", 32, s8, u8, s32),
    sync<8, 4>("NV_MMA_SYNC_I32_8x8x16_U8_I8", 16, u8, s8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x16_U8_I8", 16, u8, s8, s32),
    sync<16, 4>("NV_MMA_SYNC_I32_16x8x32_U8_I8", 32, u8, s8, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x32_I4", 32, s4, s4, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x64_I4", 64, s4, s4, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x32_U4", 32, u4, u4, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x64_U4", 64, u4, u4, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x32_I4_U4", 32, s4, u4, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x64_I4_U4", 64, s4, u4, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x32_U4_I4", 32, u4, s4, s32),
    sync<16, 8>("NV_MMA_SYNC_I32_16x8x64_U4_I4", 64, u4, s4, s32),
    sync<16, 4>("NV_MMA_SYNC_F32_16x8x32_F8E4M3FN", 32, e4m3, e4m3, f32),
    sync<16, 4>("NV_MMA_SYNC_F32_16x8x32_F8E5M2", 32, e5m2, e5m2, f32),
    sync<16, 4>("NV_MMA_SYNC_F32_16x8x32_F8E4M3FN_F8E5M2", 32, e4m3, e5m2, f32),
    sync<16, 4>("NV_MMA_SYNC_F32_16x8x32_F8E5M2_F8E4M3FN", 32, e5m2, e4m3, f32),
};

} // namespace

llvm::ArrayRef<MmaInstruction> distaff::simt::nvidiaInstructions() {
  return nvidiaRows;
}
