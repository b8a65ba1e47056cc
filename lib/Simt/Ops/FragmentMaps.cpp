//===- FragmentMaps.cpp - Fragment layouts of MMA instructions ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has the code that the vendors' lists share.
//
//===----------------------------------------------------------------------===//
#include "FragmentMaps.h"
#include "llvm/ADT/STLExtras.h"

using namespace distaff::simt;

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
    return {m, k, blocks};
  case MmaOperand::B:
    return {k, n, blocks};
  case MmaOperand::C:
    return {m, n, blocks};
  }
  return {};
}

const MmaElement &MmaInstruction::element(MmaOperand operand) const {
  if (operand == MmaOperand::C)
    return accumulator;
  return operand == MmaOperand::A ? lhs : rhs;
}

int64_t MmaInstruction::numRegisters(MmaOperand operand) const {
  MatrixElement extent = shape(operand);
  int64_t held = operand == MmaOperand::C ? 1 : copies;
  return extent.block * extent.row * extent.column * held / subgroupSize;
}

std::vector<int32_t>
distaff::simt::fragmentSlots(const MmaInstruction &instruction,
                             MmaOperand operand) {
  MatrixElement extent = instruction.shape(operand);
  std::vector<int32_t> slots(extent.block * extent.row * extent.column, -1);
  for (int64_t reg = 0; reg < instruction.numRegisters(operand); ++reg)
    for (int64_t lane = 0; lane < instruction.subgroupSize; ++lane) {
      MatrixElement at = instruction.map(operand)(lane, reg);
      int32_t &slot =
          slots[(at.block * extent.row + at.row) * extent.column + at.column];
      if (slot < 0)
        slot = int32_t(reg * instruction.subgroupSize + lane);
    }
  return slots;
}

const std::vector<MmaInstruction> &distaff::simt::mmaInstructions() {
  static const std::vector<MmaInstruction> all = [] {
    std::vector<MmaInstruction> list = nvidiaInstructions().vec();
    llvm::append_range(list, amdInstructions());
    return list;
  }();
  return all;
}

const MmaInstruction *
distaff::simt::lookupMmaInstruction(llvm::StringRef name) {
  for (const MmaInstruction &instruction : mmaInstructions())
    if (instruction.name == name)
      return &instruction;
  return nullptr;
}
