//===- BufferOffsets.h - Offsets of elements in a buffer --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the map of MemoryLayout as IR. The contributions of subgroup, lane and
// register to an offset are independent (SharedMemory.cpp), so a lane has one
// base, and a register adds a constant to it; under an XOR swizzle the part of
// the constant that shares bits with the base is XORed instead:
//
//   rows of 64 + 8 f16      lane * 8 + 72 * 4
//   swizzle of 3 bits at 3  (base ^ 0b101000) + 2048
//
// The base is a sum of whole digits times their strides, never a remainder as a
// difference: so analyses see that each summand is a multiple of the access's
// alignment, and the access is not split.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BUFFEROFFSETS_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BUFFEROFFSETS_H

#include "../Distributor.h"
#include "distaff/Layout/MemoryLayout.h"

namespace distaff {

class BufferOffsets {
public:
  /// Emits the lane's base where the ids are defined.
  BufferOffsets(const MemoryLayout &memory, const Placement &placement,
                Distributor &out);

  /// Returns the offset of the element in register `reg`, in elements.
  Value of(OpBuilder &b, Location loc, int64_t reg) const;

private:
  void addDigits(Axis axis);
  void addTerm(Value digit, const DigitTerm &term);
  void swizzleBase();

  const MemoryLayout &memory;
  const Placement &placement;
  Distributor &out;
  Value base;
  /// The bits of the base that depend on subgroup or lane.
  int64_t baseBits = 0;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_BUFFEROFFSETS_H
