//===- RegisterPressure.h - Register pressure of a block --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pressure of a block in some order of its ops is the most registers live
// at once. What a sum is made of, what is live behind the block and how many
// bits a value takes are the same in every order, so they are looked up once
// and an order is priced by a walk over numbers.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_REGISTERPRESSURE_H
#define DISTAFF_LIB_CONVERSION_REGISTERPRESSURE_H

#include "AddressSums.h"
#include "BlockLiveness.h"

namespace distaff {

/// Whether all that is done with a value is to take it apart, in its block.
bool isTakenApart(Value value);

/// Bits of the registers of a value; what is part of an instruction has none.
int64_t registerBitsOf(Value value);

class RegisterPressure {
public:
  struct Peak {
    int64_t registers = 0;
    Operation *at = nullptr;
  };

  /// `behind` are the bits live behind the block.
  RegisterPressure(Block &block, const AddressSums &sums,
                   const BlockLiveness &ranges, int64_t behind);

  /// The most registers live at once in this order of all ops of the block,
  /// and the op at which they are.
  Peak peakOf(ArrayRef<Operation *> order) const;

  /// The registers live before the block or behind it, which no order lowers.
  int64_t lowerBound() const { return bound; }

private:
  /// What an op does to the values that are live, walking backwards.
  struct Effect {
    SmallVector<unsigned, 4> used, defined; // numbers of values
    int64_t definedBehind = 0; // bits of results that are live behind the block
  };

  int64_t behind, bound;
  SmallVector<int64_t> bits; // by number of a value
  DenseMap<Operation *, Effect> effects;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_REGISTERPRESSURE_H
