//===- ScalarExchange.cpp - Scalar exchange in workgroup memory -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a number lies outside the window, a round reads at the start of the
// window: that place is written in every round, and the value is not used.
//
//===----------------------------------------------------------------------===//
#include "ScalarExchange.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Returns the digits of one axis by decreasing stride.
static SmallVector<Digit> digitsByStride(const Placement &placement,
                                         Axis axis) {
  SmallVector<Digit> digits = placement.digitsOn(axis);
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.stride > b.stride;
  });
  return digits;
}

static int64_t sizeOf(ArrayRef<Digit> digits) {
  int64_t size = 1;
  for (const Digit &digit : digits)
    size *= digit.size;
  return size;
}

PlacementNumbers::PlacementNumbers(const Placement *placement, int64_t slots,
                                   Distributor &out)
    : out(out), slots(slots), holder(out.ids.constant(0)) {
  if (!placement)
    return;
  SmallVector<Digit> lanes = digitsByStride(*placement, Axis::Lane);
  SmallVector<Digit> subgroups = digitsByStride(*placement, Axis::Subgroup);
  registers = placement->numRegisters();
  holders = sizeOf(lanes) * sizeOf(subgroups);
  Value lane = out.ids.number(lanes, lanes);
  Value subgroup = out.ids.number(subgroups, subgroups);
  holder = subgroups.empty() ? lane
                             : out.ids.step(out.ids.atEntry(), out.ids.loc(),
                                            lane, subgroup, sizeOf(lanes));
}

ScalarNumber PlacementNumbers::of(OpBuilder &b, Location loc, int64_t reg,
                                  Value slot) const {
  int64_t first = reg * slots * holders;
  assert(reg < registers && "a value has that register");
  if (std::optional<int64_t> known = getConstantIntValue(slot)) {
    assert(*known >= 0 && *known < slots && "the exchange has that slot");
    first += *known * holders;
    return {out.ids.offset(b, loc, holder, first), first, first + holders - 1};
  }
  Value number = out.ids.step(b, loc, holder, slot, holders);
  return {out.ids.offset(b, loc, number, first), first,
          first + slots * holders - 1};
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// A window is the numbers [first, first + size): of one round, or of every
/// iteration of a loop.
struct ScalarExchange::Window {
  Value first;
  int64_t least, most; // between which `first` lies
  int64_t size;

  bool mayMeet(const ScalarNumber &at) const {
    return at.most >= least && at.least < most + size;
  }
};

Type distaff::storedAs(Type element) {
  if (!isa<IntegerType>(element))
    return element;
  return IntegerType::get(element.getContext(), 8 * bytesInMemory(element));
}

/// Returns how many of `count` elements of `type` fit into `bytes` (0: all).
static int64_t windowSize(Type type, int64_t count, int64_t grain,
                          int64_t bytes) {
  int64_t each = workgroupBytesOf(MemRefType::get({1}, type));
  int64_t room = bytes == 0 ? count : bytes / each;
  if (room >= count)
    return count;
  assert(room > 0 && "a rule has asked for room");
  return room >= grain ? room - room % grain : room;
}

ScalarExchange::ScalarExchange(Location loc, Type element, int64_t count,
                               int64_t grain, Distributor &out)
    : loc(loc), element(element), stored(storedAs(element)), count(count),
      size(windowSize(stored, count, grain, out.sharedMemoryLeft)), out(out),
      buffer(out.allocate({size}, stored)) {}

/// Returns whether the numbers are in an exchange of `count`.
[[maybe_unused]] static bool areWithin(ArrayRef<ScalarNumber> numbers,
                                       int64_t count) {
  return llvm::all_of(numbers, [&](const ScalarNumber &at) {
    return at.least >= 0 && at.least <= at.most && at.most < count;
  });
}

/// Returns whether the number is in the window; null: in every thread.
Value ScalarExchange::inWindow(OpBuilder &b, const ScalarNumber &at,
                               const Window &window) {
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, at.number, bound);
  };
  Value inside;
  if (at.least < window.most)
    inside = compare(arith::CmpIPredicate::uge, window.first);
  if (at.most >= window.least + window.size) {
    Value end = out.ids.offset(b, loc, window.first, window.size);
    Value below = compare(arith::CmpIPredicate::ult, end);
    inside = inside ? arith::AndIOp::create(b, loc, inside, below) : below;
  }
  return inside;
}

/// \pre  the number is in the window, or `inside` is whether it is
Value ScalarExchange::position(OpBuilder &b, const ScalarNumber &at,
                               Value inside, const Window &window) {
  if (window.most == 0 && !inside)
    return at.number;
  Value number = at.number;
  if (inside)
    number = arith::SelectOp::create(b, loc, inside, number, window.first);
  return arith::SubIOp::create(b, loc, number, window.first);
}

void ScalarExchange::store(OpBuilder &b, ArrayRef<Value> given,
                           ArrayRef<ScalarNumber> as, Value writer,
                           const Window &window) {
  auto storeOne = [&](OpBuilder &b, Value scalar, Value at) {
    if (stored != element)
      scalar = arith::ExtUIOp::create(b, loc, stored, scalar);
    memref::StoreOp::create(b, loc, scalar, buffer, at);
  };
  Operation *storing = emitGuarded(b, loc, writer, [&](OpBuilder &b) {
    for (auto [scalar, at] : llvm::zip_equal(given, as)) {
      if (!window.mayMeet(at))
        continue;
      Value inside = inWindow(b, at, window);
      Value position = this->position(b, at, inside, window);
      emitGuarded(b, loc, inside,
                  [&](OpBuilder &b) { storeOne(b, scalar, position); });
    }
  });
  out.hazards.record(storing,
                     {buffer, /*writes=*/true, out.hazards.newGroup(), {}});
}

void ScalarExchange::load(OpBuilder &b, ArrayRef<ScalarNumber> wanted,
                          const Window &window, MutableArrayRef<Value> taken) {
  int64_t group = out.hazards.newGroup();
  for (auto [at, value] : llvm::zip_equal(wanted, taken)) {
    if (!window.mayMeet(at))
      continue;
    Value inside = inWindow(b, at, window);
    Value read =
        memref::LoadOp::create(b, loc, buffer, position(b, at, inside, window));
    out.hazards.record(read.getDefiningOp(),
                       {buffer, /*writes=*/false, group, {}});
    if (stored != element)
      read = arith::TruncIOp::create(b, loc, element, read);
    value = value && inside
                ? arith::SelectOp::create(b, loc, inside, read, value)
                : read;
  }
}

SmallVector<Value> ScalarExchange::run(OpBuilder &b, ArrayRef<Value> given,
                                       ArrayRef<ScalarNumber> as, Value writer,
                                       ArrayRef<ScalarNumber> wanted) {
  assert(areWithin(as, count) && areWithin(wanted, count) &&
         "a scalar has a number of the exchange");
  SmallVector<Value> taken(wanted.size());
  if (count <= size * mostUnrolled) {
    for (int64_t first = 0; first < count; first += size) {
      Window window{out.ids.constant(first), first, first,
                    std::min(size, count - first)};
      store(b, given, as, writer, window);
      load(b, wanted, window, taken);
    }
    return taken;
  }
  Value none = splat(b, loc, element, b.getZeroAttr(element));
  taken.assign(wanted.size(), none);
  int64_t last = (count - 1) / size * size;
  auto loop =
      scf::ForOp::create(b, loc, out.ids.constant(0), out.ids.constant(count),
                         out.ids.constant(size), taken);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  llvm::copy(loop.getRegionIterArgs(), taken.begin());
  Window window{loop.getInductionVar(), 0, last, size};
  store(inside, given, as, writer, window);
  load(inside, wanted, window, taken);
  scf::YieldOp::create(inside, loc, taken);
  return loop.getResults();
}
