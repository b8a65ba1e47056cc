//===- LaneMeeting.cpp - Collective ops of one-lane agents ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaneMeeting.h"

using namespace distaff;
using namespace distaff::simt;

void LaneMeeting::arrive(Agent &agent, const Compute &compute) {
  int64_t lane = agent.seat().lane;
  assert(lane < lanes && arrived < lanes && "each lane comes once");
  for (auto [reg, cells] : llvm::zip_equal(operands, brought)) {
    int64_t count = agent.numCells(reg), bytes = reg.cellBytes;
    cells.resize(count * lanes * bytes);
    for (int64_t e = 0; e < count; ++e)
      std::memcpy(&cells[(e * lanes + lane) * bytes],
                  agent.cells(reg) + e * bytes, bytes);
  }
  if (++arrived < lanes)
    return;
  compute(brought);
  computed = brought.back();
  arrived = 0;
  ++currentPhase;
}

void LaneMeeting::pass(Agent &agent, const Wait &wait) {
  int64_t lane = agent.seat().lane, bytes = result.cellBytes;
  assert(int64_t(computed.size()) % (lanes * bytes) == 0 &&
         "a result has as many elements in each lane");
  int64_t count = int64_t(computed.size()) / (lanes * bytes);
  if (result.isTensor())
    agent.tensor(result) = agent.tensor(operands.back());
  uint8_t *cells = result.isTensor() ? agent.tensor(result).mutableCells()
                                     : agent.cells(result);
  for (int64_t e = 0; e < count; ++e)
    std::memcpy(cells + e * bytes, &computed[(e * lanes + lane) * bytes],
                bytes);
}

std::string LaneMeeting::explain(const Agent &agent, const Wait &wait) const {
  return "waits at this instruction for " + std::to_string(lanes - arrived) +
         " more of the " + std::to_string(lanes) + " lanes of its subgroup";
}
