//===- Carry.cpp - Multi-word arithmetic ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add.cc and similar instructions set a carry in CC.CF, one bit per lane; addc
// and similar ones read it. For subtraction the bit is a borrow.
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

namespace distaff::ptx {
namespace {

/// The sum of up to three numbers of a type's width, and its carry.
struct Sum {
  uint64_t bits;
  bool carry;
};
using Sums = Sum (*)(uint64_t a, uint64_t b, uint64_t c, bool carry,
                     const Type &type, bool isHigh);

Sum cut(unsigned __int128 sum, const Type &type) {
  return {uint64_t(sum) & type.mask(), bool(sum >> type.bits & 1)};
}

Sum add(uint64_t a, uint64_t b, uint64_t, bool carry, const Type &t, bool) {
  unsigned __int128 x = a & t.mask(), y = b & t.mask();
  return cut(x + y + carry, t);
}

Sum subtract(uint64_t a, uint64_t b, uint64_t, bool borrow, const Type &t,
             bool) {
  unsigned __int128 x = a & t.mask(), y = b & t.mask();
  return cut(x - y - borrow, t); // bit `bits` of a difference is its borrow
}

Sum multiplyAdd(uint64_t a, uint64_t b, uint64_t c, bool carry, const Type &t,
                bool isHigh) {
  unsigned __int128 whole = product(t.extend(a), t.extend(b));
  unsigned __int128 part = (isHigh ? whole >> t.bits : whole) & t.mask();
  return cut(part + (c & t.mask()) + carry, t);
}

template <unsigned N>
Execute decodeCarry(Decoding &d, Sums compute, bool takes) {
  std::optional<unsigned> part;
  if (N == 3)
    part = d.takeOne({"lo", "hi"});
  bool leaves = d.take("cc");
  std::optional<Type> type = d.type();
  bool fits = type && type->isInteger() && type->bits >= 32 &&
              (N == 2 || part) && (takes || leaves) &&
              d.operandCount() == N + 1;
  if (!fits)
    return {};
  Destination to = d.destination(0, *type);
  std::array<Source, 3> from;
  for (unsigned i = 0; i < N; ++i)
    from[i] = d.source(i + 1, *type);
  if (!d.complete(N + 1))
    return {};
  return [=, t = *type, isHigh = part == 1u](Turn &turn) {
    Mask unwritten = 0;
    Lanes scratch;
    for (unsigned i = 0; i < N; ++i)
      turn.read(from[i], scratch, unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      Mask bit = Mask(1) << lane;
      Sum sum =
          compute(turn.readLane(from[0], lane), turn.readLane(from[1], lane),
                  N == 3 ? turn.readLane(from[2], lane) : 0,
                  takes && (turn.subgroup.carry & bit), t, isHigh);
      turn.write(to, lane, sum.bits);
      if (leaves)
        turn.subgroup.carry =
            sum.carry ? turn.subgroup.carry | bit : turn.subgroup.carry & ~bit;
    });
    turn.mark(to, unwritten);
  };
}

constexpr Row carryTable[] = {
    {"add", [](Decoding &d) { return decodeCarry<2>(d, add, false); }},
    {"addc", [](Decoding &d) { return decodeCarry<2>(d, add, true); }},
    {"sub", [](Decoding &d) { return decodeCarry<2>(d, subtract, false); }},
    {"subc", [](Decoding &d) { return decodeCarry<2>(d, subtract, true); }},
    {"mad", [](Decoding &d) { return decodeCarry<3>(d, multiplyAdd, false); }},
    {"madc", [](Decoding &d) { return decodeCarry<3>(d, multiplyAdd, true); }},
};

} // namespace

std::span<const Row> carryRows() { return carryTable; }

} // namespace distaff::ptx
