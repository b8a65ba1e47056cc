//===- Workgroup.cpp - Agents by turns, barriers, memory ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Launch.h"

using namespace distaff;
using namespace distaff::simt;

static uint64_t lanesOf(int64_t agent, int64_t lanes, int64_t threads) {
  int64_t rest = std::min(lanes, threads - agent * lanes);
  return ~uint64_t(0) >> (64 - rest);
}

Workgroup::Workgroup(Launch &launch, int64_t number)
    : launch(launch), number(number), local(launch.preloaded),
      globalShadows(launch.globals.size()) {
  id = {number % launch.grid[0], number / launch.grid[0] % launch.grid[1],
        number / launch.grid[0] / launch.grid[1]};
  int64_t lanes = launch.program.lanes;
  agents.reserve(launch.numAgents);
  for (int64_t i = 0; i < launch.numAgents; ++i)
    agents.emplace_back(launch.program, this, i,
                        lanesOf(i, lanes, launch.numThreads));
}

Workgroup::Workgroup(const Workgroup &other) = default;

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

/// A small generator whose sequence is the same everywhere (splitmix64).
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

void Workgroup::stepWithinLimit(Agent &agent) {
  if (counters.instructions++ < launch.options.maxSteps) {
    agent.step();
    return;
  }
  agent.fault(agent.instruction().op, FaultKind::Endless,
              "subgroup " + Twine(agent.id()) + " is still here after " +
                  Twine(launch.options.maxSteps) +
                  " instructions of its workgroup");
}

void Workgroup::run() {
  for (Agent &agent : agents)
    agent.setWorkgroup(this); // after a copy
  uint64_t seed = launch.options.schedule;
  while (!fault) {
    if (seed == 0)
      for (Agent &agent : agents)
        while (agent.status() == Agent::Status::Running)
          stepWithinLimit(agent);
    else
      runInTurns(seed ^ uint64_t(number) << 32 ^ epoch);
    bool allDone = llvm::all_of(agents, [](const Agent &agent) {
      return agent.status() == Agent::Status::Done;
    });
    if (fault || allDone)
      break;
    releaseBarrier();
  }
  // Whatever went wrong after a read without a value may be its consequence; a
  // race may be the cause.
  if (fault && fault->kind != FaultKind::Race && unwritten)
    fault = unwritten;
}

/// Until no agent is running: one of them, chosen at random, for a few steps.
void Workgroup::runInTurns(uint64_t seed) {
  SmallVector<Agent *> running;
  for (Agent &agent : agents)
    if (agent.status() == Agent::Status::Running)
      running.push_back(&agent);
  while (!running.empty() && !fault) {
    uint64_t random = nextRandom(seed);
    Agent *&agent = running[random % running.size()];
    for (uint64_t steps = 1 + (random >> 32) % 16;
         steps > 0 && agent->status() == Agent::Status::Running; --steps)
      stepWithinLimit(*agent);
    if (agent->status() != Agent::Status::Running) {
      agent = running.back();
      running.pop_back();
    }
  }
}

/// All agents have stopped, at a barrier or at the end.
void Workgroup::releaseBarrier() {
  const Agent *waiting = llvm::find_if(agents, [](const Agent &agent) {
                           return agent.status() == Agent::Status::AtBarrier;
                         }).base();
  for (const Agent &agent : agents) {
    Operation *barrier = waiting->instruction().op;
    if (agent.status() == Agent::Status::Done) {
      fault = Fault{FaultKind::Deadlock,
                    "subgroup " + std::to_string(waiting->id()) +
                        " waits at this barrier, but subgroup " +
                        std::to_string(agent.id()) +
                        " has finished without reaching it",
                    barrier,
                    waiting->placeOf(-1),
                    {}};
      return;
    }
    if (agent.position() != waiting->position()) {
      fault = Fault{FaultKind::DivergentBarrier,
                    "subgroup " + std::to_string(waiting->id()) +
                        " waits at this barrier, but subgroup " +
                        std::to_string(agent.id()) + " waits at another",
                    barrier,
                    waiting->placeOf(-1),
                    {{agent.instruction().op, "the other barrier"}}};
      return;
    }
  }
  ++epoch;
  ++counters.barriers;
  for (Agent &agent : agents)
    agent.step();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t Workgroup::numBuffers() const {
  return int64_t(launch.globals.size() + local.size());
}

Buffer &Workgroup::buffer(int64_t number) {
  int64_t globals = int64_t(launch.globals.size());
  return number < globals ? launch.globals[number] : local[number - globals];
}

Shadow &Workgroup::shadow(int64_t number) {
  int64_t globals = int64_t(launch.globals.size());
  return number < globals ? globalShadows[number]
                          : local[number - globals].shadow;
}

int64_t Workgroup::addBuffer(Buffer buffer) {
  local.push_back(std::move(buffer));
  return int64_t(launch.globals.size() + local.size()) - 1;
}

/// Memory that has no values yet; its bytes are a pattern easily recognised.
static Buffer makeBuffer(const Domain &domain, Buffer::Space space, Kind kind,
                         int64_t elements) {
  Buffer buffer;
  buffer.space = space;
  buffer.kind = kind;
  buffer.elements = elements;
  buffer.cellBytes = domain.memoryCellBytes(kind);
  buffer.written = false;
  buffer.name =
      space == Buffer::Space::Workgroup ? "workgroup memory" : "private memory";
  // A NaN where cells are bits; elsewhere a cell must be well-formed.
  buffer.cells.assign(elements * buffer.cellBytes,
                      domain.mayReinterpretMemory() ? 0xFF : 0);
  return buffer;
}

int64_t Workgroup::sharedBuffer(Operation *op, Kind kind, int64_t elements) {
  auto [it, isNew] = shared.try_emplace(op, 0);
  if (isNew) {
    it->second = addBuffer(makeBuffer(
        *launch.program.domain, Buffer::Space::Workgroup, kind, elements));
    buffer(it->second).align(op);
  }
  return it->second;
}

int64_t Workgroup::privateBuffer(Operation *op, const Agent &agent, Kind kind,
                                 int64_t elements, bool isFresh) {
  auto [it, isNew] = privates.try_emplace({op, agent.id()}, 0);
  int64_t count = elements * agent.lanes();
  // Executed again, perhaps by other lanes: the memory is the same.
  if (!isNew && !isFresh && buffer(it->second).elements == count)
    return it->second;
  it->second = addBuffer(
      makeBuffer(*launch.program.domain, Buffer::Space::Private, kind, count));
  buffer(it->second).align(op);
  return it->second;
}

void Workgroup::freeBuffer(int64_t number) {
  Buffer &freed = buffer(number);
  freed.cells = {};
  freed.elements = 0;
  freed.shadow.clear();
  freed.name += " that was freed";
}
