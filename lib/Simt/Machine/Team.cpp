//===- Team.cpp - Workers that an agent started ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Team.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

int64_t Team::find(Agent &starter, Operation *op) {
  return starter.workgroup().sync.find(
      {op, starter.seat().thread}, 1,
      [](int64_t) { return std::make_unique<Team>(); });
}

Team *Team::enclosing(const Agent &agent, const void *scope) {
  Workgroup &group = agent.workgroup();
  for (const Agent *inside = &agent; inside->isWorker();) {
    Team &team = group.sync.as<Team>(inside->seat().team);
    if (team.purpose.scope == scope)
      return &team;
    inside = &group.agents[team.purpose.starter];
  }
  return nullptr;
}

void Team::begin(Purpose newPurpose) {
  assert(running == 0 && "a team begins anew when it has finished");
  purpose = std::move(newPurpose);
  slots.clear();
  running = 0;
  shared.reset();
}

void Team::add(const Agent &agent) {
  slots.push_back(agent.seat().slot);
  ++running;
}

void Team::finish(Agent &agent) {
  Clocks &clocks = agent.workgroup().clocks;
  if (clocks.isPartial())
    forEachLane(agent.lanesThatExist(), [&](int64_t lane) {
      int64_t thread = agent.threadOf(lane);
      if (shared)
        shared->meet(clocks.knownTo(thread));
      else
        shared = clocks.knownTo(thread);
      clocks.end(thread, purpose.starterThread, purpose.isKnown,
                 purpose.knownBuffers);
    });
  assert(running > 0 && "a worker finishes once");
  --running;
}

void Team::pass(Agent &agent, const Wait &wait) {
  if (shared)
    agent.workgroup().clocks.learn(purpose.starterThread, *shared);
}

std::string Team::explain(const Agent &agent, const Wait &wait) const {
  return "waits for its workers";
}

int64_t Team::findBarrier(Workgroup &group, const void *set) {
  auto [it, isNew] = barriers.try_emplace(set, 0);
  if (isNew) {
    assert(!slots.empty() && "workers have a barrier");
    int64_t team = group.agents[slots.front()].seat().team;
    it->second = group.sync.add(std::make_unique<TeamBarrier>(team));
  }
  return it->second;
}

//===----------------------------------------------------------------------===//
// Barriers of teams
//===----------------------------------------------------------------------===//

void TeamBarrier::arrive(Agent &agent, int64_t threads, Reach reach,
                         SmallVector<int64_t> fenced) {
  Workgroup &group = agent.workgroup();
  expected = threads;
  arrived += agent.seat().weight;
  int64_t first = agent.threadOf(0);
  group.clocks.release(first, agent.mask(), gathered, Ordered(fenced));
  group.clocks.signal(first, agent.mask(), reach, gathered);
  arrivals[agent.seat().slot] = {reach, std::move(fenced)};
  present.insert(agent.seat().slot);
  if (arrived < expected)
    return;
  ++currentPhase;
  ++group.counters.barriers;
  released = std::move(gathered);
  gathered.clear();
  present.clear();
  arrived = 0;
}

void TeamBarrier::pass(Agent &agent, const Wait &wait) {
  Clocks &clocks = agent.workgroup().clocks;
  const Arrival &own = arrivals.at(agent.seat().slot);
  int64_t first = agent.threadOf(0);
  clocks.acquire(first, wait.lanes, released, Ordered(own.fenced));
  clocks.observe(first, wait.lanes, own.reach, released);
}

std::string TeamBarrier::explain(const Agent &agent, const Wait &wait) const {
  Workgroup &group = agent.workgroup();
  std::string text = "waits at this barrier for " +
                     std::to_string(expected - arrived) + " more of " +
                     std::to_string(expected) + " threads";
  const void *scope = group.sync.as<Team>(team).getPurpose().scope;
  for (const Agent &other : group.agents)
    if (other.status() == Agent::Status::Done && other.isWorker() &&
        Team::enclosing(other, scope) == &group.sync.as<Team>(team) &&
        !present.contains(other.seat().slot))
      return text + ", but " + other.name() +
             " has finished without reaching it";
  return text;
}
