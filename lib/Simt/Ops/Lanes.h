//===- Lanes.h - Lane ids and cross-lane reads ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_LANES_H
#define DISTAFF_LIB_SIMT_OPS_LANES_H

#include "../Translate/OpRegistry.h"

namespace distaff::simt {

/// Returns a lane's number along an axis of its workgroup.
inline int64_t threadId(Agent &agent, int64_t lane, size_t axis) {
  const Options &options = agent.workgroup().launch.options;
  const std::array<int64_t, 3> &size = options.workgroupSize;
  const Seat &seat = agent.seat();
  int64_t thread = seat.subgroup * options.subgroupSize + seat.lane + lane;
  std::array<int64_t, 3> id = {thread % size[0], thread / size[0] % size[1],
                               thread / size[0] / size[1]};
  return id[axis];
}

/// Registers an op whose result is a function of the agent and the lane, for
/// the lanes of all elements.
inline void addLaneNumber(OpRegistry &registry, StringRef name,
                          int64_t (*compute)(Agent &, int64_t lane)) {
  registry.add(name, [=](Operation *op, Translator &t) {
    Reg r = t.reg(op->getResult(0));
    t.emit(op, [=](Agent &agent) {
      for (int64_t l = 0; l < agent.lanes(); ++l)
        agent.setInteger(r, compute(agent, l), l);
    });
    return success();
  });
}

/// Registers ops for numbers of the launch along an axis, by the last letter of
/// the op's name.
template <typename Compute>
void addAxisNumbers(OpRegistry &registry, StringRef prefix, Compute compute) {
  for (size_t axis = 0; axis < 3; ++axis)
    registry.add((prefix + Twine("xyz"[axis])).str(),
                 [=](Operation *op, Translator &t) {
                   Reg r = t.reg(op->getResult(0));
                   t.emit(op, [=](Agent &agent) {
                     for (int64_t l = 0; l < agent.lanes(); ++l)
                       agent.setInteger(r, compute(agent, l, axis), l);
                   });
                   return success();
                 });
}

/// Returns a cell of poison: all bits set.
inline std::array<uint8_t, 32> poisonCell(const Domain &domain, Kind kind) {
  std::array<uint8_t, 32> cell = {};
  domain.constant(kind, ~uint64_t(0) >> (64 - kind.width), cell.data());
  return cell;
}

/// Sets lane l of `to` to lane sources[l] of `from`, or to `otherwise` if that
/// is negative. \pre the registers differ
inline void gatherLanes(Agent &agent, Reg from, Reg to,
                        ArrayRef<int64_t> sources, const uint8_t *otherwise) {
  int64_t lanes = agent.lanes(), bytes = from.cellBytes;
  for (int64_t e = 0; e < from.elements; ++e) {
    const uint8_t *row = agent.cells(from) + e * lanes * bytes;
    uint8_t *out = agent.cells(to) + e * lanes * bytes;
    forEachLane(agent.mask(), [&](int64_t l) {
      std::memcpy(out + l * bytes,
                  sources[l] < 0 ? otherwise : row + sources[l] * bytes, bytes);
    });
  }
}

/// Returns the lane that a message about an op names. Lanes of a region program
/// are points, computed by the first lane of the agent that runs the op around
/// it.
inline int64_t namedLane(Operation *op, int64_t lane) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    StringRef dialect = parent->getName().getDialectNamespace();
    if (dialect == "linalg" || dialect == "tensor")
      return 0;
  }
  return lane;
}

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_LANES_H
