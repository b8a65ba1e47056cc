//===- RegisterPressure.h - Register pressure of a block --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The register pressure of a block in some order of its ops is the largest
// number of registers live at once. The summands of addresses, the values
// live-out of the block and the sizes of values are the same in every order, so
// they are looked up once and an order is evaluated by a walk over numbers.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_REGISTERPRESSURE_H
#define DISTAFF_LIB_CONVERSION_REGISTERPRESSURE_H

#include "AddressSums.h"
#include "BlockLiveness.h"

namespace distaff {

/// Returns whether a value is only taken apart, in its block.
bool isTakenApart(Value value);

/// Returns the bits of the registers of a value; 0 for a value that is part of
/// an instruction.
int64_t registerBitsOf(Value value);

class RegisterPressure {
public:
  struct Peak {
    int64_t registers = 0;
    Operation *at = nullptr;
  };

  /// `behind` is the number of bits live-out of the block.
  RegisterPressure(Block &block, const AddressSums &sums,
                   const BlockLiveness &ranges, int64_t behind);

  /// Returns the most registers live at once in this order of all ops of the
  /// block, and the op at which they are live.
  Peak peakOf(ArrayRef<Operation *> order) const;

  /// Returns the registers that are live-in or live-out, a bound for all
  /// orders.
  int64_t lowerBound() const { return bound; }

private:
  /// The effect of an op on the set of live values, in a backward walk.
  struct Effect {
    SmallVector<unsigned, 4> used, defined; // numbers of values
    int64_t definedBehind = 0; // bits of results that are live-out of the block
  };

  int64_t behind, bound;
  SmallVector<int64_t> bits; // by number of a value
  DenseMap<Operation *, Effect> effects;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_REGISTERPRESSURE_H
