//===- FragmentMapsAmd.cpp - Fragment layouts of MFMA and WMMA ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MFMA: AMD Instinct MI100, MI200, MI300 and CDNA4 Instruction Set
// Architecture, "Matrix Arithmetic Instructions", 64 lanes. WMMA: RDNA3 and
// RDNA4 Instruction Set Architecture, "Wave Matrix Multiply-Accumulate", 32
// lanes. `i` is the index of the element within the lane's fragment.
//
//===----------------------------------------------------------------------===//
#include "FragmentMaps.h"
#include "MmaElements.h"

using namespace distaff::simt;
using namespace distaff::simt::mma;

namespace {

//===----------------------------------------------------------------------===//
// MFMA of one block. Lanes run along M (A) or N (B, C) of S; each group of
// lanes takes the next P values of K.
//===----------------------------------------------------------------------===//

template <int S, int P> MatrixElement mfmaA(int64_t lane, int64_t i) {
  return {lane % S, P * (lane / S) + i};
}
template <int S, int P> MatrixElement mfmaB(int64_t lane, int64_t i) {
  return {P * (lane / S) + i, lane % S};
}

MatrixElement mfma16C(int64_t lane, int64_t i) {
  return {4 * (lane / 16) + i, lane % 16};
}
// Rows come in groups of four; lanes 32..63 hold every second group.
MatrixElement mfma32C(int64_t lane, int64_t i) {
  return {8 * (i / 4) + 4 * (lane / 32) + i % 4, lane % 32};
}
// For f64, every group of lanes has one row of each group of four.
MatrixElement mfmaDoubleC(int64_t lane, int64_t i) {
  return {4 * i + lane / 16, lane % 16};
}

// The forms with K of 128 and 64 take 8-bit elements sixteen at a time: first
// those of the lower half of K, then of the upper half.
template <int S> MatrixElement mfmaDeepA(int64_t lane, int64_t i) {
  int64_t groups = 64 / S;
  return {lane % S, 16 * (lane / S) + i % 16 + 16 * groups * (i / 16)};
}
template <int S> MatrixElement mfmaDeepB(int64_t lane, int64_t i) {
  MatrixElement a = mfmaDeepA<S>(lane, i);
  return {a.column, a.row};
}

//===----------------------------------------------------------------------===//
// MFMA of 64 / S blocks of S x S, K of A and B on one lane
//===----------------------------------------------------------------------===//

template <int S> MatrixElement mfmaBlocksA(int64_t lane, int64_t i) {
  return {lane % S, i, lane / S};
}
template <int S> MatrixElement mfmaBlocksB(int64_t lane, int64_t i) {
  return {i, lane % S, lane / S};
}

MatrixElement mfma32BlocksC(int64_t lane, int64_t i) {
  MatrixElement one = mfma32C(lane, i % 16);
  return {one.row, one.column, i / 16};
}
MatrixElement mfma16BlocksC(int64_t lane, int64_t i) {
  return {4 * (lane / 16) + i % 4, lane % 16, i / 4};
}
MatrixElement mfma4BlocksC(int64_t lane, int64_t i) {
  return {i, lane % 4, lane / 4};
}

// f64 of 4x4x4: lane = 16 k + 4 block + i for A, 16 k + 4 block + j for B,
// 16 i + 4 block + j for D.
MatrixElement mfmaDouble4A(int64_t lane, int64_t) {
  return {lane % 4, lane / 16, lane / 4 % 4};
}
MatrixElement mfmaDouble4BC(int64_t lane, int64_t) {
  return {lane / 16, lane % 4, lane / 4 % 4};
}

//===----------------------------------------------------------------------===//
// WMMA. RDNA3: lanes 16..31 replicate lanes 0..15 of A and B, and have the odd
// rows of D. RDNA4: the halves share K by groups of four 16-bit elements or of
// eight 8-bit elements, and have eight rows of D each.
//===----------------------------------------------------------------------===//

MatrixElement wmma3A(int64_t lane, int64_t i) { return {lane % 16, i}; }
MatrixElement wmma3B(int64_t lane, int64_t i) { return {i, lane % 16}; }
MatrixElement wmma3C(int64_t lane, int64_t i) {
  return {2 * i + lane / 16, lane % 16};
}

template <int G> MatrixElement wmma4A(int64_t lane, int64_t i) {
  return {lane % 16, 2 * G * (i / G) + G * (lane / 16) + i % G};
}
template <int G> MatrixElement wmma4B(int64_t lane, int64_t i) {
  MatrixElement a = wmma4A<G>(lane, i);
  return {a.column, a.row};
}
MatrixElement wmma4C(int64_t lane, int64_t i) {
  return {8 * (lane / 16) + i, lane % 16};
}

/// Returns the instruction with one block of S x S x K.
template <int S, int K>
constexpr MmaInstruction mfma(llvm::StringLiteral name, MmaElement a,
                              MmaElement b, MmaElement c) {
  constexpr int perLane = K * S / 64;
  return {name,
          S,
          S,
          K,
          a,
          b,
          c,
          64,
          mfmaA<S, perLane>,
          mfmaB<S, perLane>,
          S == 16 ? mfma16C : mfma32C};
}

/// Returns the same instruction with K numbered in groups of sixteen.
template <int S, int K>
constexpr MmaInstruction deep(llvm::StringLiteral name, MmaElement a,
                              MmaElement b) {
  MmaInstruction one = mfma<S, K>(name, a, b, f32);
  one.a = mfmaDeepA<S>;
  one.b = mfmaDeepB<S>;
  return one;
}

/// Returns the instruction with 64 / S blocks of S x S x k.
template <int S>
constexpr MmaInstruction blocks(llvm::StringLiteral name, int64_t k,
                                MmaElement input, MmaElement c) {
  return {name,
          S,
          S,
          k,
          input,
          input,
          c,
          64,
          mfmaBlocksA<S>,
          mfmaBlocksB<S>,
          S == 32   ? mfma32BlocksC
          : S == 16 ? mfma16BlocksC
                    : mfma4BlocksC,
          64 / S};
}

constexpr MmaInstruction wmma3(llvm::StringLiteral name, MmaElement a,
                               MmaElement b, MmaElement c) {
  return {name, 16, 16, 16, a, b, c, 32, wmma3A, wmma3B, wmma3C, 1, 2};
}

template <int G>
constexpr MmaInstruction wmma4(llvm::StringLiteral name, MmaElement a,
                               MmaElement b, MmaElement c) {
  return {name, 16, 16, 16, a, b, c, 32, wmma4A<G>, wmma4B<G>, wmma4C};
}

constexpr MmaInstruction amdRows[] = {
    mfma<32, 2>("MFMA_F32_32x32x2_F32", f32, f32, f32),
    mfma<16, 4>("MFMA_F32_16x16x4_F32", f32, f32, f32),
    mfma<32, 4>("MFMA_F32_32x32x4_XF32", xf32, xf32, f32),
    mfma<16, 8>("MFMA_F32_16x16x8_XF32", xf32, xf32, f32),
    mfma<32, 8>("MFMA_F32_32x32x8_F16", f16, f16, f32),
    mfma<16, 16>("MFMA_F32_16x16x16_F16", f16, f16, f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F16", f16, f16, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F16", f16, f16, f32),
    mfma<32, 4>("MFMA_F32_32x32x4_BF16", bf16, bf16, f32),
    mfma<16, 8>("MFMA_F32_16x16x8_BF16", bf16, bf16, f32),
    mfma<32, 8>("MFMA_F32_32x32x8_BF16", bf16, bf16, f32),
    mfma<16, 16>("MFMA_F32_16x16x16_BF16", bf16, bf16, f32),
    mfma<32, 16>("MFMA_F32_32x32x16_BF16", bf16, bf16, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_BF16", bf16, bf16, f32),
    mfma<32, 8>("MFMA_I32_32x32x8_I8", s8, s8, i32),
    mfma<16, 16>("MFMA_I32_16x16x16_I8", s8, s8, i32),
    mfma<32, 16>("MFMA_I32_32x32x16_I8", s8, s8, i32),
    mfma<16, 32>("MFMA_I32_16x16x32_I8", s8, s8, i32),
    mfma<32, 32>("MFMA_I32_32x32x32_I8", s8, s8, i32),
    mfma<16, 64>("MFMA_I32_16x16x64_I8", s8, s8, i32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E4M3FNUZ", e4m3fnuz, e4m3fnuz, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E4M3FNUZ", e4m3fnuz, e4m3fnuz, f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E5M2FNUZ", e5m2fnuz, e5m2fnuz, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E5M2FNUZ", e5m2fnuz, e5m2fnuz, f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ", e4m3fnuz, e5m2fnuz,
                 f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ", e4m3fnuz, e5m2fnuz,
                 f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ", e5m2fnuz, e4m3fnuz,
                 f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ", e5m2fnuz, e4m3fnuz,
                 f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E4M3FN", e4m3, e4m3, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E4M3FN", e4m3, e4m3, f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E5M2", e5m2, e5m2, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E5M2", e5m2, e5m2, f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E4M3FN_F8E5M2", e4m3, e5m2, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E4M3FN_F8E5M2", e4m3, e5m2, f32),
    mfma<32, 16>("MFMA_F32_32x32x16_F8E5M2_F8E4M3FN", e5m2, e4m3, f32),
    mfma<16, 32>("MFMA_F32_16x16x32_F8E5M2_F8E4M3FN", e5m2, e4m3, f32),
    deep<32, 64>("MFMA_F32_32x32x64_F8E4M3FN", e4m3, e4m3),
    deep<16, 128>("MFMA_F32_16x16x128_F8E4M3FN", e4m3, e4m3),
    deep<32, 64>("MFMA_F32_32x32x64_F8E5M2", e5m2, e5m2),
    deep<16, 128>("MFMA_F32_16x16x128_F8E5M2", e5m2, e5m2),
    deep<32, 64>("MFMA_F32_32x32x64_F8E4M3FN_F8E5M2", e4m3, e5m2),
    deep<16, 128>("MFMA_F32_16x16x128_F8E4M3FN_F8E5M2", e4m3, e5m2),
    deep<32, 64>("MFMA_F32_32x32x64_F8E5M2_F8E4M3FN", e5m2, e4m3),
    deep<16, 128>("MFMA_F32_16x16x128_F8E5M2_F8E4M3FN", e5m2, e4m3),
    blocks<32>("MFMA_F32_32x32x1_2B_F32", 1, f32, f32),
    blocks<32>("MFMA_F32_32x32x4_2B_F16", 4, f16, f32),
    blocks<32>("MFMA_F32_32x32x2_2B_BF16", 2, bf16, f32),
    blocks<32>("MFMA_F32_32x32x4_2B_BF16", 4, bf16, f32),
    blocks<32>("MFMA_I32_32x32x4_2B_I8", 4, s8, i32),
    blocks<16>("MFMA_F32_16x16x1_4B_F32", 1, f32, f32),
    blocks<16>("MFMA_F32_16x16x4_4B_F16", 4, f16, f32),
    blocks<16>("MFMA_F32_16x16x2_4B_BF16", 2, bf16, f32),
    blocks<16>("MFMA_F32_16x16x4_4B_BF16", 4, bf16, f32),
    blocks<16>("MFMA_I32_16x16x4_4B_I8", 4, s8, i32),
    blocks<4>("MFMA_F32_4x4x1_16B_F32", 1, f32, f32),
    blocks<4>("MFMA_F32_4x4x4_16B_F16", 4, f16, f32),
    blocks<4>("MFMA_F32_4x4x2_16B_BF16", 2, bf16, f32),
    blocks<4>("MFMA_F32_4x4x4_16B_BF16", 4, bf16, f32),
    blocks<4>("MFMA_I32_4x4x4_16B_I8", 4, s8, i32),
    {"MFMA_F64_16x16x4_F64", 16, 16, 4, f64, f64, f64, 64, mfmaA<16, 1>,
     mfmaB<16, 1>, mfmaDoubleC},
    {"MFMA_F64_4x4x4_4B_F64", 4, 4, 4, f64, f64, f64, 64, mfmaDouble4A,
     mfmaDouble4BC, mfmaDouble4BC, 4},
    wmma3("WMMAR3_F32_16x16x16_F16", f16, f16, f32),
    wmma3("WMMAR3_F16_16x16x16_F16", f16, f16, f16),
    wmma3("WMMAR3_F32_16x16x16_BF16", bf16, bf16, f32),
    wmma3("WMMAR3_BF16_16x16x16_BF16", bf16, bf16, bf16),
    wmma4<4>("WMMAR4_F32_16x16x16_F16", f16, f16, f32),
    wmma4<4>("WMMAR4_F16_16x16x16_F16", f16, f16, f16),
    wmma4<4>("WMMAR4_F32_16x16x16_BF16", bf16, bf16, f32),
    wmma4<4>("WMMAR4_BF16_16x16x16_BF16", bf16, bf16, bf16),
    wmma3("WMMAR3_I32_16x16x16_I8", s8, s8, i32),
    wmma3("WMMAR3_I32_16x16x16_U8", u8, u8, i32),
    wmma3("WMMAR3_I32_16x16x16_I8_U8", s8, u8, i32),
    wmma3("WMMAR3_I32_16x16x16_U8_I8", u8, s8, i32),
    wmma4<8>("WMMAR4_I32_16x16x16_I8", s8, s8, i32),
    wmma4<8>("WMMAR4_I32_16x16x16_U8", u8, u8, i32),
    wmma4<8>("WMMAR4_I32_16x16x16_I8_U8", s8, u8, i32),
    wmma4<8>("WMMAR4_I32_16x16x16_U8_I8", u8, s8, i32),
    wmma4<8>("WMMAR4_F32_16x16x16_F8E4M3FN", e4m3, e4m3, f32),
    wmma4<8>("WMMAR4_F32_16x16x16_F8E5M2", e5m2, e5m2, f32),
    wmma4<8>("WMMAR4_F32_16x16x16_F8E4M3FN_F8E5M2", e4m3, e5m2, f32),
    wmma4<8>("WMMAR4_F32_16x16x16_F8E5M2_F8E4M3FN", e5m2, e4m3, f32),
};

} // namespace

llvm::ArrayRef<MmaInstruction> distaff::simt::amdInstructions() {
  return amdRows;
}
