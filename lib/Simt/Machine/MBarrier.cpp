//===- MBarrier.cpp - Barriers in memory: arrivals, bytes, phases ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MBarrier.h"

using namespace distaff;
using namespace distaff::simt;

MBarrier::Complaint MBarrier::initialize(int64_t arrivals, int64_t thread,
                                         uint32_t time) {
  if (isInitialized())
    return name + " has been initialised before";
  if (arrivals < 1 || arrivals > most)
    return "an mbarrier counts 1 to " + std::to_string(most) +
           " arrivals, found " + std::to_string(arrivals);
  expected = missing = arrivals;
  initializedBy = thread;
  initializedAt = time;
  return std::nullopt;
}

MBarrier::Complaint MBarrier::arrive(int64_t count) {
  if (!isInitialized())
    return name + " has not been initialised";
  if (count < 1 || count > missing)
    return std::to_string(count) + " arrivals at " + name + ", which misses " +
           std::to_string(missing);
  missing -= count;
  return finishPhase();
}

MBarrier::Complaint MBarrier::arriveWithoutCompleting(int64_t count) {
  if (!isInitialized())
    return name + " has not been initialised";
  if (count < 1 || count >= missing)
    return std::to_string(count) +
           " arrivals that do not complete a phase of " + name +
           ", which misses " + std::to_string(missing);
  missing -= count;
  return std::nullopt;
}

MBarrier::Complaint MBarrier::expect(int64_t bytes) {
  if (!isInitialized())
    return name + " has not been initialised";
  if (bytes < 0 || bytes > most || missingBytes + bytes > most)
    return name + " tracks 0 to " + std::to_string(most) +
           " bytes in flight, found " + std::to_string(missingBytes + bytes);
  missingBytes += bytes;
  return std::nullopt;
}

MBarrier::Complaint MBarrier::complete(int64_t bytes) {
  if (!isInitialized())
    return name + " has not been initialised";
  missingBytes -= bytes;
  return finishPhase();
}

MBarrier::Complaint MBarrier::finishPhase() {
  assert(missing >= 0 && "arrivals are checked before they count");
  if (missing > 0 || missingBytes > 0)
    return std::nullopt;
  if (missingBytes < 0)
    return std::to_string(-missingBytes) + " bytes more than expected by " +
           name + " have arrived";
  ++currentPhase;
  missing = expected;
  released = std::move(gathered);
  gathered.clear();
  return std::nullopt;
}

void MBarrier::pass(Agent &agent, const Wait &wait) {
  agent.workgroup().clocks.acquire(agent.threadOf(0), wait.lanes, released);
}

std::string MBarrier::explain(const Agent &agent, const Wait &wait) const {
  if (!isInitialized())
    return "waits for " + name + ", which nobody has initialised";
  std::string text = "waits for phase " + std::to_string(currentPhase) +
                     " of " + name + ", which misses ";
  if (missing > 0)
    text += std::to_string(missing) + " of " + std::to_string(expected) +
            " arrivals";
  if (missing > 0 && missingBytes > 0)
    text += " and ";
  if (missingBytes > 0)
    text += std::to_string(missingBytes) + " bytes";
  return text + "; no thread that runs on could bring them";
}
