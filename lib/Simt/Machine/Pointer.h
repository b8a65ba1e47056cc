//===- Pointer.h - Pointers with provenance: buffer and byte ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After conversion, programs access memory through pointers: integers that they
// do arithmetic on. An address names a byte, with the buffer in its upper bits:
//
//   bit 63   clear, the address is of no memory (null, or any other number)
//   bit 62   arithmetic that promised to stay in the buffer (inbounds) left it
//   41..61   the number of the buffer
//   0..40    the byte, with 2^40 added, so that it may be negative for a while
//
// So additions stay as they are, and an access is checked against the array
// that its address was computed from, never against its neighbors. All address
// spaces use these numbers, and casts between them change nothing: an access
// checks that the memory is in the address space of its pointer's type.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_POINTER_H
#define DISTAFF_LIB_SIMT_MACHINE_POINTER_H

#include "Agent.h"

namespace distaff::simt {

struct Pointer {
  int64_t buffer = -1; // negative: no memory
  int64_t byte = 0;
  bool hasLeft = false;

  static constexpr int byteBits = 41;
  static constexpr int64_t origin = int64_t(1) << (byteBits - 1);
  static constexpr uint64_t isAddress = uint64_t(1) << 63;
  static constexpr uint64_t leftMark = uint64_t(1) << 62;

  static int64_t encode(int64_t buffer, int64_t byte) {
    assert(buffer >= 0 && buffer < int64_t(1) << (62 - byteBits) &&
           "an address has room for the number of its buffer");
    return int64_t(isAddress | uint64_t(buffer) << byteBits |
                   uint64_t(byte + origin));
  }
  static Pointer decode(int64_t address) {
    uint64_t bits = uint64_t(address);
    if (!(bits & isAddress))
      return {};
    Pointer pointer;
    pointer.buffer = int64_t(bits << 2 >> (2 + byteBits));
    pointer.byte = int64_t(bits << (64 - byteBits) >> (64 - byteBits)) - origin;
    pointer.hasLeft = bits & leftMark;
    return pointer;
  }
};

class Translator;

/// Returns a register for the buffers of an access by pointers, as Agent::load
/// takes them: the descriptor of a memref of rank 0.
Reg pointedMemory(Translator &t, Kind kind);

/// Returns the bytes of a buffer that a lane may touch: all, or its part of
/// private memory, as the first one and the one past the last.
std::pair<int64_t, int64_t> extentOf(const Agent &agent, const Buffer &buffer,
                                     int64_t lane);

/// The pointer operand of an op.
struct Addresses {
  Reg reg;
  unsigned space; // of the pointer's type; 0 points to any memory

  static Addresses get(Value pointer, Translator &t);
};

/// Resolves the pointers of lanes: fills in the buffers and the positions of
/// `elements` consecutive elements of a kind, as Agent::load takes them. Faults
/// if a pointer points to no memory or to another address space, or if an
/// element lies outside its memory or not on a multiple of its size. Lanes may
/// have fewer elements, `counts`.
/// \returns false after a fault
bool follow(Agent &agent, Operation *op, const Addresses &pointer, Reg memory,
            Kind kind, int64_t elements, int64_t *positions, uint64_t among,
            ArrayRef<int64_t> counts = {});

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_POINTER_H
