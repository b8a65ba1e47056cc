//===- OrderedReduction.h - Reduction in index order ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ordered reduction combines elements in the order of the index, across all
// lanes that hold them: an accumulator goes from lane to lane. In each step all
// lanes combine the accumulator with their own elements, and then all read the
// accumulator of the lane whose elements are next in the order:
//
//   T[4] E[2] of 8 elements      for t = 0 .. 3: { acc += e0; acc += e1;
//                                                  acc = acc of lane t }
//
// Every lane ends with the same accumulator. The number of exchanges is the
// number of runs of elements in one lane, where trees take the logarithm; so it
// is for reductions that must not be reassociated: strict floats (VX-87),
// comparators that are no order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_ORDEREDREDUCTION_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_ORDEREDREDUCTION_H

#include "LaneExchange.h"

namespace distaff {

/// Describes a digit of one of the dims that are walked.
struct OrderedReductionDigit {
  int64_t dim;
  Digit digit;
  int64_t weight; // what one step contributes to the index of the dim
};

struct OrderedReduction {
  Reach reach;
  SmallVector<OrderedReductionDigit>
      digits;          // in the order of the walk, outermost first
  int64_t numDims = 0; // of the offsets that steps are given
};

/// Returns the ordered reduction along the dims marked, in row-major order.
OrderedReduction orderedReductionAlong(const Placement &source,
                                       ArrayRef<bool> dims, const Reach &reach);

/// Appends the digits of dim `at` of `placement` as those of dim `dim`.
void appendDigits(OrderedReduction &reduction, int64_t dim,
                  const Placement &placement, int64_t at);

struct OrderedReductionState {
  /// The accumulators that go from lane to lane: fields of one value per
  /// register of the result.
  SmallVector<SmallVector<Value>> passed;
  /// Values that each lane keeps from its own steps only.
  SmallVector<Value> kept;
};

/// Combines the state with the elements whose offsets along the walked dims are
/// `offset` in this lane's registers.
using OrderedReductionStep = function_ref<void(
    OpBuilder &b, ArrayRef<int64_t> offset, OrderedReductionState &state)>;

/// Combines all elements. \pre  all threads run this together
void runOrderedReduction(OpBuilder &b, Location loc,
                         const OrderedReduction &reduction,
                         OrderedReductionState &state,
                         OrderedReductionStep step, Distributor &out);

/// Maps offsets in the index to registers of a placement.
class RegisterMap {
public:
  explicit RegisterMap(const Placement &placement);
  int64_t at(ArrayRef<int64_t> index) const {
    return registers.at(llvm::to_vector(index));
  }

private:
  std::map<SmallVector<int64_t>, int64_t> registers;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_ORDEREDREDUCTION_H
