//===- FragmentMaps.h - Which lane holds what in an MMA ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix instruction D = A * B + C is executed by a whole subgroup; every
// lane holds a fragment of each operand in consecutive registers. A fragment
// map is the function
//
//   (operand, lane, register) -> (row, column)
//
// of one instruction, in closed form as its manual prints it. Example, operand
// A of NVIDIA's m16n8k16 on f16: lane 5 is group 1, thread 1 of the group;
// its register 4 holds row 1, column 2 * 1 + 0 + 8 = 10.
//
// The machine judges what the compiler produces, so it shares no table with it:
// the formulas below come from the ISA manuals alone (PTX ISA, "Matrix
// Fragments for mma.m16n8k8" and "mma.m16n8k16"; AMD "CDNA3 ISA", matrix
// arithmetic instructions), and a unit test compares them with Target's rows.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_FRAGMENTMAPS_H
#define DISTAFF_LIB_SIMT_OPS_FRAGMENTMAPS_H

#include "../Values/FloatFormat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace distaff::simt {

/// Operands of D = A * B + C; C and D are laid out alike.
enum class MmaOperand : uint8_t { A, B, C };

struct MatrixElement {
  int64_t row = 0, column = 0;
  bool operator==(const MatrixElement &) const = default;
};

/// One matrix instruction: what it multiplies and where its operands lie.
struct MmaInstruction {
  using Map = MatrixElement (*)(int64_t lane, int64_t reg);

  llvm::StringRef name; // "NV_MMA_SYNC_F32_16x8x16_F16"
  int64_t m, n, k;      // A is m x k, B is k x n, C is m x n
  FloatFormat input, accumulator;
  int64_t subgroupSize;
  Map a, b, c;

  Map map(MmaOperand operand) const;
  /// Rows and columns of an operand.
  MatrixElement shape(MmaOperand operand) const;
  /// Registers per lane: no instruction here replicates an element.
  int64_t numRegisters(MmaOperand operand) const;
};

llvm::ArrayRef<MmaInstruction> mmaInstructions();

/// Where each element of an operand lies, in row-major order, as the slot
/// `register * subgroupSize + lane`.
std::vector<int32_t> fragmentSlots(const MmaInstruction &instruction,
                                   MmaOperand operand);

/// Returns null for a name this machine does not know.
const MmaInstruction *lookupMmaInstruction(llvm::StringRef name);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_FRAGMENTMAPS_H
