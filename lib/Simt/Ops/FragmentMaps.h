//===- FragmentMaps.h - Fragment layouts of MMA instructions ----*- C++ -*-===//
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
//   (operand, lane, register) -> (row, column, block)
//
// of one instruction, in closed form as in its manual; instructions that
// multiply several blocks have a row and a column in each. Example, operand A
// of NVIDIA's m16n8k16 on f16: lane 5 is group 1, thread 1 of the group; its
// register 4 holds row 1, column 2 * 1 + 0 + 8 = 10.
//
// The machine is the oracle for the compiler's output, so it shares no table
// with it: the formulas come from the ISA manuals alone (FragmentMapsNvidia.cpp
// and FragmentMapsAmd.cpp name them), and a unit test compares them with
// Target's rows.
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

/// The operands of D = A * B + C; C and D have the same layout.
enum class MmaOperand : uint8_t { A, B, C };

struct MatrixElement {
  int64_t row = 0, column = 0, block = 0;
  bool operator==(const MatrixElement &) const = default;
};

/// The element type that an instruction reads an operand as.
struct MmaElement {
  bool isFloat;
  FloatFormat format; // of floats; TF32 in 32-bit elements
  unsigned width;     // of the elements in registers
  bool isSigned = true;
  bool operator==(const MmaElement &) const = default;

  /// Returns whether the instruction drops bits of the elements.
  bool isRounded() const {
    return isFloat && unsigned(traitsOf(format).width) != width;
  }
};

/// A matrix instruction: its shape, element types and fragment layouts.
struct MmaInstruction {
  using Map = MatrixElement (*)(int64_t lane, int64_t reg);

  llvm::StringRef name;             // "NV_MMA_SYNC_F32_16x8x16_F16"
  int64_t m, n, k;                  // A is m x k, B is k x n, C is m x n
  MmaElement lhs, rhs, accumulator; // of A, B and C
  int64_t subgroupSize;
  Map a, b, c;
  int64_t blocks = 1; // number of blocks
  /// Lanes that hold the same elements of A and B.
  int64_t copies = 1;

  Map map(MmaOperand operand) const;
  /// Returns the rows, columns and blocks of an operand.
  MatrixElement shape(MmaOperand operand) const;
  const MmaElement &element(MmaOperand operand) const;
  /// Returns the registers per lane, one per element.
  int64_t numRegisters(MmaOperand operand) const;
};

const std::vector<MmaInstruction> &mmaInstructions();

/// Returns the slot `register * subgroupSize + lane` of each element of an
/// operand, block by block in row-major order; of replicas the first slot.
std::vector<int32_t> fragmentSlots(const MmaInstruction &instruction,
                                   MmaOperand operand);

/// Returns the instruction with that name, or null.
const MmaInstruction *lookupMmaInstruction(llvm::StringRef name);

// One list per vendor.
llvm::ArrayRef<MmaInstruction> nvidiaInstructions();
llvm::ArrayRef<MmaInstruction> amdInstructions();

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_FRAGMENTMAPS_H
