//===- ElementPlan.cpp - Memory positions of vector elements --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ElementPlan.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

/// The extents and strides of a base, in one lane.
struct BaseShape {
  Shape sizes, strides;
  int64_t offset = 0;

  BaseShape(Agent &agent, Reg base, int64_t lane) {
    if (base.isTensor()) {
      sizes = agent.tensor(base).shape;
      strides = rowMajorStrides(sizes);
      return;
    }
    MemRefView view = agent.memRef(base);
    int64_t rank = base.memRefRank();
    offset = view.offset(lane);
    for (int64_t d = 0; d < rank; ++d) {
      sizes.push_back(view.size(rank, d, lane));
      strides.push_back(view.stride(rank, d, lane));
    }
  }
};

/// Returns whether a mask disables an element. Notes an undecided bit.
bool isMaskedOff(Agent &agent, const Target &target, const ElementPlan &plan,
                 int64_t element, int64_t lane) {
  if (!target.mask)
    return false;
  int64_t bit = plan.maskElement[element];
  const void *cell = agent.cellsAs<uint8_t>(*target.mask, lane, bit);
  if (target.mask->cellBytes > sizeof(int64_t) &&
      agent.code().domain->anyUndecided(1, cell))
    agent.noteUndecided(target.op);
  return !(agent.integer(*target.mask, lane, bit) & 1);
}

} // namespace

bool simt::locate(Agent &agent, const Target &target, const ElementPlan &plan,
                  int64_t *positions) {
  int64_t lanes = agent.lanes(), rank = plan.rank;
  std::fill(positions, positions + plan.elements * lanes, -1);
  bool faulted = false;
  Shape start(rank), index(rank);
  forEachLane(agent.mask(), [&](int64_t lane) {
    BaseShape base(agent, target.base, lane);
    for (int64_t d = 0; d < rank; ++d)
      start[d] = agent.integer(target.indices[d], lane);
    int64_t accessed = 0;
    for (int64_t e = 0; e < plan.elements && !faulted; ++e) {
      if (!plan.representative.empty() && plan.representative[e] != e)
        continue;
      if (isMaskedOff(agent, target, plan, e, lane))
        continue;
      for (int64_t d = 0; d < rank; ++d)
        index[d] = start[d] + plan.distance[e * rank + d];
      if (plan.packs)
        index[rank - 1] += accessed++;
      for (const IndexVector &vector : plan.indexVectors)
        for (unsigned d : vector.dimensions)
          index[d] += agent.integer(vector.indices, lane, vector.element[e]);
      int64_t position = base.offset;
      bool outside = false;
      for (int64_t d = 0; d < rank; ++d) {
        if (index[d] < 0 || index[d] >= base.sizes[d]) {
          outside = true;
          if (plan.mayLeave[d])
            continue;
          faulted = true;
          agent.fault(target.op, FaultKind::OutOfBounds,
                      "index " + Twine(index[d]) + " along dimension " +
                          Twine(d) + " of extent " + Twine(base.sizes[d]) +
                          ", in " + agent.describe(lane),
                      agent.placeOf(lane));
          return;
        }
        position += index[d] * base.strides[d];
      }
      if (!outside)
        positions[e * lanes + lane] = position;
    }
  });
  return !faulted;
}

/// Copies the value of an element to its replicas along broadcast dimensions.
static void copyRepresented(Agent &agent, const ElementPlan &plan, Reg r) {
  if (plan.representative.empty())
    return;
  int64_t bytes = agent.lanes() * r.cellBytes;
  uint8_t *cells = agent.cells(r);
  for (int64_t e = 0; e < plan.elements; ++e)
    if (plan.representative[e] != e)
      std::memcpy(cells + e * bytes, cells + plan.representative[e] * bytes,
                  bytes);
}

bool simt::loadElements(Agent &agent, const Access &access,
                        const ElementPlan &plan, int64_t *positions, Reg base,
                        Reg r) {
  if (base.isTensor()) {
    const uint8_t *from = agent.tensor(base).cells();
    uint8_t *to = agent.cells(r);
    for (int64_t e = 0; e < plan.elements; ++e)
      if (positions[e] >= 0)
        std::memcpy(to + e * r.cellBytes, from + positions[e] * r.cellBytes,
                    r.cellBytes);
  } else if (!agent.load(access, base, positions, r)) {
    return false;
  }
  copyRepresented(agent, plan, r);
  return true;
}

bool simt::storeElements(Agent &agent, const Access &access,
                         const ElementPlan &plan, int64_t *positions,
                         Reg source, Reg base) {
  if (!base.isTensor())
    return agent.store(access, base, positions, agent.cells(source));
  const uint8_t *from = agent.cells(source);
  uint8_t *to = agent.tensor(base).mutableCells();
  for (int64_t e = 0; e < plan.elements; ++e)
    if (positions[e] >= 0)
      std::memcpy(to + positions[e] * source.cellBytes,
                  from + e * source.cellBytes, source.cellBytes);
  return true;
}

void simt::fill(Agent &agent, Reg scalar, Reg r) {
  int64_t bytes = agent.lanes() * r.cellBytes;
  const uint8_t *from = agent.cells(scalar);
  uint8_t *to = agent.cells(r);
  for (int64_t e = 0; e < r.elements; ++e)
    std::memcpy(to + e * bytes, from, bytes);
}
