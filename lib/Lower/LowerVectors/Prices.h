//===- Prices.h - Costs of native vector code on a core ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies are ranked by the cost of their instructions in the target's table
// (SimdCosts), in quarters of a cycle. For one op they are estimated before
// anything is emitted; for a whole function with alternative lowerings, the
// costs are those of the emitted code.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERVECTORS_PRICES_H
#define DISTAFF_LIB_LOWER_LOWERVECTORS_PRICES_H

#include "ScalarRegisters.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff::registers {

class Prices {
public:
  explicit Prices(const Target &target)
      : simd(target.simd), costs(target.simd.costs) {}

  const SimdModel &simd;
  const SimdCosts &costs;

  /// Returns the vector registers that so many elements fill.
  int64_t registersOf(Type element, int64_t width) const;
  /// Returns the cost of combining two elements or chunks of one register.
  int64_t combine(vector::CombiningKind kind, Type element) const;
  /// Returns the cost of loading or storing a chunk at any address, as parts
  /// that are powers of two.
  int64_t loadInParts(Type element, int64_t width) const;
  int64_t storeInParts(Type element, int64_t width) const;
  /// Returns the same under a mask; none where the access would be split.
  std::optional<int64_t> maskedLoad(Type element, int64_t width) const;
  std::optional<int64_t> maskedStore(Type element, int64_t width) const;
  /// Returns the cost of `registers::transpose` of a vector in chunks of
  /// `width`.
  int64_t transpose(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation,
                    Type element, int64_t width) const;

  /// Returns the cost of a lowered function, with loops counted as often as
  /// they run.
  int64_t function(FunctionOpInterface function) const;

private:
  int64_t operation(Operation *op) const;
  int64_t elementwise(Operation *op) const;
  int64_t parts(Type element, int64_t width, int64_t access) const;
};

/// Returns the number of parts that are powers of two: 7 has 3.
inline int64_t partsOf(int64_t width) {
  return llvm::popcount(uint64_t(width));
}

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_PRICES_H
