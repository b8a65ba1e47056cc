//===- OrderedReduction.cpp - Reduction in index order --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the digits one by one, outermost first: a register digit is unrolled, a
// lane digit is a loop over lanes, a subgroup digit passes the accumulator
// through workgroup memory. Subgroups are unrolled, and with them the lane
// digits around them, because barriers need control flow that is plainly
// uniform.
//
//===----------------------------------------------------------------------===//
#include "OrderedReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;

RegisterMap::RegisterMap(const Placement &placement) {
  for (int64_t reg = 0; reg < placement.numRegisters(); ++reg)
    registers.insert({placement.offsetOf(reg), reg});
  assert(int64_t(registers.size()) == placement.numRegisters() &&
         "registers of a lane hold different elements");
}

void distaff::appendDigits(OrderedReduction &reduction, int64_t dim,
                           const Placement &placement, int64_t at) {
  assert(dim < reduction.numDims && at < placement.rank() &&
         "an ordered reduction goes along the dims that it has");
  size_t first = reduction.digits.size();
  int64_t weight = 1;
  for (const Digit &digit : llvm::reverse(placement.layout.digits(at))) {
    reduction.digits.push_back({dim, digit, weight});
    weight *= digit.size;
  }
  std::reverse(reduction.digits.begin() + first, reduction.digits.end());
}

OrderedReduction distaff::orderedReductionAlong(const Placement &source,
                                                ArrayRef<bool> dims,
                                                const Reach &reach) {
  OrderedReduction reduction{reach, {}, source.rank()};
  for (auto [dim, isWalked] : llvm::enumerate(dims))
    if (isWalked)
      appendDigits(reduction, dim, source, dim);
  return reduction;
}

namespace {
class Walk {
public:
  Walk(Location loc, const OrderedReduction &reduction,
       OrderedReductionStep step, Distributor &out)
      : loc(loc), reduction(reduction), step(step), out(out),
        offset(reduction.numDims, 0) {}

  void run(OpBuilder &b, size_t level, OrderedReductionState &state);

private:
  void runLanes(OpBuilder &b, size_t level, OrderedReductionState &state);
  void takeLaneTurn(OpBuilder &b, size_t level, Value turn,
                    OrderedReductionState &state);
  void runSubgroups(OpBuilder &b, size_t level, OrderedReductionState &state);
  /// Selects the new kept values in the threads whose digit is `turn`.
  void keepOwn(OpBuilder &b, Value digit, Value turn, ArrayRef<Value> before,
               OrderedReductionState &state);

  /// The limit of unrolled lanes; a loop over more lanes costs less.
  static constexpr int64_t mostUnrolled = 4;

  Location loc;
  const OrderedReduction &reduction;
  OrderedReductionStep step;
  Distributor &out;
  /// Shuffles the passed values from the lane whose `digit` is `turn`.
  void passFrom(OpBuilder &b, const Digit &digit, Value turn,
                OrderedReductionState &state);

  SmallVector<int64_t> offset;                    // of the registers, so far
  SmallVector<std::pair<Digit, Value>> laneTurns; // of the lane loops around
};
} // namespace

static bool isOn(const OrderedReductionDigit &digit, Axis axis) {
  return digit.digit.axis == axis;
}

void Walk::keepOwn(OpBuilder &b, Value digit, Value turn,
                   ArrayRef<Value> before, OrderedReductionState &state) {
  if (llvm::equal(before, state.kept))
    return;
  Value mine =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digit, turn);
  for (auto [value, old] : llvm::zip_equal(state.kept, before))
    if (value != old)
      value = arith::SelectOp::create(b, loc, mine, value, old);
}

void Walk::passFrom(OpBuilder &b, const Digit &digit, Value turn,
                    OrderedReductionState &state) {
  Value holder =
      out.ids.step(b, loc, out.ids.canonical(reduction.reach.lanes, digit),
                   turn, digit.stride);
  for (SmallVector<Value> &field : state.passed)
    field = shuffleFrom(b, loc, field, holder, out.options.subgroupSize);
}

void Walk::takeLaneTurn(OpBuilder &b, size_t level, Value turn,
                        OrderedReductionState &state) {
  const Digit &digit = reduction.digits[level].digit;
  SmallVector<Value> before = state.kept;
  laneTurns.push_back({digit, turn});
  run(b, level + 1, state);
  laneTurns.pop_back();
  keepOwn(b, out.ids.digit(digit, reduction.reach.lanes), turn, before, state);
  passFrom(b, digit, turn, state);
}

static SmallVector<Value> flatten(const OrderedReductionState &state) {
  SmallVector<Value> values;
  for (ArrayRef<Value> field : state.passed)
    values.append(field.begin(), field.end());
  values.append(state.kept);
  return values;
}

static void unflatten(ValueRange values, OrderedReductionState &state) {
  auto next = values.begin();
  for (SmallVector<Value> &field : state.passed)
    for (Value &value : field)
      value = *next++;
  for (Value &value : state.kept)
    value = *next++;
}

void Walk::runLanes(OpBuilder &b, size_t level, OrderedReductionState &state) {
  int64_t size = reduction.digits[level].digit.size;
  bool synchronises =
      llvm::any_of(ArrayRef(reduction.digits).drop_front(level),
                   [](auto &digit) { return isOn(digit, Axis::Subgroup); });
  if (size <= mostUnrolled || synchronises) {
    for (int64_t turn = 0; turn < size; ++turn)
      takeLaneTurn(b, level, out.ids.constant(turn), state);
    return;
  }
  auto loop =
      scf::ForOp::create(b, loc, out.ids.constant(0), out.ids.constant(size),
                         out.ids.constant(1), flatten(state));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  unflatten(loop.getRegionIterArgs(), state);
  takeLaneTurn(inside, level, loop.getInductionVar(), state);
  scf::YieldOp::create(inside, loc, flatten(state));
  unflatten(loop.getResults(), state);
}

void Walk::runSubgroups(OpBuilder &b, size_t level,
                        OrderedReductionState &state) {
  const Digit &digit = reduction.digits[level].digit;
  ArrayRef<Digit> chain = reduction.reach.subgroups;
  Value own = out.ids.digit(digit, chain);
  for (int64_t turn = 0; turn < digit.size; ++turn) {
    SmallVector<Value> before = state.kept;
    run(b, level + 1, state);
    keepOwn(b, own, out.ids.constant(turn), before, state);
    // The first lane of all writes, so it gets the values of the current lane.
    for (auto [lanes, laneTurn] : laneTurns)
      passFrom(b, lanes, laneTurn, state);
    // Separate buffers have fewer hazards where there is room, and can share
    // bytes where there is not.
    for (SmallVector<Value> &field : state.passed) {
      SubgroupSlots slots(loc, field.front().getType(), reduction.reach, out);
      field = slots.share(b, field, slots.slotWith(b, digit, turn)).front();
    }
  }
}

void Walk::run(OpBuilder &b, size_t level, OrderedReductionState &state) {
  if (level == reduction.digits.size())
    return step(b, offset, state);
  const OrderedReductionDigit &at = reduction.digits[level];
  if (isOn(at, Axis::Lane))
    return runLanes(b, level, state);
  if (isOn(at, Axis::Subgroup))
    return runSubgroups(b, level, state);
  for (int64_t value = 0; value < at.digit.size; ++value) {
    offset[at.dim] += value * at.weight;
    run(b, level + 1, state);
    offset[at.dim] -= value * at.weight;
  }
}

void distaff::runOrderedReduction(OpBuilder &b, Location loc,
                                  const OrderedReduction &reduction,
                                  OrderedReductionState &state,
                                  OrderedReductionStep step, Distributor &out) {
  Walk(loc, reduction, step, out).run(b, 0, state);
}
