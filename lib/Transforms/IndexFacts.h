//===- IndexFacts.h - What is known about index values ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two facts about an integer value, found by walking the arithmetic that makes
// it: a number that divides it, and whether it is at least 0. The widest legal
// memory access and the form of a division hang on them. Index arithmetic is
// taken not to wrap, as everywhere in MLIR's index type.
//
// `4 * thread_id + 8` is divisible by 4 and not negative.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_INDEXFACTS_H
#define DISTAFF_LIB_TRANSFORMS_INDEXFACTS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff {

/// Remembers what it found, so the values must not change while it lives.
class IndexFacts {
public:
  /// Returns the largest known divisor; 0 for the constant 0, which every
  /// number divides, and 1 when nothing is known.
  int64_t divisor(Value value);

  /// True if the value is known not to be negative.
  bool isNonNegative(Value value);

private:
  struct Fact {
    int64_t divisor;
    bool nonNegative;
  };
  const Fact &get(Value value);
  Fact compute(Value value);
  Fact ofOperation(Operation *op);
  Fact ofBlockArgument(BlockArgument argument);

  llvm::DenseMap<Value, Fact> facts;
};

} // namespace distaff

#endif // DISTAFF_LIB_TRANSFORMS_INDEXFACTS_H
