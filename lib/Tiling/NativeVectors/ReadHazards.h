//===- ReadHazards.h - Memory hazards of moved reads ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read that is computed slice by slice moves to the uses of its slices, and
// may run several times. Its value is unchanged as long as nothing writes the
// memory in between:
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

  /// Returns whether two values may be the same memory; two arguments of a
  /// kernel never are.
  bool mayAlias(Value lhs, Value rhs);
  /// Returns whether `op` may write `memory`, itself or in its regions.
  bool mayWrite(Operation *op, Value memory);
  /// Returns whether `op` may read `memory`, itself or in its regions.
  bool mayRead(Operation *op, Value memory);
  /// Returns whether `memory` may be written between `read` and `use`, which
  /// may be in a loop after it.
  bool isWrittenBetween(Operation *read, Operation *use, Value memory);

private:
  AliasAnalysis aliases;
};

/// Returns the memory that an op reads or writes at indices; null for other
/// ops.
Value memoryOf(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_READHAZARDS_H
