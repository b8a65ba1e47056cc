//===- Workgroup.cpp - Subgroup scheduling in a workgroup -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Decoding.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace distaff::ptx {
namespace {

/// Instructions after which a spinning subgroup yields to others.
constexpr int64_t share = 1 << 12;

} // namespace

void Machine::startWorkgroup() {
  workgroup.shared.reset();
  workgroup.barriers = {};
  workgroup.mbarriers.clear();
  // Another workgroup's shared memory has the same addresses.
  released.erase(released.lower_bound(sharedWindow), released.end());
  ++clock;
  stepsBefore = steps;
  for (Subgroup &one : workgroup.subgroups) {
    one.running = one.exists;
    one.paths = {{function.begin, function.end, one.exists, 0}};
    one.frames.clear();
    one.waitsFor = -1;
    one.carry = 0;
    one.knows = {};
    one.knowsLanes = {};
    one.copies.fill({});
    one.own.reset();
    one.unwrittenLine = 0;
    one.fenced = false;
    one.strongReads.clear();
    one.onRelease = nullptr;
    fillRegisters(one);
  }
}

/// Advances a generator of 64 bits (Knuth's MMIX), whose upper bits are mixed.
static uint64_t nextGarbage(uint64_t &state) {
  return state = state * 6364136223846793005u + 1442695040888963407u;
}

/// Fills registers with garbage, so that no values of another workgroup remain.
void Machine::fillRegisters(Subgroup &subgroup) {
  uint64_t garbage = launch.seed * 0x9E3779B97F4A7C15u +
                     workgroup.number * mostSubgroups + subgroup.number;
  for (unsigned number : used) {
    Register &reg = subgroup.registers[number];
    unsigned bits = program.registerBits[number];
    uint64_t mask = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    reg.unwritten = 0;
    for (uint64_t &value : reg.bits)
      value = (nextGarbage(garbage) >> 20 ^ garbage << 40) & mask;
  }
}

void Machine::runWorkgroup() {
  std::vector<Subgroup> &all = workgroup.subgroups;
  for (uint64_t round = 0; !stopped; ++round) {
    Order order = this->order(all.size(), round);
    bool anyRan = false;
    for (size_t i = 0; i < all.size() && !stopped; ++i) {
      Subgroup &one = all[order(i)];
      if (one.paths.empty() || one.waitsFor >= 0)
        continue;
      anyRan = true;
      runSubgroup(one);
    }
    if (anyRan)
      continue;
    checkDeadlock();
    return;
  }
}

void Machine::checkDeadlock() {
  for (const Subgroup &one : workgroup.subgroups) {
    if (one.waitsFor < 0)
      continue;
    assert(size_t(one.waitsFor) < workgroup.barriers.size() &&
           "a workgroup has 16 barriers");
    const Barrier &barrier = workgroup.barriers[one.waitsFor];
    Fault fault;
    fault.kind = FaultKind::Deadlock;
    fault.line = barrier.line;
    fault.workgroup = workgroup.position;
    fault.text = "barrier " + std::to_string(one.waitsFor) + " has " +
                 std::to_string(barrier.arrived) + " of " +
                 std::to_string(barrier.expected) +
                 " threads and no other will come";
    report(std::move(fault));
    return;
  }
}

/// Makes a collective instruction wait for the lanes that diverged from these
/// before, as from sm_70 on: whether they reach it too is known only when they
/// have. Post-dominators do not show it, since a branch that no lane takes
/// alone may lead to the end. Returns whether another path is to run.
bool Machine::givesWay(Subgroup &subgroup) {
  std::vector<Path> &paths = subgroup.paths;
  Path path = paths.back();
  if (!areOfAll[path.pc])
    return false;
  auto parted = paths.end() - 1;
  while (parted != paths.begin() && parted[-1].rejoin == path.rejoin &&
         parted[-1].frame == path.frame)
    --parted;
  for (auto other = parted; other + 1 != paths.end();) {
    if (other->pc != path.pc) {
      ++other;
      continue;
    }
    path.lanes |= other->lanes & subgroup.running;
    path.awaited |= other->awaited;
    other = paths.erase(other);
  }
  paths.back() = path;
  auto next = std::find_if(parted, paths.end() - 1, [&](const Path &other) {
    return !other.awaited && (other.lanes & subgroup.running) != 0;
  });
  if (next == paths.end() - 1)
    return false;
  paths.back().awaited = subgroup.running & ~path.lanes;
  std::swap(*next, paths.back());
  return true;
}

void Machine::runSubgroup(Subgroup &subgroup) {
  int64_t end = steps + share;
  while (!subgroup.paths.empty() && subgroup.waitsFor < 0 && !stopped) {
    Path &path = subgroup.paths.back();
    assert(path.frame == subgroup.frames.size() &&
           "the path that runs is inside of the calls under way");
    path.lanes &= subgroup.running;
    if (path.frame > 0)
      path.lanes &= ~subgroup.frames.back().returned;
    if (path.lanes != 0 && path.pc != path.rejoin) {
      if (steps == end)
        return;
      if (!givesWay(subgroup))
        step(subgroup, subgroup.paths.back());
      continue;
    }
    unsigned frame = path.frame;
    subgroup.paths.pop_back();
    if (frame > 0 && subgroup.paths.back().frame < frame)
      leaveCall(subgroup);
  }
}

Mask Machine::activeLanes(Subgroup &subgroup, const Path &path,
                          const Instruction &instruction, Turn &turn) {
  if (instruction.guard == none)
    return path.lanes;
  const Register &guard = subgroup.registers[instruction.guard];
  turn.active = path.lanes;
  if (guard.unwritten & path.lanes)
    turn.checkWritten(guard.unwritten, "a predicate");
  Mask holds = 0;
  for (unsigned lane = 0; lane < laneCount; ++lane)
    holds |= Mask(guard.bits[lane] & 1) << lane;
  return path.lanes & (instruction.guardNegated ? ~holds : holds);
}

void Machine::step(Subgroup &subgroup, Path &path) {
  assert(path.pc < executes.size() && "a path is at an instruction");
  assert((path.lanes & ~subgroup.exists) == 0 && "lanes that run exist");
  const Instruction &instruction = program.instructions[path.pc];
  Turn turn{*this,   workgroup,        subgroup, instruction,
            path.pc, rejoins[path.pc], 0};
  turn.awaited = std::exchange(path.awaited, 0);
  turn.active = activeLanes(subgroup, path, instruction, turn);
  ++counters.instructions;
  if (++steps - stepsBefore > launch.stepLimit) {
    outcome.verdict = Verdict::StepLimit;
    outcome.text = "line " + std::to_string(instruction.line) + ": after " +
                   std::to_string(launch.stepLimit) +
                   " instructions of the workgroup there is no end";
    stopped = true;
    return;
  }
  const Execute &execute = executes[path.pc++];
  if (turn.active == 0)
    return;
  if (!execute)
    return turn.notModelled(""); // the fault's text is the instruction
  execute(turn);
}

/// Returns from a call: results go to the caller's registers or parameters, in
/// the lanes that called and have not exited since.
void Machine::leaveCall(Subgroup &subgroup) {
  assert(!subgroup.frames.empty() && "a call that is left was entered");
  Frame frame = subgroup.frames.back();
  subgroup.frames.pop_back();
  const Instruction &call = program.instructions[frame.callSite];
  const Function &callee = program.functions[frame.function];
  if (callee.results.empty() || !executes[frame.callSite])
    return;
  const std::vector<Operand> &results = call.operands[0].elements;
  Path &path = subgroup.paths.back();
  Turn turn{*this,
            workgroup,
            subgroup,
            call,
            frame.callSite,
            path.pc,
            frame.called & subgroup.running};
  passFormals(turn, callee.results, results, /*toFormals=*/false);
}

} // namespace distaff::ptx
