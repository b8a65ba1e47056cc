//===- LaneExchange.h - Reduction across lanes and subgroups ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the stages of a reduction that leave the lane. A partial value,
// one per lane, is combined over the digits of the dims that are reduced:
//
//   lanes       a digit of power-of-two size and stride is one butterfly
//               (gpu.subgroup_reduce); any other is a tree of shuffles
//   subgroups   through a buffer with a slot per subgroup digit value, which
//               every thread reads whole, in slot order
//
// All threads that hold a copy of a result end with the same bits: both
// operands of a butterfly step commute, and trees and slots have one order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_LANEEXCHANGE_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_LANEEXCHANGE_H

#include "ScalarExchange.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {

/// The reach of a reduction lists the digits over which it combines.
struct Reach {
  SmallVector<Digit> reducedLanes, reducedSubgroups;
  SmallVector<Digit> lanes, subgroups; // all digits of the source
  /// Places of the results; null for a scalar, which every thread has.
  const Placement *result = nullptr;

  bool leavesLane() const {
    return !reducedLanes.empty() || !reducedSubgroups.empty();
  }
};

/// Returns the reach of a reduction of `source` over the dims marked.
Reach reachOf(const Placement &source, ArrayRef<bool> reduced,
              const Placement *result);

/// Fails, with a refusal, where threads of `reach` cannot exchange data at
/// `op`.
LogicalResult requireReach(Operation *op, const Reach &reach, Distributor &out);

/// Combines `partial`, a scalar or a vector of the result's registers.
/// \pre  all threads run this together
Value reduceAcross(OpBuilder &b, Location loc, vector::CombiningKind kind,
                   Value partial, const Reach &reach, Distributor &out);

/// Returns the number of rounds of lane exchange in `reduceAcross`.
int64_t roundsOf(const Reach &reach, int64_t subgroupSize);

/// Returns the values of lane `source` (an index); `values` are scalars of one
/// type. Emits one gpu.shuffle, which lower-lane-exchange splits into words.
/// \pre  all lanes execute this together
SmallVector<Value> shuffleFrom(OpBuilder &b, Location loc,
                               ArrayRef<Value> values, Value source,
                               int64_t subgroupSize);

/// Returns the values of the lane whose id differs in the bits of `mask`.
SmallVector<Value> shuffleXor(OpBuilder &b, Location loc,
                              ArrayRef<Value> values, int64_t mask,
                              int64_t subgroupSize);

/// Returns whether a digit's lanes exchange by xor: powers of two, all lanes
/// exist.
bool isButterfly(const Digit &digit, int64_t subgroupSize);

/// Workgroup memory with a slot for each value of the reduced subgroup digits,
/// and in each slot a place for each element of the result.
/// \pre  Distributor::requireRoom
class SubgroupSlots {
public:
  SubgroupSlots(Location loc, Type element, const Reach &reach,
                Distributor &out);

  int64_t count() const { return numSlots; }
  /// Stores `scalars`, the result's registers, from one thread per element and
  /// slot; returns the registers of each slot of `slots` (indices).
  SmallVector<SmallVector<Value>> share(OpBuilder &b, ArrayRef<Value> scalars,
                                        ArrayRef<Value> slots);
  /// Returns this thread's slot, with one digit replaced.
  Value slotWith(OpBuilder &b, const Digit &digit, int64_t value);

private:
  Location loc;
  const Reach &reach;
  Distributor &out;
  int64_t numSlots;
  Value ownSlot;
  PlacementNumbers numbers;
  ScalarExchange exchange;
};

/// Returns the contents of every slot: [value of the reduced subgroup
/// digits][register].
/// \pre  as for SubgroupSlots; all threads run this together; `scalars` are the
///       result's registers
SmallVector<SmallVector<Value>> shareAcrossSubgroups(OpBuilder &b, Location loc,
                                                     ArrayRef<Value> scalars,
                                                     const Reach &reach,
                                                     Distributor &out);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_LANEEXCHANGE_H
