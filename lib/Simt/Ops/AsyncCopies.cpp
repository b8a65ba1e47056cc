//===- AsyncCopies.cpp - nvgpu.device_async operations --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's copies form groups as in hardware: a group takes all copies that the
// lane has started and not committed, whichever tokens it names. A group's
// token is its number. A wait without a number of groups waits for the group of
// its token and all older ones.
//
//===----------------------------------------------------------------------===//
#include "../Machine/AsyncGroups.h"
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

using Groups = AsyncGroups;

namespace {
/// Plans an nvgpu.device_async_copy.
struct CopyPlan {
  Operation *op;
  Access read, write;
  Reg source, target;
  SmallVector<Reg> sourceIndices, targetIndices;
  int64_t elements;
  std::optional<Reg> count; // number of elements that are read
  Reg token;

  void run(Agent &agent) const;

private:
  bool locate(Agent &agent, int64_t *from, int64_t *to) const;
  /// Returns how many elements a lane reads, or faults.
  std::optional<int64_t> readBy(Agent &agent, int64_t lane) const;
};
} // namespace

std::optional<int64_t> CopyPlan::readBy(Agent &agent, int64_t lane) const {
  int64_t read = count ? agent.integer(*count, lane) : elements;
  if (read >= 0 && read <= elements)
    return read;
  agent.fault(op, FaultKind::OutOfBounds,
              agent.describe(lane) + " copies " + Twine(read) +
                  " elements to a place of " + Twine(elements),
              agent.placeOf(lane));
  return std::nullopt;
}

/// Computes the positions of all elements; -1 for those that a lane does not
/// read.
bool CopyPlan::locate(Agent &agent, int64_t *from, int64_t *to) const {
  int64_t lanes = agent.lanes();
  // A lane that reads nothing may have any address.
  uint64_t readers = 0;
  forEachLane(agent.mask(), [&](int64_t l) {
    if (readBy(agent, l).value_or(1) > 0)
      readers |= uint64_t(1) << l;
  });
  if (!agent.locate(op, source, sourceIndices, from, readers) ||
      !agent.locate(op, target, targetIndices, to))
    return false;
  forEachLane(agent.mask(), [&](int64_t l) {
    std::optional<int64_t> read = readBy(agent, l);
    int64_t first = from[l];
    for (int64_t e = 0; read && e < elements; ++e) {
      from[e * lanes + l] = e < *read ? first + e : -1;
      to[e * lanes + l] = to[l] + e;
    }
  });
  return agent.status() != Agent::Status::Faulted;
}

void CopyPlan::run(Agent &agent) const {
  int64_t lanes = agent.lanes(), total = elements * lanes;
  SmallVector<int64_t, 256> positions(2 * total, -1);
  int64_t *from = positions.data(), *to = from + total;
  if (!locate(agent, from, to))
    return;
  SmallVector<int64_t, 64> firsts(from, from + lanes);
  if (!agent.checkCopy(read, source, from, write, target, to))
    return;
  Workgroup &group = agent.workgroup();
  int64_t object = Groups::find(agent, Groups::Of::Copies);
  MemRefView sources = agent.memRef(source), targets = agent.memRef(target);
  forEachLane(agent.mask(), [&](int64_t l) {
    AsyncCopy copy;
    copy.kind = read.kind;
    copy.agent = agent.seat().slot;
    copy.lane = l;
    copy.groups = object;
    copy.group = group.sync.as<Groups>(object).start(l);
    copy.source = sources.buffer(l);
    copy.from = firsts[l];
    copy.target = targets.buffer(l);
    copy.to = to[l];
    copy.elements = elements;
    copy.read = *readBy(agent, l);
    copy.position = agent.code().base + agent.position() - 1;
    agent.setInteger(token, copy.group, l);
    group.startCopy(std::move(copy));
  });
}

static LogicalResult translateAsyncCopy(nvgpu::DeviceAsyncCopyOp op,
                                        Translator &t) {
  Reg source = t.reg(op.getSrc()), target = t.reg(op.getDst());
  int64_t elements = op.getDstElements().getSExtValue();
  if (!source.isMemRef() || !target.isMemRef() ||
      !(source.kind == target.kind) || elements < 1)
    return t.notModelled(op, "a copy between these memrefs");
  Access access = Access::get(op, t.domain(), source.kind, elements, elements);
  access.alignment = elements * source.kind.bytes();
  CopyPlan plan = {op,
                   access,
                   access,
                   source,
                   target,
                   t.regs(op.getSrcIndices()),
                   t.regs(op.getDstIndices()),
                   elements,
                   std::nullopt,
                   t.reg(op.getAsyncToken())};
  if (op.getSrcElements())
    plan.count = t.reg(op.getSrcElements());
  t.emitSync(op, [plan = std::move(plan)](Agent &agent) { plan.run(agent); });
  return success();
}

static LogicalResult translateGroup(nvgpu::DeviceAsyncCreateGroupOp op,
                                    Translator &t) {
  Reg token = t.reg(op.getAsyncToken());
  t.emitSync(op, [=](Agent &agent) {
    int64_t object = Groups::find(agent, Groups::Of::Copies);
    Groups &groups = agent.workgroup().sync.as<Groups>(object);
    forEachLane(agent.mask(), [&](int64_t l) {
      agent.setInteger(token, groups.commit(l), l);
    });
  });
  return success();
}

static LogicalResult translateWait(nvgpu::DeviceAsyncWaitOp op, Translator &t) {
  Reg token = t.reg(op.getAsyncDependencies());
  std::optional<uint32_t> inFlight = op.getNumGroups();
  t.emitSync(op, [=](Agent &agent) {
    int64_t object = Groups::find(agent, Groups::Of::Copies);
    Groups &groups = agent.workgroup().sync.as<Groups>(object);
    bool allCommitted = true;
    forEachLane(agent.mask(), [&](int64_t l) {
      int64_t next = inFlight ? groups.firstInFlight(l, *inFlight)
                              : agent.integer(token, l) + 1;
      allCommitted &= next <= groups.committed(l);
      groups.await(l, next);
    });
    if (!allCommitted)
      return agent.fault(op, FaultKind::Misuse,
                         "waits for a copy that is in no group");
    agent.block(object, 0, op);
  });
  return success();
}

void distaff::simt::registerAsyncCopies(OpRegistry &registry) {
  registry.add<nvgpu::DeviceAsyncCopyOp>(translateAsyncCopy);
  registry.add<nvgpu::DeviceAsyncCreateGroupOp>(translateGroup);
  registry.add<nvgpu::DeviceAsyncWaitOp>(translateWait);
}
