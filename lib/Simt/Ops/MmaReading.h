//===- MmaReading.h - Conversion of the operands of an MMA ------*- C++ -*-===//
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

/// The conversion of an operand's cells to numbers that the instruction
/// multiplies.
struct Reading {
  Kind kind;     // of the converted numbers
  Unary convert; // null for the identity

  /// Returns the converted cells, in `scratch` if there is a conversion.
  const void *read(const Domain &domain, const void *cells, int64_t count,
                   std::vector<uint8_t> &scratch) const {
    if (!convert)
      return cells;
    scratch.resize(count * domain.cellBytes(kind));
    convert(count, cells, scratch.data());
    return scratch.data();
  }
};

/// The treatment of bits that the instruction ignores.
enum class LowBits : uint8_t {
  Rounded, ///< by the lowering of a vendor-neutral op
  Ignored  ///< by NVIDIA's instruction itself
};

/// Returns nothing if the domain has no such numbers.
std::optional<Reading> readingOf(const MmaElement &element, Kind kind,
                                 const Domain &domain,
                                 LowBits lowBits = LowBits::Rounded);

/// Replicas in lanes: pairs of a cell of a fragment and the first cell with the
/// same element.
using Copies = std::vector<std::pair<int64_t, int64_t>>;

Copies copiesOf(const MmaInstruction &mma, MmaOperand operand);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MMAREADING_H
