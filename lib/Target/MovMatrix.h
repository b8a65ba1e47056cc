//===- MovMatrix.h - Matrix transposes across a subgroup --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 8.5, "Warp-level matrix transpose instruction: movmatrix", since PTX
// ISA 7.8, for which targets of older code would need newer drivers. Lane l
// holds elements 2 (l mod 4) and the next one of row l / 4 of a matrix of 8 x 8
// elements of 16 bits, and gets the same of the transposed matrix: the element
// of row 4 a + 2 b + c and column d moves to where that of row d is. No manual
// has its throughput: it counts as two shuffles, which move as many words.
//
// It performs layout conversions: it exchanges the elements of a row of lanes
// with those of a register. It saves the conversion that follows a
// vector.transpose.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_MOVMATRIX_H
#define DISTAFF_LIB_TARGET_MOVMATRIX_H

#include "distaff/Target/Target.h"

namespace distaff::movmatrix {

inline constexpr int64_t shape[] = {8, 8};
inline constexpr Digit rows[] = {
    {Axis::Lane, 8, 4}, {Axis::Lane, 4, 1}, {Axis::Register, 2, 1}};
inline constexpr Digit columns[] = {
    {Axis::Lane, 4, 1}, {Axis::Register, 2, 1}, {Axis::Lane, 8, 4}};
inline constexpr llvm::ArrayRef<Digit> operands[] = {rows};

constexpr TargetOp row(llvm::StringLiteral name, ScalarKind kind) {
  return {.name = name,
          .operation = "iree_vector_ext.to_layout",
          .operand = kind,
          .result = kind,
          .shape = shape,
          .operandPlaces = operands,
          .resultPlaces = columns,
          .subgroupSize = 32,
          .issueCost = 2 * MoveCosts().shuffle,
          .emitter = TargetOpEmitter::PtxMovMatrix};
}

inline constexpr TargetOp ops[] = {
    row("PTX_MOVMATRIX_TRANS_F16", ScalarKind::F16),
    row("PTX_MOVMATRIX_TRANS_BF16", ScalarKind::BF16),
};

} // namespace distaff::movmatrix

#endif // DISTAFF_LIB_TARGET_MOVMATRIX_H
