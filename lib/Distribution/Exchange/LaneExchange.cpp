//===- LaneExchange.cpp - Reduction across lanes and subgroups ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the combination across lanes, as gpu.subgroup_reduce or as shuffles,
// and across subgroups, through shared memory (stages 3 and 4 of chapter 6.4).
//
//===----------------------------------------------------------------------===//
#include "LaneExchange.h"
#include "../Rules/Combine.h"
#include "BlockExchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using vector::CombiningKind;

Reach distaff::reachOf(const Placement &source, ArrayRef<bool> reduced,
                       const Placement *result) {
  Reach reach;
  reach.reducedLanes = source.digitsOn(Axis::Lane, reduced);
  reach.reducedSubgroups = source.digitsOn(Axis::Subgroup, reduced);
  reach.lanes = source.digitsOn(Axis::Lane);
  reach.subgroups = source.digitsOn(Axis::Subgroup);
  reach.result = result;
  return reach;
}

LogicalResult distaff::requireReach(Operation *op, const Reach &reach,
                                    Distributor &out) {
  if (reach.leavesLane() &&
      failed(out.requireShared(op, "data of other threads")))
    return failure();
  if (reach.reducedSubgroups.empty())
    return success();
  if (out.options.keepsBlocks)
    return out.requireRoomFor(op, shapeOfBlocks(reach),
                              getElementTypeOrSelf(op->getResultTypes()[0]));
  return out.requireRoom(op);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Casts index values, because gpu.shuffle does not take them.
static Value castIndex(OpBuilder &b, Location loc, Value value, Type to) {
  return value.getType() == to
             ? value
             : arith::IndexCastOp::create(b, loc, to, value).getResult();
}

static SmallVector<Value> shuffle(OpBuilder &b, Location loc,
                                  ArrayRef<Value> values, Value operand,
                                  gpu::ShuffleMode mode, int64_t subgroupSize) {
  if (values.empty())
    return {};
  Type type = values.front().getType();
  assert(llvm::all_of(values,
                      [&](Value value) { return value.getType() == type; }) &&
         "what lanes exchange at once is of one type");
  Type moved = type.isIndex() ? b.getI64Type() : type;
  SmallVector<Value> scalars = llvm::map_to_vector(
      values, [&](Value value) { return castIndex(b, loc, value, moved); });
  Type together = scalars.size() == 1
                      ? moved
                      : VectorType::get(int64_t(scalars.size()), moved);
  Value width = arith::ConstantIntOp::create(b, loc, subgroupSize, 32);
  auto op = gpu::ShuffleOp::create(
      b, loc, fromScalars(b, loc, scalars, together), operand, width, mode);
  return llvm::map_to_vector(
      toScalars(b, loc, op.getShuffleResult()),
      [&](Value value) { return castIndex(b, loc, value, type); });
}

SmallVector<Value> distaff::shuffleFrom(OpBuilder &b, Location loc,
                                        ArrayRef<Value> values, Value source,
                                        int64_t subgroupSize) {
  Value lane = arith::IndexCastOp::create(b, loc, b.getI32Type(), source);
  return shuffle(b, loc, values, lane, gpu::ShuffleMode::IDX, subgroupSize);
}

SmallVector<Value> distaff::shuffleXor(OpBuilder &b, Location loc,
                                       ArrayRef<Value> values, int64_t mask,
                                       int64_t subgroupSize) {
  assert(mask > 0 && mask < subgroupSize &&
         "a lane exchanges with another one of its subgroup");
  Value operand = arith::ConstantIntOp::create(b, loc, mask, 32);
  return shuffle(b, loc, values, operand, gpu::ShuffleMode::XOR, subgroupSize);
}

bool distaff::isButterfly(const Digit &digit, int64_t subgroupSize) {
  return llvm::isPowerOf2_64(digit.size) && llvm::isPowerOf2_64(digit.stride) &&
         digit.size * digit.stride <= subgroupSize;
}

/// Reduces a digit by one gpu.subgroup_reduce on all registers at once, whose
/// butterfly of shuffles Lower/LowerLaneExchange.cpp emits.
static Value reduceButterfly(OpBuilder &b, Location loc, CombiningKind kind,
                             Value partial, const Digit &digit) {
  Type type = partial.getType(), element = getElementTypeOrSelf(type);
  auto vectorType = dyn_cast<VectorType>(type);
  // The op takes scalars and 1-D vectors of integers and floats.
  Value value = partial;
  if (vectorType && vectorType.getNumElements() == 1)
    value = toScalars(b, loc, value).front();
  else if (vectorType)
    value = reshapeRegisters(b, loc, value, {vectorType.getNumElements()});
  auto castTo = [&](Value value, Type element) -> Value {
    Type to = element;
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      to = vector.clone(element);
    return arith::IndexCastOp::create(b, loc, to, value);
  };
  if (element.isIndex())
    value = castTo(value, b.getI64Type());
  value = gpu::SubgroupReduceOp::create(b, loc, value, toAllReduce(kind),
                                        /*uniform=*/false, digit.size,
                                        digit.stride);
  if (element.isIndex())
    value = castTo(value, element);
  if (vectorType && vectorType.getNumElements() == 1)
    return fromScalars(b, loc, value, type);
  return vectorType ? reshapeRegisters(b, loc, value, vectorType.getShape())
                    : value;
}

/// Reduces a digit in rounds j = 1, 2, 4, ...: digit value a combines the
/// partial of a + j; then all read the partial of digit value 0. Reads
/// canonical lanes only, so that lanes of an incomplete last group need no
/// special case.
static Value reduceTree(OpBuilder &b, Location loc, CombiningKind kind,
                        Value partial, const Digit &digit, const Reach &reach,
                        Distributor &out) {
  int64_t lanes = out.options.subgroupSize;
  Value first = out.ids.canonical(reach.lanes, digit); // its digit value 0
  Value own = out.ids.digit(digit, reach.lanes);
  auto laneAt = [&](Value at) -> Value {
    return out.ids.step(b, loc, first, at, digit.stride);
  };
  SmallVector<Value> scalars = toScalars(b, loc, partial);
  for (int64_t distance = 1; distance < digit.size; distance *= 2) {
    Value other =
        arith::AddIOp::create(b, loc, own, out.ids.constant(distance));
    Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         other, out.ids.constant(digit.size));
    Value source = laneAt(arith::SelectOp::create(b, loc, exists, other, own));
    for (auto [scalar, taken] : llvm::zip_equal(
             scalars, shuffleFrom(b, loc, scalars, source, lanes))) {
      Value both = combine(b, loc, kind, scalar, taken);
      scalar = arith::SelectOp::create(b, loc, exists, both, scalar);
    }
  }
  return fromScalars(b, loc, shuffleFrom(b, loc, scalars, first, lanes),
                     partial.getType());
}

/// Merges butterflies over neighbouring digits into one.
static SmallVector<Digit> mergeButterflies(ArrayRef<Digit> digits,
                                           int64_t subgroupSize) {
  SmallVector<Digit> sorted(digits), merged;
  llvm::sort(sorted, [](const Digit &a, const Digit &b) {
    return a.stride < b.stride;
  });
  for (const Digit &digit : sorted) {
    if (!merged.empty() && isButterfly(merged.back(), subgroupSize) &&
        isButterfly(digit, subgroupSize) &&
        merged.back().stride * merged.back().size == digit.stride)
      merged.back().size *= digit.size;
    else
      merged.push_back(digit);
  }
  return merged;
}

int64_t distaff::roundsOf(const Reach &reach, int64_t subgroupSize) {
  int64_t rounds = 0;
  for (const Digit &digit : mergeButterflies(reach.reducedLanes, subgroupSize))
    // After a tree there is one more round, in which all lanes read its root.
    rounds +=
        llvm::Log2_64_Ceil(digit.size) + !isButterfly(digit, subgroupSize);
  return rounds;
}

//===----------------------------------------------------------------------===//
// Subgroups
//===----------------------------------------------------------------------===//

static int64_t slotsOf(ArrayRef<Digit> digits) {
  int64_t slots = 1;
  for (const Digit &digit : digits)
    slots *= digit.size;
  return slots;
}

/// Returns whether this thread writes. One thread per result and slot does: its
/// lane is the smallest that holds the result, its subgroup the smallest that
/// holds this part of the source.
static Value isWriter(const Reach &reach, Distributor &out) {
  SmallVector<Digit> keptLanes;
  for (const Digit &digit : reach.lanes)
    if (!llvm::is_contained(reach.reducedLanes, digit))
      keptLanes.push_back(digit);
  return out.ids.isCanonical(reach.subgroups, keptLanes);
}

SubgroupSlots::SubgroupSlots(Location loc, Type element, const Reach &reach,
                             Distributor &out)
    : loc(loc), reach(reach), out(out),
      numSlots(slotsOf(reach.reducedSubgroups)),
      ownSlot(out.ids.number(reach.reducedSubgroups, reach.subgroups)),
      numbers(reach.result, numSlots, out),
      exchange(loc, element, numbers.count(), numbers.grain(), out) {}

SmallVector<SmallVector<Value>> SubgroupSlots::share(OpBuilder &b,
                                                     ArrayRef<Value> scalars,
                                                     ArrayRef<Value> slots) {
  auto numbersIn = [&](Value slot) {
    return llvm::map_to_vector(
        llvm::seq<int64_t>(0, scalars.size()),
        [&](int64_t reg) { return numbers.of(b, loc, reg, slot); });
  };
  SmallVector<ScalarNumber> wanted;
  for (Value slot : slots)
    llvm::append_range(wanted, numbersIn(slot));
  SmallVector<Value> taken = exchange.run(b, scalars, numbersIn(ownSlot),
                                          isWriter(reach, out), wanted);
  SmallVector<SmallVector<Value>> values;
  for (size_t at = 0; at < taken.size(); at += scalars.size())
    values.emplace_back(ArrayRef(taken).slice(at, scalars.size()));
  return values;
}

Value SubgroupSlots::slotWith(OpBuilder &b, const Digit &digit, int64_t value) {
  int64_t weight = 1;
  for (const Digit &other : llvm::reverse(reach.reducedSubgroups)) {
    if (other == digit)
      break;
    weight *= other.size;
  }
  Value own = out.ids.digit(digit, reach.subgroups);
  Value step =
      arith::SubIOp::create(b, loc, out.ids.constant(value), own).getResult();
  return out.ids.step(b, loc, ownSlot, step, weight);
}

SmallVector<SmallVector<Value>>
distaff::shareAcrossSubgroups(OpBuilder &b, Location loc,
                              ArrayRef<Value> scalars, const Reach &reach,
                              Distributor &out) {
  SubgroupSlots slots(loc, scalars.front().getType(), reach, out);
  SmallVector<Value> all =
      llvm::map_to_vector(llvm::seq<int64_t>(0, slots.count()),
                          [&](int64_t slot) { return out.ids.constant(slot); });
  return slots.share(b, scalars, all);
}

static Value reduceSubgroups(OpBuilder &b, Location loc, CombiningKind kind,
                             Value partial, const Reach &reach,
                             Distributor &out) {
  SmallVector<Value> scalars = toScalars(b, loc, partial);
  SmallVector<SmallVector<Value>> slots =
      shareAcrossSubgroups(b, loc, scalars, reach, out);
  for (auto [reg, scalar] : llvm::enumerate(scalars)) {
    scalar = slots.front()[reg];
    for (ArrayRef<Value> slot : ArrayRef(slots).drop_front())
      scalar = combine(b, loc, kind, scalar, slot[reg]);
  }
  return fromScalars(b, loc, scalars, partial.getType());
}

Value distaff::reduceAcross(OpBuilder &b, Location loc, CombiningKind kind,
                            Value partial, const Reach &reach,
                            Distributor &out) {
  int64_t lanes = out.options.subgroupSize;
  for (const Digit &digit : mergeButterflies(reach.reducedLanes, lanes))
    partial = isButterfly(digit, lanes)
                  ? reduceButterfly(b, loc, kind, partial, digit)
                  : reduceTree(b, loc, kind, partial, digit, reach, out);
  if (reach.reducedSubgroups.empty())
    return partial;
  return out.options.keepsBlocks
             ? reduceBlocks(b, loc, kind, partial, reach, out)
             : reduceSubgroups(b, loc, kind, partial, reach, out);
}
