//===- MmaReading.h - What an MMA takes its operands for --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_MMAREADING_H
#define DISTAFF_LIB_SIMT_OPS_MMAREADING_H

#include "../Values/Domain.h"
#include "FragmentMaps.h"

namespace distaff::simt {

/// How an operand's cells become numbers that the instruction multiplies.
struct Reading {
  Kind kind;     // of those
  Unary convert; // null if the cells are

  /// The cells as such numbers, in `scratch` if they are not.
  const void *read(const Domain &domain, const void *cells, int64_t count,
                   std::vector<uint8_t> &scratch) const {
    if (!convert)
      return cells;
    scratch.resize(count * domain.cellBytes(kind));
    convert(count, cells, scratch.data());
    return scratch.data();
  }
};

/// What becomes of bits that the instruction does not have.
enum class LowBits : uint8_t {
  Rounded, ///< by whoever lowers an op of no vendor, before the instruction
  Ignored  ///< by NVIDIA's instruction itself
};

/// Nothing where the domain has no such numbers.
std::optional<Reading> readingOf(const MmaElement &element, Kind kind,
                                 const Domain &domain,
                                 LowBits lowBits = LowBits::Rounded);

/// Where the lanes hold copies: pairs of a cell of a fragment and the first
/// with the same element.
using Copies = std::vector<std::pair<int64_t, int64_t>>;

Copies copiesOf(const MmaInstruction &mma, MmaOperand operand);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MMAREADING_H
