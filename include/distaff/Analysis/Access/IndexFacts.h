//===- IndexFacts.h - What is known about index values ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about an integer value, found by walking the arithmetic that makes it:
// a number that divides it and which of its bits are known. The widest legal
// memory access and the form of a division hang on them. Index arithmetic is
// taken not to wrap, as everywhere in MLIR's index type, and ids stay below
// what the function's translation_info and the hardware allow.
//
// `4 * thread_id + 8` in a workgroup of 64 is divisible by 4, not negative and
// has no bit above bit 8.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_INDEXFACTS_H
#define DISTAFF_ANALYSIS_ACCESS_INDEXFACTS_H

#include "distaff/LLVM.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/KnownBits.h"
#include <optional>

namespace distaff {

/// Remembers what it found, so the values must not change while it lives.
class IndexFacts {
public:
  /// Returns the largest known divisor; 0 for the constant 0, which every
  /// number divides, and 1 when nothing is known.
  int64_t divisor(Value value);

  /// True if the value is known not to be negative.
  bool isNonNegative(Value value);

  /// True if 0 <= value < bound is known.
  bool isBelow(Value value, int64_t bound);

  /// True if it is known that the value has no bit of `number`, so that their
  /// sum is their exclusive or.
  bool areDisjoint(Value value, uint64_t number);

  /// The value, where all its bits are known.
  std::optional<int64_t> constant(Value value);

private:
  struct Fact {
    int64_t divisor;
    llvm::KnownBits bits;

    static Fact unknown();
    static Fact constant(int64_t number);
    /// 0 <= value < 2^bits.
    static Fact bounded(unsigned bits);
    bool isNonNegative() const { return bits.isNonNegative(); }
  };
  const Fact &get(Value value);
  Fact get(OpFoldResult number);
  Fact compute(Value value);
  Fact ofOperation(Operation *op);
  Fact ofArithmetic(Operation *op);
  Fact ofBits(Operation *op);
  Fact ofQuotient(Operation *op);
  Fact ofBlockArgument(BlockArgument argument);
  Fact ofCounter(OpFoldResult from, OpFoldResult to, OpFoldResult step);
  Fact ofExpression(AffineExpr expr, unsigned numDims, ValueRange operands);
  Fact ofResults(AffineMap map, ValueRange operands);

  llvm::DenseMap<Value, Fact> facts;
};

/// Returns a divisor of a product of multiples of `lhs` and `rhs`: 1 where
/// lhs * rhs wraps.
int64_t divisorOfProduct(int64_t lhs, int64_t rhs);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_INDEXFACTS_H
