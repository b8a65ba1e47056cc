//===- MemoryWords.h - Opcode words of memory accesses ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_OPS_MEMORYWORDS_H
#define DISTAFF_LIB_PTX_OPS_MEMORYWORDS_H

#include "../Decoding.h"

namespace distaff::ptx {

/// The words of an access that precede its operation and type.
struct MemoryWords {
  Space space = Space::Generic;
  bool isStrong = false, acquires = false, releases = false;
  bool hasHint = false; ///< one more operand, which changes no value
};

/// Consumes these words in any order, as compilers write them.
MemoryWords takeMemoryWords(Decoding &d);

/// Releases the knowledge of the lane's subgroup at an address, and acquires
/// it.
void release(Turn &turn, uint64_t address);
void acquire(Turn &turn, uint64_t address);
/// Returns the generic address of an access, the same for every window.
uint64_t meetingPoint(const MemoryWords &words, uint64_t address);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_OPS_MEMORYWORDS_H
