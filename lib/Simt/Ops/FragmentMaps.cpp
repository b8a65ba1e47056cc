//===- FragmentMaps.cpp - Which lane holds what in an MMA -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas, one function per operand shape, then the table that names them.
//
//===----------------------------------------------------------------------===//
#include "FragmentMaps.h"

using namespace distaff::simt;

namespace {

//===----------------------------------------------------------------------===//
// NVIDIA mma.sync, 32 lanes. In the manual's words, groupID = laneid >> 2 and
// threadID_in_group = laneid % 4; `i` is the index of the element within the
// lane's fragment.
//===----------------------------------------------------------------------===//

int64_t groupOf(int64_t lane) { return lane >> 2; }
int64_t threadInGroup(int64_t lane) { return lane % 4; }

// a0..a7: rows alternate every two elements, columns 8..15 start at a4.
MatrixElement mmaSyncK16A(int64_t lane, int64_t i) {
  bool upperRows = i < 2 || (i >= 4 && i < 6);
  return {upperRows ? groupOf(lane) : groupOf(lane) + 8,
          threadInGroup(lane) * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}

MatrixElement mmaSyncK16B(int64_t lane, int64_t i) {
  return {threadInGroup(lane) * 2 + (i & 1) + (i >= 2 ? 8 : 0), groupOf(lane)};
}

MatrixElement mmaSyncK8A(int64_t lane, int64_t i) {
  return {i < 2 ? groupOf(lane) : groupOf(lane) + 8,
          threadInGroup(lane) * 2 + (i & 1)};
}

MatrixElement mmaSyncK8B(int64_t lane, int64_t i) {
  return {threadInGroup(lane) * 2 + i, groupOf(lane)};
}

// Accumulators of both shapes, f32 or f16.
MatrixElement mmaSyncC(int64_t lane, int64_t i) {
  return {i < 2 ? groupOf(lane) : groupOf(lane) + 8,
          threadInGroup(lane) * 2 + (i & 1)};
}

//===----------------------------------------------------------------------===//
// AMD MFMA with one block, 64 lanes. Lanes run along M (A) or N (B, C); each
// group of lanes takes the next four values of K. `i` is the element's index.
//===----------------------------------------------------------------------===//

MatrixElement mfma16A(int64_t lane, int64_t i) {
  return {lane % 16, 4 * (lane / 16) + i};
}
MatrixElement mfma16B(int64_t lane, int64_t i) {
  return {4 * (lane / 16) + i, lane % 16};
}
MatrixElement mfma16C(int64_t lane, int64_t i) {
  return {4 * (lane / 16) + i, lane % 16};
}

MatrixElement mfma32A(int64_t lane, int64_t i) {
  return {lane % 32, 4 * (lane / 32) + i};
}
MatrixElement mfma32B(int64_t lane, int64_t i) {
  return {4 * (lane / 32) + i, lane % 32};
}
// Rows come in quartets; lanes 32..63 hold every second one.
MatrixElement mfma32C(int64_t lane, int64_t i) {
  return {8 * (i / 4) + 4 * (lane / 32) + i % 4, lane % 32};
}

constexpr FloatFormat f16 = FloatFormat::F16;
constexpr FloatFormat bf16 = FloatFormat::BF16;
constexpr FloatFormat f32 = FloatFormat::F32;

constexpr MmaInstruction instructions[] = {
    {"NV_MMA_SYNC_F32_16x8x16_F16", 16, 8, 16, f16, f32, 32, mmaSyncK16A,
     mmaSyncK16B, mmaSyncC},
    {"NV_MMA_SYNC_F16_16x8x16_F16", 16, 8, 16, f16, f16, 32, mmaSyncK16A,
     mmaSyncK16B, mmaSyncC},
    {"NV_MMA_SYNC_F32_16x8x16_BF16", 16, 8, 16, bf16, f32, 32, mmaSyncK16A,
     mmaSyncK16B, mmaSyncC},
    {"NV_MMA_SYNC_F32_16x8x8_F16", 16, 8, 8, f16, f32, 32, mmaSyncK8A,
     mmaSyncK8B, mmaSyncC},
    {"NV_MMA_SYNC_F16_16x8x8_F16", 16, 8, 8, f16, f16, 32, mmaSyncK8A,
     mmaSyncK8B, mmaSyncC},
    {"NV_MMA_SYNC_F32_16x8x8_BF16", 16, 8, 8, bf16, f32, 32, mmaSyncK8A,
     mmaSyncK8B, mmaSyncC},
    {"MFMA_F32_16x16x16_F16", 16, 16, 16, f16, f32, 64, mfma16A, mfma16B,
     mfma16C},
    {"MFMA_F32_16x16x16_BF16", 16, 16, 16, bf16, f32, 64, mfma16A, mfma16B,
     mfma16C},
    {"MFMA_F32_32x32x8_F16", 32, 32, 8, f16, f32, 64, mfma32A, mfma32B,
     mfma32C},
    {"MFMA_F32_32x32x8_BF16", 32, 32, 8, bf16, f32, 64, mfma32A, mfma32B,
     mfma32C},
};

} // namespace

MmaInstruction::Map MmaInstruction::map(MmaOperand operand) const {
  switch (operand) {
  case MmaOperand::A:
    return a;
  case MmaOperand::B:
    return b;
  case MmaOperand::C:
    return c;
  }
  return nullptr;
}

MatrixElement MmaInstruction::shape(MmaOperand operand) const {
  switch (operand) {
  case MmaOperand::A:
    return {m, k};
  case MmaOperand::B:
    return {k, n};
  case MmaOperand::C:
    return {m, n};
  }
  return {};
}

int64_t MmaInstruction::numRegisters(MmaOperand operand) const {
  MatrixElement extent = shape(operand);
  return extent.row * extent.column / subgroupSize;
}

std::vector<int32_t>
distaff::simt::fragmentSlots(const MmaInstruction &instruction,
                             MmaOperand operand) {
  MatrixElement extent = instruction.shape(operand);
  std::vector<int32_t> slots(extent.row * extent.column);
  for (int64_t reg = 0; reg < instruction.numRegisters(operand); ++reg)
    for (int64_t lane = 0; lane < instruction.subgroupSize; ++lane) {
      MatrixElement at = instruction.map(operand)(lane, reg);
      slots[at.row * extent.column + at.column] =
          int32_t(reg * instruction.subgroupSize + lane);
    }
  return slots;
}

llvm::ArrayRef<MmaInstruction> distaff::simt::mmaInstructions() {
  return instructions;
}

const MmaInstruction *
distaff::simt::lookupMmaInstruction(llvm::StringRef name) {
  for (const MmaInstruction &instruction : instructions)
    if (instruction.name == name)
      return &instruction;
  return nullptr;
}
