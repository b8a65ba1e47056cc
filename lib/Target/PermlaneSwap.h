//===- PermlaneSwap.h - Instruction table of v_permlane*_swap ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CDNA4 ISA, V_PERMLANE16_SWAP_B32 and V_PERMLANE32_SWAP_B32: of two registers,
// every second group of 16 (32) lanes of the first changes places with the
// group before it of the second. So the bit that distinguishes the registers
// and bit 4 (5) of the lane swap, which is a permutation of digits:
//
//   operand   reg(2) lane(2, 32) lane(32, 1)     register 0 of lane 33
//   result    lane(2, 32) reg(2) lane(32, 1)     is in register 1 of lane 1
//
// Both in sequence rotate three bits; they have a row of their own, so that a
// conversion may use the sequence. Elements of 16 bits move as pairs.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_PERMLANESWAP_H
#define DISTAFF_LIB_TARGET_PERMLANESWAP_H

#include "distaff/Target/Target.h"

namespace distaff::permlane_swap {

/// The place of an element whose number has the digits `first`, `second`,
/// `third` (of size 2), the lane in its group of 16, and, for pairs, the half.
template <int64_t Parts, const Digit &First, const Digit &Second,
          const Digit &Third>
inline constexpr Digit places[] = {
    First, Second, Third, {Axis::Lane, 16, 1}, {Axis::Register, Parts, 1}};

template <int64_t Parts>
inline constexpr Digit word = {Axis::Register, 2, Parts};
inline constexpr Digit upper = {Axis::Lane, 2, 32}, lower = {Axis::Lane, 2, 16};

template <int64_t Parts> inline constexpr int64_t shape[] = {2, 64, Parts};

/// The digits, without that of the half where there is one element in a word.
template <int64_t Parts, const Digit &First, const Digit &Second,
          const Digit &Third>
inline constexpr llvm::ArrayRef<Digit>
    digits(places<Parts, First, Second, Third>, Parts == 1 ? 4 : 5);

template <int64_t Parts>
inline constexpr llvm::ArrayRef<Digit> operands[] = {
    digits<Parts, word<Parts>, upper, lower>};

template <int64_t Parts>
constexpr TargetOp row(llvm::StringLiteral name, ScalarKind kind,
                       llvm::ArrayRef<Digit> result, int64_t instructions,
                       TargetOpEmitter emitter) {
  return {.name = name,
          .operation = "iree_vector_ext.to_layout",
          .operand = kind,
          .result = kind,
          .shape = llvm::ArrayRef(shape<Parts>, Parts == 1 ? 2 : 3),
          .operandPlaces = operands<Parts>,
          .resultPlaces = result,
          .subgroupSize = 64,
          .issueCost = 2 * instructions, // a move of each of the registers
          .emitter = emitter};
}

template <int64_t Parts>
constexpr TargetOp swap16(llvm::StringLiteral name, ScalarKind kind) {
  return row<Parts>(name, kind, digits<Parts, lower, upper, word<Parts>>, 1,
                    TargetOpEmitter::RocdlSwap16);
}
template <int64_t Parts>
constexpr TargetOp swap32(llvm::StringLiteral name, ScalarKind kind) {
  return row<Parts>(name, kind, digits<Parts, upper, word<Parts>, lower>, 1,
                    TargetOpEmitter::RocdlSwap32);
}
template <int64_t Parts>
constexpr TargetOp swap32Then16(llvm::StringLiteral name, ScalarKind kind) {
  return row<Parts>(name, kind, digits<Parts, upper, lower, word<Parts>>, 2,
                    TargetOpEmitter::RocdlSwap32Then16);
}
template <int64_t Parts>
constexpr TargetOp swap16Then32(llvm::StringLiteral name, ScalarKind kind) {
  return row<Parts>(name, kind, digits<Parts, lower, word<Parts>, upper>, 2,
                    TargetOpEmitter::RocdlSwap16Then32);
}

inline constexpr TargetOp ops[] = {
    swap16<1>("ROCDL_PERMLANE16_SWAP_F32", ScalarKind::F32),
    swap32<1>("ROCDL_PERMLANE32_SWAP_F32", ScalarKind::F32),
    swap32Then16<1>("ROCDL_PERMLANE32_16_SWAP_F32", ScalarKind::F32),
    swap16Then32<1>("ROCDL_PERMLANE16_32_SWAP_F32", ScalarKind::F32),
    swap16<1>("ROCDL_PERMLANE16_SWAP_I32", ScalarKind::I32),
    swap32<1>("ROCDL_PERMLANE32_SWAP_I32", ScalarKind::I32),
    swap32Then16<1>("ROCDL_PERMLANE32_16_SWAP_I32", ScalarKind::I32),
    swap16Then32<1>("ROCDL_PERMLANE16_32_SWAP_I32", ScalarKind::I32),
    swap16<2>("ROCDL_PERMLANE16_SWAP_F16", ScalarKind::F16),
    swap32<2>("ROCDL_PERMLANE32_SWAP_F16", ScalarKind::F16),
    swap32Then16<2>("ROCDL_PERMLANE32_16_SWAP_F16", ScalarKind::F16),
    swap16Then32<2>("ROCDL_PERMLANE16_32_SWAP_F16", ScalarKind::F16),
    swap16<2>("ROCDL_PERMLANE16_SWAP_BF16", ScalarKind::BF16),
    swap32<2>("ROCDL_PERMLANE32_SWAP_BF16", ScalarKind::BF16),
    swap32Then16<2>("ROCDL_PERMLANE32_16_SWAP_BF16", ScalarKind::BF16),
    swap16Then32<2>("ROCDL_PERMLANE16_32_SWAP_BF16", ScalarKind::BF16),
};

} // namespace distaff::permlane_swap

#endif // DISTAFF_LIB_TARGET_PERMLANESWAP_H
