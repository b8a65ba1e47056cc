//===- Barrier.cpp - Barriers and fences ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MemoryWords.h"

#include <cassert>

namespace distaff::ptx {
namespace {

enum class Action { Sync, Arrive, Reduce };

struct Meeting {
  Action action = Action::Sync;
  bool hasCount = false;
  Source barrier, count;
  unsigned reduction = 0; ///< 0: popc, 1: and, 2: or
  Destination to;
  Source vote;
};

uint64_t reduced(unsigned reduction, uint64_t count, uint64_t threads) {
  return reduction == 0 ? count : reduction == 1 ? count == threads : count > 0;
}

/// Releases all waiting subgroups.
void complete(Machine &machine, unsigned id) {
  Barrier done = machine.workgroup.barriers[id];
  assert(done.expected > 0 && "a barrier that is complete was come to");
  machine.workgroup.barriers[id] = {};
  ++machine.counters.barriers;
  for (Subgroup &one : machine.workgroup.subgroups) {
    if (one.waitsFor != int(id))
      continue;
    one.learn(done.known);
    one.waitsFor = -1;
    if (one.onRelease) {
      std::function<void(uint64_t)> release = std::move(one.onRelease);
      one.onRelease = nullptr;
      release(done.count << 32 | done.threads);
    }
  }
}

/// Returns whether all subgroups have arrived for which a barrier waits.
bool isComplete(const Machine &machine, const Barrier &barrier) {
  if (barrier.expected == 0 || !barrier.isForAll)
    return barrier.expected != 0 && barrier.arrived == barrier.expected;
  for (const Subgroup &one : machine.workgroup.subgroups)
    if (one.running && !(barrier.came >> one.number & 1))
      return false;
  return true;
}

/// Casts the vote of bar.red; the result follows when the barrier is complete.
void cast(Turn &turn, const Meeting &meeting, Barrier &barrier) {
  Mask unwritten = 0;
  Lanes scratch;
  const Lanes &votes = turn.read(meeting.vote, scratch, unwritten);
  turn.checkWritten(unwritten, "a vote");
  forEachLane(turn.active,
              [&](unsigned lane) { barrier.count += votes[lane] & 1; });
  barrier.threads += __builtin_popcount(turn.active);
  Subgroup &subgroup = turn.subgroup;
  Mask active = turn.active;
  subgroup.onRelease = [&subgroup, active, meeting](uint64_t votes) {
    uint64_t result = reduced(meeting.reduction, votes >> 32, uint32_t(votes));
    if (meeting.to.reg == none)
      return;
    Register &to = subgroup.registers[meeting.to.reg];
    forEachLane(active, [&](unsigned lane) {
      to.bits[lane] = result & meeting.to.mask;
    });
    to.unwritten &= ~active;
  };
}

/// Returns the threads for which the barrier waits, 0 with a fault.
unsigned expectedThreads(Turn &turn, const Meeting &meeting, unsigned lane) {
  unsigned whole = turn.workgroup.subgroups.size() * laneCount;
  if (!meeting.hasCount)
    return whole;
  uint64_t count = turn.readLane(meeting.count, lane) & 0xFFFFFFFF;
  if (count > 0 && count <= whole && count % laneCount == 0)
    return count;
  turn.fail(FaultKind::Deadlock, -1,
            "a barrier of " + std::to_string(count) + " threads, in one of " +
                std::to_string(whole));
  return 0;
}

/// Returns the barrier at which a subgroup arrives, null with a fault.
Barrier *findBarrier(Turn &turn, const Meeting &meeting) {
  unsigned lane = __builtin_ctz(turn.active);
  auto fail = [&](FaultKind kind, std::string text) {
    turn.fail(kind, lane, std::move(text));
    return nullptr;
  };
  // A lane that has exited need not arrive, all others must.
  if (turn.active != turn.present())
    return fail(FaultKind::DivergentBarrier,
                "only lanes " + hexadecimal(turn.active) + " are here");
  uint64_t id = turn.readLane(meeting.barrier, lane);
  unsigned expected = expectedThreads(turn, meeting, lane);
  if (expected == 0)
    return nullptr;
  if (id >= turn.workgroup.barriers.size())
    return fail(FaultKind::OutOfBounds,
                "barrier " + std::to_string(id) + " of 16");
  Barrier &barrier = turn.workgroup.barriers[id];
  if (barrier.expected == 0) {
    barrier.expected = expected;
    barrier.line = turn.instruction.line;
    barrier.isReduction = meeting.action == Action::Reduce;
  }
  if (barrier.expected != expected)
    return fail(FaultKind::DivergentBarrier,
                "barrier " + std::to_string(id) + " of " +
                    std::to_string(expected) + " threads, others wait for " +
                    std::to_string(barrier.expected));
  if (barrier.isReduction != (meeting.action == Action::Reduce))
    return fail(FaultKind::DivergentBarrier,
                "a reduction meets a barrier without one");
  return &barrier;
}

void meet(Turn &turn, const Meeting &meeting) {
  Barrier *barrier = findBarrier(turn, meeting);
  if (!barrier)
    return;
  unsigned id = barrier - turn.workgroup.barriers.data();
  Knowledge mine = turn.subgroup.knows;
  mine.subgroups[turn.subgroup.number] = ++turn.machine.clock;
  barrier->known.join(mine);
  assert(turn.subgroup.waitsFor < 0 && "who waits does not come again");
  barrier->arrived += laneCount;
  assert((barrier->isForAll || barrier->arrived <= barrier->expected) &&
         "a barrier that is full is as new");
  barrier->came |= Mask(1) << turn.subgroup.number;
  barrier->isForAll |= !meeting.hasCount;
  if (meeting.action == Action::Reduce)
    cast(turn, meeting, *barrier);
  if (meeting.action != Action::Arrive)
    turn.subgroup.waitsFor = int(id);
  if (isComplete(turn.machine, *barrier))
    complete(turn.machine, id);
}

/// Decodes bar{.cta}.{sync,arrive,red...} and barrier{.cta}...{.aligned}. Whole
/// subgroups must also execute the forms without .aligned.
Execute decodeBarrier(Decoding &d) {
  Meeting meeting;
  d.take("cta");
  std::optional<unsigned> action = d.takeOne({"sync", "arrive", "red"});
  if (!action)
    return {};
  meeting.action = Action(*action);
  bool reduces = meeting.action == Action::Reduce;
  std::optional<unsigned> reduction;
  if (reduces && !(reduction = d.takeOne({"popc", "and", "or"})))
    return {};
  if (d.root() == "barrier")
    d.take("aligned");
  if (reduces && !d.take(*reduction == 0 ? "u32" : "pred"))
    return {};
  meeting.reduction = reduction.value_or(0);
  unsigned at = reduces;
  if (reduces)
    meeting.to = d.destination(0, *reduction == 0 ? u32Type : predicateType);
  meeting.barrier = d.source(at, u32Type);
  size_t left = d.operandCount() - at - 1 - reduces;
  meeting.hasCount = left == 1;
  if (meeting.hasCount)
    meeting.count = d.source(at + 1, u32Type);
  if (reduces)
    meeting.vote = d.source(d.operandCount() - 1, predicateType);
  if (left > 1 || (meeting.action == Action::Arrive && !meeting.hasCount) ||
      !d.complete(d.operandCount()))
    return {};
  return [=](Turn &turn) { meet(turn, meeting); };
}

/// Joins the knowledge of lanes that wait for each other, and their own
/// accesses; it adds nothing about lanes outside.
LaneKnowledge meetLanes(const Subgroup &subgroup, Mask members, Time now) {
  LaneKnowledge known = {};
  for (Mask left = members; left; left &= left - 1) {
    const LaneKnowledge &one = subgroup.knowsLanes[__builtin_ctz(left)];
    for (unsigned i = 0; i < laneCount; ++i)
      known[i] = std::max(known[i], one[i]);
  }
  for (Mask left = members; left; left &= left - 1)
    known[__builtin_ctz(left)] = now;
  return known;
}

/// Decodes bar.warp.sync members.
Execute decodeLaneBarrier(Decoding &d) {
  if (!d.take("warp") || !d.take("sync"))
    return {};
  Source named = d.source(0, b32Type);
  if (!d.complete(1))
    return {};
  return [=](Turn &turn) {
    Time now = ++turn.machine.clock;
    Mask met = 0;
    for (Mask left = turn.active; left; left &= left - 1) {
      unsigned lane = __builtin_ctz(left);
      Mask members = Mask(turn.readLane(named, lane)) & turn.present();
      if ((members & ~turn.active) || !(members >> lane & 1))
        return turn.fail(FaultKind::DivergentBarrier, lane,
                         "the mask names lanes " + hexadecimal(members) +
                             ", here are " + hexadecimal(turn.active));
      if (met >> lane & 1)
        continue;
      LaneKnowledge known = meetLanes(turn.subgroup, members, now);
      for (Mask those = members; those; those &= those - 1)
        turn.subgroup.knowsLanes[__builtin_ctz(those)] = known;
      met |= members;
    }
  };
}

/// Decodes membar.{cta,gl,sys} and fence{.sc,.acq_rel,...}.scope. Strong reads
/// before it become acquires, strong writes after it become releases.
Execute decodeFence(Decoding &d) {
  if (d.root() == "fence")
    d.takeOne({"sc", "acq_rel", "acquire", "release"});
  if (!d.takeOne({"cta", "gl", "gpu", "sys"}) || !d.complete(0))
    return {};
  return [](Turn &turn) {
    for (uint64_t address : turn.subgroup.strongReads)
      acquire(turn, address);
    turn.subgroup.strongReads.clear();
    turn.subgroup.fenced = true;
  };
}

constexpr Row barrierTable[] = {
    {"bar", decodeBarrier},     {"barrier", decodeBarrier},
    {"bar", decodeLaneBarrier}, {"membar", decodeFence},
    {"fence", decodeFence},
};

} // namespace

void completeBarriers(Machine &machine) {
  for (unsigned id = 0; id < machine.workgroup.barriers.size(); ++id)
    if (isComplete(machine, machine.workgroup.barriers[id]))
      complete(machine, id);
}

std::span<const Row> barrierRows() { return barrierTable; }

} // namespace distaff::ptx
