//===- Barrier.cpp - Barriers of a workgroup and of its subgroups ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Barrier.h"
#include "Launch.h"

using namespace distaff;
using namespace distaff::simt;

static const char key = 0;

int64_t Barrier::find(const Agent &agent, int64_t number) {
  assert(number >= 0 && number < perWorkgroup && "the barrier is there");
  int64_t inAll = agent.seat().instance * perWorkgroup + number;
  return agent.workgroup().sync.find({&key, inAll}, 1, [=](int64_t) {
    return std::make_unique<Barrier>(number);
  });
}

/// Returns whether an agent runs code within a workgroup, at the level of a
/// subgroup or a lane: agents of the launch have the lanes of a subgroup,
/// workers stand for them.
static bool isWithinWorkgroup(const Agent &agent) {
  return agent.seat().depth != Seat::Depth::Workgroup;
}

static int64_t threadsOfSubgroup(const Agent &agent) {
  return isWithinWorkgroup(agent)
             ? agent.workgroup().launch.options.subgroupSize
             : agent.lanes();
}

/// Returns the number of threads of the whole workgroup of an agent.
static int64_t threadsOfWorkgroup(const Agent &agent) {
  const Launch &launch = agent.workgroup().launch;
  if (isWithinWorkgroup(agent))
    return launch.numSubgroups() * launch.options.subgroupSize;
  return agent.isWorker() ? agent.seat().weight
                          : launch.numAgents * agent.lanes();
}

/// Returns whether two agents use the same barriers.
static bool isOfSameWorkgroup(const Agent &agent, const Agent &other) {
  return agent.seat().instance == other.seat().instance &&
         isWithinWorkgroup(agent) == isWithinWorkgroup(other);
}

static std::string subgroup(int64_t number) {
  return "subgroup " + std::to_string(number);
}

std::optional<Fault> Barrier::checkArrival(const Agent &agent,
                                           const Arrival &arrival, bool isWhole,
                                           int64_t threads) const {
  Operation *op = arrival.op;
  int64_t unit = threadsOfSubgroup(agent);
  if (threads < 1 || threads % unit != 0)
    return Fault{FaultKind::Misuse,
                 "a barrier counts whole subgroups of " + std::to_string(unit) +
                     " threads, found " + std::to_string(threads),
                 op,
                 agent.placeOf(-1),
                 {}};
  if (arrivals.empty())
    return std::nullopt;
  const Arrival &first = arrivals.front();
  bool atOnePlace = !first.anywhere && !arrival.anywhere;
  if (atOnePlace && isWhole && ofWhole && first.position != arrival.position) {
    // The message is the same in any order of arrival.
    bool inOrder = first.agent < agent.id();
    return Fault{FaultKind::DivergentBarrier,
                 subgroup(std::min(first.agent, agent.id())) +
                     " waits at this barrier, but " +
                     subgroup(std::max(first.agent, agent.id())) +
                     " waits at another",
                 inOrder ? first.op : op,
                 agent.placeOf(-1),
                 {{inOrder ? op : first.op, "the other barrier"}}};
  }
  if (threads != expected)
    return Fault{FaultKind::Misuse,
                 subgroup(agent.id()) + " arrives at barrier " +
                     std::to_string(number) + " for " +
                     std::to_string(threads) + " threads, " +
                     subgroup(first.agent) + " for " + std::to_string(expected),
                 op,
                 agent.placeOf(-1),
                 {{first.op, "the other arrival"}}};
  return std::nullopt;
}

std::optional<Fault> Barrier::arrive(Agent &agent, Operation *op,
                                     std::optional<int64_t> threads,
                                     bool ordersMemory, bool anywhere) {
  Workgroup &group = agent.workgroup();
  int64_t count = threads ? *threads : threadsOfWorkgroup(agent);
  Arrival arrival = {agent.id(), agent.position(), op,
                     anywhere || !ordersMemory};
  if (std::optional<Fault> fault =
          checkArrival(agent, arrival, !threads, count))
    return fault;
  assert(agent.seat().weight > 0 && "an agent counts for threads");
  expected = count;
  ofWhole = !threads;
  arrived += agent.seat().weight;
  arrivals.push_back(arrival);
  if (ordersMemory)
    group.clocks.release(agent.threadOf(0), agent.mask(), gathered);
  else
    group.clocks.signal(agent.threadOf(0), agent.mask(), Reach::Workgroup,
                        gathered);
  if (arrived < expected)
    return std::nullopt;
  ++currentPhase;
  ++group.counters.barriers;
  if (ofWhole)
    group.clocks.nextEpoch();
  released = std::move(gathered);
  gathered.clear();
  arrivals.clear();
  arrived = 0;
  return std::nullopt;
}

void Barrier::pass(Agent &agent, const Wait &wait) {
  Clocks &clocks = agent.workgroup().clocks;
  if (wait.ordersMemory)
    clocks.acquire(agent.threadOf(0), wait.lanes, released);
  else
    clocks.observe(agent.threadOf(0), wait.lanes, Reach::Workgroup, released);
}

bool Barrier::hasArrived(int64_t agent) const {
  return llvm::any_of(arrivals,
                      [&](const Arrival &a) { return a.agent == agent; });
}

std::string Barrier::explain(const Agent &agent, const Wait &wait) const {
  std::string finished, elsewhere;
  for (const Agent &other : agent.workgroup().agents) {
    if (!isOfSameWorkgroup(agent, other) || hasArrived(other.id()))
      continue;
    std::string &first =
        other.status() == Agent::Status::Done ? finished : elsewhere;
    if (first.empty())
      first = subgroup(other.id());
  }
  if (ofWhole)
    return finished.empty() ? "waits at this barrier, but " + elsewhere +
                                  " does not reach it"
                            : "waits at this barrier, but " + finished +
                                  " has finished without reaching it";
  std::string text = "waits at barrier " + std::to_string(number) + " for " +
                     std::to_string(expected - arrived) + " more of " +
                     std::to_string(expected) + " threads";
  if (!elsewhere.empty())
    text += ", but " + elsewhere + " does not reach it";
  else if (!finished.empty())
    text += ", but " + finished + " has finished without reaching it";
  else
    text += ", but all subgroups have arrived";
  return text;
}
