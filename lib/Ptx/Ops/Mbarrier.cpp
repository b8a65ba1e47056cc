//===- Mbarrier.cpp - Barriers in shared memory ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that an arrival returns is the number of its phase, above the
// number of pending arrivals. The 64 bits of the object are opaque in hardware:
// the machine keeps the barrier outside of the memory.
//
//===----------------------------------------------------------------------===//
#include "MemoryWords.h"

#include <algorithm>
#include <cassert>

namespace distaff::ptx {
namespace {

uint64_t stateOf(const Mbarrier &barrier) {
  return barrier.phase << 32 | barrier.pending;
}

Mbarrier *findMbarrier(Turn &turn, uint64_t address, unsigned lane) {
  auto found = turn.workgroup.mbarriers.find(address);
  if (found != turn.workgroup.mbarriers.end())
    return &found->second;
  turn.fail(FaultKind::Unwritten, lane, "no mbarrier was initialised here",
            address);
  turn.machine.stopped = true;
  return nullptr;
}

void endPhase(Mbarrier &barrier) {
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.knownBefore.join(barrier.known);
}

/// Releases the subgroup's knowledge to those that observe the phase's end.
void tell(Turn &turn, Mbarrier &barrier) {
  Knowledge mine = turn.subgroup.knows;
  mine.subgroups[turn.subgroup.number] = ++turn.machine.clock;
  barrier.known.join(mine);
}

void arrive(Turn &turn, Mbarrier &barrier, uint32_t count, unsigned lane,
            uint64_t address) {
  if (count == 0 || count > barrier.pending) {
    turn.fail(FaultKind::Deadlock, lane,
              std::to_string(count) + " arrivals, " +
                  std::to_string(barrier.pending) + " are pending",
              address);
    return;
  }
  tell(turn, barrier);
  assert(barrier.pending <= 0xFFFFF && "an mbarrier counts to 2^20 - 1");
  barrier.pending -= count;
  if (barrier.pending == 0)
    endPhase(barrier);
}

/// Takes the words of a memory model, and the space: it is always shared
/// memory.
bool takeWords(Decoding &d) {
  MemoryWords words = takeMemoryWords(d);
  return d.take("b64") &&
         (words.space == Space::Shared || words.space == Space::Generic);
}

template <typename Function>
Execute forBarriers(Decoding &d, unsigned at, size_t operands,
                    Function function) {
  Address address = d.address(at);
  if (!d.complete(operands))
    return {};
  return [=](Turn &turn) {
    forEachLane(turn.active, [&](unsigned lane) {
      uint64_t where = turn.addressOf(address, lane);
      if (where >= sharedWindow && where - sharedWindow < windowSize)
        where -= sharedWindow;
      Place place;
      if (!turn.machine.stopped &&
          turn.find(Space::Shared, where, 8, 8, lane, place))
        function(turn, where, lane);
    });
  };
}

/// Decodes mbarrier.init [a], count.
Execute decodeInit(Decoding &d) {
  if (!d.take("init") || !takeWords(d))
    return {};
  Source count = d.source(1, u32Type);
  return forBarriers(d, 0, 2, [=](Turn &turn, uint64_t where, unsigned lane) {
    Mbarrier barrier;
    barrier.expected = uint32_t(turn.readLane(count, lane));
    barrier.pending = barrier.expected;
    if (barrier.expected == 0 || barrier.expected >= 1 << 20)
      return turn.fail(FaultKind::OutOfBounds, lane,
                       "an mbarrier of " + std::to_string(barrier.expected) +
                           " arrivals",
                       where);
    turn.workgroup.mbarriers[where] = barrier;
  });
}

Execute decodeInvalidate(Decoding &d) {
  if (!d.take("inval") || !takeWords(d))
    return {};
  return forBarriers(d, 0, 1, [](Turn &turn, uint64_t where, unsigned lane) {
    if (findMbarrier(turn, where, lane))
      turn.workgroup.mbarriers.erase(where);
  });
}

/// Decodes mbarrier.arrive{_drop}{.noComplete} state, [a]{, count}.
template <bool drops> Execute decodeArrive(Decoding &d) {
  if (!d.take(drops ? "arrive_drop" : "arrive"))
    return {};
  bool staysOpen = d.take("noComplete");
  if (!takeWords(d))
    return {};
  Destination state = d.destination(0, b64Type);
  Source count;
  count.value = 1;
  if (d.operandCount() == 3)
    count = d.source(2, u32Type);
  if (staysOpen && d.operandCount() != 3)
    return {};
  return forBarriers(
      d, 1, d.operandCount(), [=](Turn &turn, uint64_t where, unsigned lane) {
        Mbarrier *barrier = findMbarrier(turn, where, lane);
        if (!barrier)
          return;
        uint32_t arrivals = uint32_t(turn.readLane(count, lane));
        turn.write(state, lane, stateOf(*barrier));
        if (staysOpen && arrivals >= barrier->pending)
          return turn.fail(FaultKind::Deadlock, lane,
                           "this arrival would end the phase", where);
        if (drops)
          barrier->expected -= std::min(arrivals, barrier->expected);
        arrive(turn, *barrier, arrivals, lane, where);
      });
}

/// Performs the arrivals of copies that are due.
void poll(Turn &turn, Mbarrier &barrier, uint64_t where) {
  std::vector<Mbarrier::Late> due;
  for (Mbarrier::Late &one : barrier.late)
    if (one.polls-- == 0)
      due.push_back(one);
  std::erase_if(barrier.late,
                [](const Mbarrier::Late &one) { return one.polls == ~0u; });
  for (const Mbarrier::Late &one : due) {
    Turn other = {turn.machine,
                  turn.workgroup,
                  turn.workgroup.subgroups[one.subgroup],
                  turn.instruction,
                  turn.pc,
                  turn.rejoin,
                  Mask(1) << one.lane};
    landCopies(other, one.lane, one.copies);
    arrive(other, barrier, 1, one.lane, where);
  }
}

/// Decodes mbarrier.test_wait{.parity} p, [a], state.
Execute decodeTestWait(Decoding &d) {
  if (!d.take("test_wait"))
    return {};
  bool byParity = d.take("parity");
  if (!takeWords(d))
    return {};
  Destination to = d.destination(0, predicateType);
  Source state = d.source(2, byParity ? u32Type : b64Type);
  return forBarriers(d, 1, 3, [=](Turn &turn, uint64_t where, unsigned lane) {
    Mbarrier *barrier = findMbarrier(turn, where, lane);
    if (!barrier)
      return;
    poll(turn, *barrier, where);
    uint64_t value = turn.readLane(state, lane);
    bool isOver = byParity ? (barrier->phase & 1) != (value & 1)
                           : barrier->phase != value >> 32;
    if (isOver)
      turn.subgroup.learn(barrier->knownBefore);
    turn.write(to, lane, isOver);
    turn.mark(to, 0);
  });
}

/// Decodes mbarrier.pending_count.b64 count, state.
Execute decodePending(Decoding &d) {
  if (!d.take("pending_count") || !d.take("b64"))
    return {};
  return lanewise<1>(d, u32Type, std::array{b64Type},
                     [](uint64_t a) { return a & 0xFFFFFFFF; });
}

/// Decodes cp.async.mbarrier.arrive{.noinc} [a]: an arrival when the lane's
/// copies are over, which without .noinc is one more than expected.
Execute decodeCopyArrive(Decoding &d) {
  if (!d.take("async") || !d.take("mbarrier") || !d.take("arrive"))
    return {};
  bool isExpected = d.take("noinc");
  if (!takeWords(d))
    return {};
  return forBarriers(d, 0, 1, [=](Turn &turn, uint64_t where, unsigned lane) {
    Mbarrier *barrier = findMbarrier(turn, where, lane);
    if (!barrier)
      return;
    barrier->pending += !isExpected;
    uint64_t issued = turn.subgroup.copies[lane].issued;
    if (!turn.machine.isLate(issued + lane)) {
      landCopies(turn, lane, issued);
      arrive(turn, *barrier, 1, lane, where);
      return;
    }
    barrier->late.push_back({turn.subgroup.number, lane, 2, issued});
  });
}

constexpr Row mbarrierTable[] = {
    {"mbarrier", decodeInit},          {"mbarrier", decodeInvalidate},
    {"mbarrier", decodeArrive<false>}, {"mbarrier", decodeArrive<true>},
    {"mbarrier", decodeTestWait},      {"mbarrier", decodePending},
    {"cp", decodeCopyArrive},
};

} // namespace

std::span<const Row> mbarrierRows() { return mbarrierTable; }

} // namespace distaff::ptx
