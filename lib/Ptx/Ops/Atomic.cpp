//===- Atomic.cpp - Atomics -----------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of one instruction run one after the other, in the order of the
// seed.
//
//===----------------------------------------------------------------------===//
#include "MemoryWords.h"

#include <cstring>

namespace distaff::ptx {
namespace {

using Update = uint64_t (*)(uint64_t old, uint64_t b, uint64_t c,
                            const Type &type);

uint64_t addFloats(uint64_t a, uint64_t b, FloatFormat format) {
  return round(add(decode(a, format), decode(b, format), Rounding::Nearest),
               format);
}

uint64_t addAny(uint64_t a, uint64_t b, uint64_t, const Type &type) {
  if (!type.isFloat())
    return a + b;
  if (!type.isPaired)
    return addFloats(a, b, type.format);
  return addFloats(a >> 16, b >> 16, type.format) << 16 |
         addFloats(a, b, type.format);
}

struct Operation {
  const char *name;
  Update compute;
  bool (*allows)(const Type &type);
};

bool isWord(const Type &t) { return t.bits >= 32 && !t.isPaired; }
bool ofBits(const Type &t) { return isWord(t) && t.kind == Type::Kind::Bits; }
bool ofNumbers(const Type &t) { return isWord(t) && t.isInteger(); }
bool ofU32(const Type &t) {
  return t.bits == 32 && t.kind == Type::Kind::Unsigned;
}

constexpr Operation operations[] = {
    {"and",
     [](uint64_t a, uint64_t b, uint64_t, const Type &) { return a & b; },
     ofBits},
    {"or", [](uint64_t a, uint64_t b, uint64_t, const Type &) { return a | b; },
     ofBits},
    {"xor",
     [](uint64_t a, uint64_t b, uint64_t, const Type &) { return a ^ b; },
     ofBits},
    {"exch", [](uint64_t, uint64_t b, uint64_t, const Type &) { return b; },
     ofBits},
    {"cas",
     [](uint64_t a, uint64_t b, uint64_t c, const Type &t) {
       return ((a ^ b) & t.mask()) == 0 ? c : a;
     },
     [](const Type &t) { return t.kind == Type::Kind::Bits && t.bits >= 16; }},
    {"add", addAny,
     [](const Type &t) {
       return t.isFloat() ? t.bits >= 16 && t.format != tensor : ofNumbers(t);
     }},
    {"inc",
     [](uint64_t a, uint64_t b, uint64_t, const Type &t) {
       return (a & t.mask()) >= (b & t.mask()) ? 0 : a + 1;
     },
     ofU32},
    {"dec",
     [](uint64_t a, uint64_t b, uint64_t, const Type &t) {
       a &= t.mask();
       b &= t.mask();
       return a == 0 || a > b ? b : a - 1;
     },
     ofU32},
    {"min",
     [](uint64_t a, uint64_t b, uint64_t, const Type &t) {
       return t.extend(b) < t.extend(a) ? b : a;
     },
     ofNumbers},
    {"max",
     [](uint64_t a, uint64_t b, uint64_t, const Type &t) {
       return t.extend(b) > t.extend(a) ? b : a;
     },
     ofNumbers},
};

struct Atomic {
  MemoryWords words;
  Type type;
  Update compute = nullptr;
  Address address;
  Source b, c;
  Destination to;
};

/// Computes an update; in global memory sums of f32 flush subnormals.
uint64_t computeIn(const Atomic &atomic, Space space, uint64_t old, uint64_t b,
                   uint64_t c) {
  bool flushes = atomic.compute == addAny && space == Space::Global &&
                 atomic.type.isFloat() && atomic.type.format == single;
  if (!flushes)
    return atomic.compute(old, b, c, atomic.type);
  return flush(
      atomic.compute(flush(old, single), flush(b, single), c, atomic.type),
      single);
}

bool runLane(Turn &turn, const Atomic &atomic, unsigned lane,
             LaneAddresses &shared, LaneAddresses &global, Mask &unwritten) {
  uint64_t address = turn.addressOf(atomic.address, lane);
  unsigned size = atomic.type.registerBits() / 8;
  Place place;
  if (!turn.find(atomic.words.space, address, size, size, lane, place))
    return false;
  if (place.space == Space::Shared)
    shared.emplace_back(lane, place.offset);
  else if (place.space == Space::Global)
    global.emplace_back(lane, place.offset);
  uint64_t where = meetingPoint(atomic.words, address);
  if (atomic.words.releases || turn.subgroup.fenced)
    release(turn, where);
  uint64_t old = 0;
  bool isUnwritten = false;
  if (!turn.load(place, address, size, lane, /*isStrong=*/true,
                 reinterpret_cast<uint8_t *>(&old), isUnwritten))
    return false;
  uint64_t result =
      computeIn(atomic, place.space, old, turn.readLane(atomic.b, lane),
                turn.readLane(atomic.c, lane));
  if (!turn.store(place, address, size, lane, /*isStrong=*/true,
                  reinterpret_cast<const uint8_t *>(&result)))
    return false;
  unwritten |= Mask(isUnwritten) << lane;
  if (isUnwritten)
    turn.checkWritten(Mask(1) << lane, "what an atomic changes");
  if (atomic.words.acquires)
    acquire(turn, where);
  else
    turn.subgroup.strongReads.insert(where);
  turn.write(atomic.to, lane, old);
  return true;
}

void runAtomic(Turn &turn, const Atomic &atomic) {
  LaneAddresses shared, global;
  Mask unwritten = 0, ofSources = 0;
  Lanes scratch;
  turn.read(atomic.b, scratch, ofSources);
  turn.read(atomic.c, scratch, ofSources);
  turn.checkWritten(ofSources, "the operand of an atomic");
  if (atomic.address.reg != none)
    turn.checkWritten(turn.subgroup.registers[atomic.address.reg].unwritten,
                      "an address");
  ++turn.machine.counters.atomics;
  Order order = turn.machine.order(laneCount, turn.machine.steps);
  for (unsigned i = 0; i < laneCount; ++i) {
    unsigned lane = order(i);
    if ((turn.active >> lane & 1) &&
        !runLane(turn, atomic, lane, shared, global, unwritten))
      return;
  }
  turn.mark(atomic.to, unwritten);
  unsigned size = atomic.type.registerBits() / 8;
  countGlobal(global, size, /*isLoad=*/false, turn.machine.counters);
  if (!shared.empty())
    ++turn.machine.counters.sharedRequests;
}

/// Decodes atom{...}.op{.noftz}.type d, [a], b{, c}; red without d.
Execute decodeAtomic(Decoding &d) {
  Atomic atomic;
  bool returns = d.root() == "atom";
  atomic.words = takeMemoryWords(d);
  const Operation *found = nullptr;
  for (const Operation &one : operations)
    if (!found && d.take(one.name))
      found = &one;
  if (!found)
    return {};
  bool keepsSubnormals = d.take("noftz");
  bool hint = d.take("L2::cache_hint");
  std::optional<Type> type = d.type();
  if (!type || !found->allows(*type) ||
      keepsSubnormals != (type->isFloat() && type->bits == 16))
    return {};
  atomic.type = *type;
  atomic.compute = found->compute;
  bool isSwap = std::string_view(found->name) == "cas";
  unsigned at = returns;
  if (returns)
    atomic.to = d.destination(0, *type);
  atomic.address = d.address(at);
  atomic.b = d.source(at + 1, *type);
  if (isSwap)
    atomic.c = d.source(at + 2, *type);
  bool exists = returns || (!isSwap && found->name != std::string_view("exch"));
  if (!exists || !d.complete(at + 2 + isSwap + (hint || atomic.words.hasHint)))
    return {};
  return [=](Turn &turn) { runAtomic(turn, atomic); };
}

constexpr Row atomicTable[] = {{"atom", decodeAtomic}, {"red", decodeAtomic}};

} // namespace

std::span<const Row> atomicRows() { return atomicTable; }

} // namespace distaff::ptx
