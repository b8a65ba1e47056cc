//===- AsyncGroups.cpp - Groups of asynchronous operations ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AsyncGroups.h"

using namespace distaff;
using namespace distaff::simt;

static const char keys[2] = {};

int64_t AsyncGroups::find(Agent &agent, Of operations) {
  int64_t lanes = operations == Of::Copies ? agent.lanes() : 1;
  return agent.workgroup().sync.find(
      {&keys[int(operations)], agent.seat().slot}, 1, [=](int64_t) {
        return std::make_unique<AsyncGroups>(operations, lanes);
      });
}

int64_t AsyncGroups::start(int64_t lane) {
  ++lanes[lane].pending.back();
  return committed(lane);
}

void AsyncGroups::finish(int64_t lane, int64_t group) {
  Lane &own = lanes[lane];
  assert(group <= committed(lane) && "an operation is of a group");
  assert(own.pending[group] > 0 && "an operation completes once");
  --own.pending[group];
  while (own.complete < committed(lane) && own.pending[own.complete] == 0)
    ++own.complete;
}

int64_t AsyncGroups::commit(int64_t lane) {
  Lane &own = lanes[lane];
  own.pending.push_back(0);
  while (own.complete < committed(lane) && own.pending[own.complete] == 0)
    ++own.complete;
  return committed(lane) - 1;
}

int64_t AsyncGroups::firstInFlight(int64_t lane, int64_t mostInFlight) const {
  return std::max<int64_t>(0, committed(lane) - mostInFlight);
}

void AsyncGroups::await(int64_t lane, int64_t group) {
  lanes[lane].awaited = group;
}

bool AsyncGroups::isOpen(const Wait &wait) const {
  bool open = true;
  forEachLane(wait.lanes, [&](int64_t l) { open &= isOpen(lanes[l]); });
  return open;
}

void AsyncGroups::pass(Agent &agent, const Wait &wait) {
  if (operations != Of::Copies)
    return;
  forEachLane(wait.lanes, [&](int64_t l) {
    agent.workgroup().retireCopies(agent.threadOf(l), lanes[l].awaited);
  });
}

std::string AsyncGroups::explain(const Agent &agent, const Wait &wait) const {
  std::string text;
  forEachLane(wait.lanes, [&](int64_t l) {
    if (!text.empty() || isOpen(lanes[l]))
      return;
    const Lane &own = lanes[l];
    text = "waits for " +
           std::string(operations == Of::Copies ? "copy" : "MMA") + " group " +
           std::to_string(own.complete) + " of lane " + std::to_string(l) +
           ", of which " + std::to_string(own.pending[own.complete]) +
           " operations are not complete";
  });
  return text;
}
