//===- MemoryWords.h - What loads, stores and atomics share -----*- C++ -*-===//
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

/// The words of an access that stand before its operation and type.
struct MemoryWords {
  Space space = Space::Generic;
  bool isStrong = false, acquires = false, releases = false;
  bool hasHint = false; ///< one more operand, which changes no value
};

/// Consumes them, in whatever order compilers write them.
MemoryWords takeMemoryWords(Decoding &d);

/// What the lane's subgroup knows is for who acquires at the address.
void release(Turn &turn, uint64_t address);
void acquire(Turn &turn, uint64_t address);
/// Where two accesses meet, whatever window they come through.
uint64_t meetingPoint(const MemoryWords &words, uint64_t address);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_OPS_MEMORYWORDS_H
