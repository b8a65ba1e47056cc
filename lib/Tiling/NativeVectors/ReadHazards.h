//===- ReadHazards.h - Reads that cannot move to their use ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read that is computed slice by slice happens where its slices are used, and
// as often. That is the same read as long as nothing writes the memory in
// between:
//
//   %x = read %A;  write %y, %A;  write %x, %B     // %x has to be kept
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_READHAZARDS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_READHAZARDS_H

#include "distaff/LLVM.h"
#include "mlir/Analysis/AliasAnalysis.h"

namespace distaff::vectortiles {

class Hazards {
public:
  explicit Hazards(Operation *kernel) : aliases(kernel) {}

  /// No two arguments of a kernel are the same memory.
  bool mayAlias(Value lhs, Value rhs);
  /// Whether `op` may write `memory`, itself or in its regions.
  bool mayWrite(Operation *op, Value memory);
  /// Whether `op` may read `memory`, itself or in its regions.
  bool mayRead(Operation *op, Value memory);
  /// Whether `memory` may be written between `read` and `use`, which may be in
  /// a loop behind it.
  bool isWrittenBetween(Operation *read, Operation *use, Value memory);

private:
  AliasAnalysis aliases;
};

/// What an op reads or writes at a place; null of others.
Value memoryOf(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_READHAZARDS_H
