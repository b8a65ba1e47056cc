//===- IndexFacts.h - Divisibility and known bits of indices ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about an integer value, derived from the arithmetic that computes it: a
// number that divides it and its known bits. The widest legal memory access and
// the form of a division depend on them. Index arithmetic is assumed not to
// wrap, as everywhere in MLIR's index type, and ids stay below the bounds of
// the function's translation_info and the hardware.
//
// In a workgroup of 64, `4 * thread_id + 8` is divisible by 4, not negative and
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

/// Caches its results, so the values must not change during its lifetime.
class IndexFacts {
public:
  /// Returns the largest known divisor; 0 for the constant 0, which every
  /// number divides, and 1 if no divisor is known.
  int64_t divisor(Value value);

  /// Returns whether the value is known not to be negative.
  bool isNonNegative(Value value);

  /// Returns whether 0 <= value < bound is known.
  bool isBelow(Value value, int64_t bound);

  /// Returns whether the value is known to have no bit of `number`, so that
  /// their sum equals their exclusive or.
  bool areDisjoint(Value value, uint64_t number);

  /// Returns the value if all its bits are known.
  std::optional<int64_t> constant(Value value);

private:
  struct Fact {
    int64_t divisor;
    llvm::KnownBits bits;

    static Fact unknown();
    static Fact constant(int64_t number);
    /// Returns the fact 0 <= value < 2^bits.
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

/// Returns a divisor of a product of multiples of `lhs` and `rhs`: 1 if lhs *
/// rhs wraps.
int64_t divisorOfProduct(int64_t lhs, int64_t rhs);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_INDEXFACTS_H
