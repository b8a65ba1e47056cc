//===- LanePermutations.h - Permutations of lanes within a row --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_PERMLANE16_B32 ("RDNA3 ISA" and "RDNA4 ISA") lets each lane of a row of 16
// read one register of any other lane of the row; four bits per lane select it.
// Within four lanes, DPP QUAD_PERM (also in "CDNA3 ISA") permutes an operand as
// it is read. Conversions need such permutations to exchange digits of the
// lane, which transposes matrices of lanes: of `rows` x `columns` groups of
// `unit` lanes, the group at (r, c) moves to the place of group c * rows + r.
//
//   2 x 4 of one lane      before  lane(2, 4) lane(4, 1)
//                          after   lane(2, 1) lane(4, 2)    lane 5 -> lane 3
//
// The other permutation of a pair is the matrix of the other shape. Elements of
// 16 bits move as pairs. V_PERMLANE64_B32 swaps the halves of 64 lanes; the
// RDNA targets here run with 32 lanes and do not need it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_LANEPERMUTATIONS_H
#define DISTAFF_LIB_TARGET_LANEPERMUTATIONS_H

#include "distaff/Target/Target.h"

namespace distaff::lane_permutations {

/// Describes matrices of lanes, side by side in a subgroup of `lanes`; a lane
/// has `parts` elements in a word.
struct Transposition {
  int64_t lanes, rows, columns, unit, parts;
};

/// Digits without those of size 1.
struct Digits {
  Digit list[5] = {};
  size_t count = 0;

  constexpr void add(Axis axis, int64_t size, int64_t stride) {
    if (size > 1)
      list[count++] = {axis, size, stride};
  }
};

template <Transposition T, bool IsBehind> constexpr Digits makeDigits() {
  int64_t matrix = T.rows * T.columns * T.unit;
  Digits digits;
  digits.add(Axis::Lane, T.lanes / matrix, matrix);
  digits.add(Axis::Lane, T.rows, IsBehind ? T.unit : T.columns * T.unit);
  digits.add(Axis::Lane, T.columns, IsBehind ? T.rows * T.unit : T.unit);
  digits.add(Axis::Lane, T.unit, 1);
  digits.add(Axis::Register, T.parts, 1);
  return digits;
}

template <Transposition T>
inline constexpr Digits before = makeDigits<T, false>();
template <Transposition T>
inline constexpr Digits behind = makeDigits<T, true>();
template <Transposition T>
inline constexpr llvm::ArrayRef<Digit> operands[] = {
    llvm::ArrayRef(before<T>.list, before<T>.count)};
template <Transposition T>
inline constexpr int64_t shape[] = {T.lanes, T.parts};

template <Transposition T>
constexpr TargetOp row(llvm::StringLiteral name, ScalarKind kind,
                       TargetOpEmitter emitter, int64_t cost) {
  return {.name = name,
          .operation = "iree_vector_ext.to_layout",
          .operand = kind,
          .result = kind,
          .shape = llvm::ArrayRef(shape<T>, T.parts == 1 ? 1 : 2),
          .operandPlaces = operands<T>,
          .resultPlaces = llvm::ArrayRef(behind<T>.list, behind<T>.count),
          .subgroupSize = T.lanes,
          .issueCost = cost,
          .emitter = emitter};
}

/// Returns the row of an operation of RDNA; its scalar registers select the
/// lanes.
template <int64_t Rows, int64_t Columns, int64_t Unit, int64_t Parts>
constexpr TargetOp permlane16(llvm::StringLiteral name, ScalarKind kind) {
  return row<Transposition{32, Rows, Columns, Unit, Parts}>(
      name, kind, TargetOpEmitter::RocdlPermlane16, 2);
}
/// Returns the row of one operation; on CDNA it takes four cycles.
template <int64_t Lanes, int64_t Parts>
constexpr TargetOp quad(llvm::StringLiteral name, ScalarKind kind) {
  return row<Transposition{Lanes, 2, 2, 1, Parts}>(
      name, kind, TargetOpEmitter::RocdlQuadPerm, Lanes == 32 ? 1 : 4);
}

inline constexpr TargetOp wave64[] = {
    quad<64, 1>("ROCDL_QUAD_PERM_W64_2X2_F32", ScalarKind::F32),
    quad<64, 1>("ROCDL_QUAD_PERM_W64_2X2_I32", ScalarKind::I32),
    quad<64, 2>("ROCDL_QUAD_PERM_W64_2X2_F16", ScalarKind::F16),
    quad<64, 2>("ROCDL_QUAD_PERM_W64_2X2_BF16", ScalarKind::BF16),
};

inline constexpr TargetOp wave32[] = {
    quad<32, 1>("ROCDL_QUAD_PERM_W32_2X2_F32", ScalarKind::F32),
    quad<32, 1>("ROCDL_QUAD_PERM_W32_2X2_I32", ScalarKind::I32),
    quad<32, 2>("ROCDL_QUAD_PERM_W32_2X2_F16", ScalarKind::F16),
    quad<32, 2>("ROCDL_QUAD_PERM_W32_2X2_BF16", ScalarKind::BF16),
    permlane16<2, 2, 2, 1>("ROCDL_PERMLANE16_2X2X2_F32", ScalarKind::F32),
    permlane16<2, 2, 2, 1>("ROCDL_PERMLANE16_2X2X2_I32", ScalarKind::I32),
    permlane16<2, 2, 2, 2>("ROCDL_PERMLANE16_2X2X2_F16", ScalarKind::F16),
    permlane16<2, 2, 2, 2>("ROCDL_PERMLANE16_2X2X2_BF16", ScalarKind::BF16),
    permlane16<2, 2, 4, 1>("ROCDL_PERMLANE16_2X2X4_F32", ScalarKind::F32),
    permlane16<2, 2, 4, 1>("ROCDL_PERMLANE16_2X2X4_I32", ScalarKind::I32),
    permlane16<2, 2, 4, 2>("ROCDL_PERMLANE16_2X2X4_F16", ScalarKind::F16),
    permlane16<2, 2, 4, 2>("ROCDL_PERMLANE16_2X2X4_BF16", ScalarKind::BF16),
    permlane16<2, 4, 1, 1>("ROCDL_PERMLANE16_2X4_F32", ScalarKind::F32),
    permlane16<2, 4, 1, 1>("ROCDL_PERMLANE16_2X4_I32", ScalarKind::I32),
    permlane16<2, 4, 1, 2>("ROCDL_PERMLANE16_2X4_F16", ScalarKind::F16),
    permlane16<2, 4, 1, 2>("ROCDL_PERMLANE16_2X4_BF16", ScalarKind::BF16),
    permlane16<4, 2, 1, 1>("ROCDL_PERMLANE16_4X2_F32", ScalarKind::F32),
    permlane16<4, 2, 1, 1>("ROCDL_PERMLANE16_4X2_I32", ScalarKind::I32),
    permlane16<4, 2, 1, 2>("ROCDL_PERMLANE16_4X2_F16", ScalarKind::F16),
    permlane16<4, 2, 1, 2>("ROCDL_PERMLANE16_4X2_BF16", ScalarKind::BF16),
    permlane16<2, 4, 2, 1>("ROCDL_PERMLANE16_2X4X2_F32", ScalarKind::F32),
    permlane16<2, 4, 2, 1>("ROCDL_PERMLANE16_2X4X2_I32", ScalarKind::I32),
    permlane16<2, 4, 2, 2>("ROCDL_PERMLANE16_2X4X2_F16", ScalarKind::F16),
    permlane16<2, 4, 2, 2>("ROCDL_PERMLANE16_2X4X2_BF16", ScalarKind::BF16),
    permlane16<4, 2, 2, 1>("ROCDL_PERMLANE16_4X2X2_F32", ScalarKind::F32),
    permlane16<4, 2, 2, 1>("ROCDL_PERMLANE16_4X2X2_I32", ScalarKind::I32),
    permlane16<4, 2, 2, 2>("ROCDL_PERMLANE16_4X2X2_F16", ScalarKind::F16),
    permlane16<4, 2, 2, 2>("ROCDL_PERMLANE16_4X2X2_BF16", ScalarKind::BF16),
    permlane16<2, 8, 1, 1>("ROCDL_PERMLANE16_2X8_F32", ScalarKind::F32),
    permlane16<2, 8, 1, 1>("ROCDL_PERMLANE16_2X8_I32", ScalarKind::I32),
    permlane16<2, 8, 1, 2>("ROCDL_PERMLANE16_2X8_F16", ScalarKind::F16),
    permlane16<2, 8, 1, 2>("ROCDL_PERMLANE16_2X8_BF16", ScalarKind::BF16),
    permlane16<8, 2, 1, 1>("ROCDL_PERMLANE16_8X2_F32", ScalarKind::F32),
    permlane16<8, 2, 1, 1>("ROCDL_PERMLANE16_8X2_I32", ScalarKind::I32),
    permlane16<8, 2, 1, 2>("ROCDL_PERMLANE16_8X2_F16", ScalarKind::F16),
    permlane16<8, 2, 1, 2>("ROCDL_PERMLANE16_8X2_BF16", ScalarKind::BF16),
    permlane16<4, 4, 1, 1>("ROCDL_PERMLANE16_4X4_F32", ScalarKind::F32),
    permlane16<4, 4, 1, 1>("ROCDL_PERMLANE16_4X4_I32", ScalarKind::I32),
    permlane16<4, 4, 1, 2>("ROCDL_PERMLANE16_4X4_F16", ScalarKind::F16),
    permlane16<4, 4, 1, 2>("ROCDL_PERMLANE16_4X4_BF16", ScalarKind::BF16),
};

} // namespace distaff::lane_permutations

#endif // DISTAFF_LIB_TARGET_LANEPERMUTATIONS_H
