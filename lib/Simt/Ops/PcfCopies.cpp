//===- PcfCopies.cpp - Asynchronous copies between refs -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pcf.async_copy is one group of copies of elements, and its token is the
// number of the group. The schedule chooses when the elements arrive, up to the
// wait; until then the destination is in flight, and a read of it is a fault.
//
//===----------------------------------------------------------------------===//
#include "../Machine/AsyncGroups.h"
#include "MemRefViews.h"
#include "PcfRefs.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
struct RefCopy {
  Operation *op;
  Access access;
  Reg source, target, token;

  void run(Agent &agent) const;

private:
  bool haveOneShape(Agent &agent, int64_t lane, Shape &shape) const;
  void startElements(Agent &agent, int64_t lane, ArrayRef<int64_t> from,
                     ArrayRef<int64_t> to) const;
};
} // namespace

bool RefCopy::haveOneShape(Agent &agent, int64_t lane, Shape &shape) const {
  MemRefView sources = agent.memRef(source), targets = agent.memRef(target);
  int64_t rank = source.memRefRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    shape.push_back(sources.size(rank, dim, lane));
    if (shape.back() == targets.size(rank, dim, lane))
      continue;
    agent.fault(op, FaultKind::OutOfBounds,
                agent.describe(lane) + " copies extent " + Twine(shape.back()) +
                    " of dimension " + Twine(dim) + " to extent " +
                    Twine(targets.size(rank, dim, lane)),
                agent.placeOf(lane));
    return false;
  }
  return true;
}

/// Returns the positions of a ref's elements in its buffer.
static SmallVector<int64_t> positionsOf(MemRefView view, int64_t rank,
                                        ArrayRef<int64_t> shape, int64_t lane) {
  Shape strides;
  for (int64_t dim = 0; dim < rank; ++dim)
    strides.push_back(view.stride(rank, dim, lane));
  SmallVector<int64_t> positions;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    positions.push_back(view.offset(lane) + linearIndex(index, strides));
  });
  return positions;
}

void RefCopy::startElements(Agent &agent, int64_t lane, ArrayRef<int64_t> from,
                            ArrayRef<int64_t> to) const {
  Workgroup &group = agent.workgroup();
  int64_t object = AsyncGroups::find(agent, AsyncGroups::Of::Copies);
  for (auto [read, written] : llvm::zip_equal(from, to)) {
    AsyncCopy copy;
    copy.kind = access.kind;
    copy.agent = agent.seat().slot;
    copy.lane = lane;
    copy.groups = object;
    copy.group = group.sync.as<AsyncGroups>(object).start(lane);
    copy.source = agent.memRef(source).buffer(lane);
    copy.from = read;
    copy.target = agent.memRef(target).buffer(lane);
    copy.to = written;
    copy.elements = copy.read = 1;
    copy.position = agent.code().base + agent.position() - 1;
    group.startCopy(std::move(copy));
  }
  agent.setInteger(token, group.sync.as<AsyncGroups>(object).commit(lane),
                   lane);
}

void RefCopy::run(Agent &agent) const {
  forEachLane(agent.mask(), [&](int64_t lane) {
    Shape shape;
    if (agent.status() == Agent::Status::Faulted ||
        !haveOneShape(agent, lane, shape))
      return;
    SmallVector<int64_t> from = positionsOf(agent.memRef(source),
                                            source.memRefRank(), shape, lane),
                         to = positionsOf(agent.memRef(target),
                                          target.memRefRank(), shape, lane);
    Access all = access;
    all.elements = from.size();
    // Copies of other lanes are checked with them.
    int64_t lanes = agent.lanes();
    std::vector<int64_t> read(from.size() * lanes, -1), written(read);
    for (size_t e = 0; e < from.size(); ++e) {
      read[e * lanes + lane] = from[e];
      written[e * lanes + lane] = to[e];
    }
    if (from.empty() ||
        agent.checkCopy(all, source, read.data(), all, target, written.data()))
      startElements(agent, lane, from, to);
  });
}

static LogicalResult translateCopy(pcf::AsyncCopyOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), target = t.reg(op.getDest());
  Access access = Access::get(op, t.domain(), source.kind);
  RefCopy copy = {op, access, source, target, t.reg(op.getToken())};
  t.emitSync(op, [copy](Agent &agent) { copy.run(agent); });
  return success();
}

/// Orders the members of a group: each is ordered after the copies of the
/// others to the destination refs.
static void meetMembers(Agent &agent, int64_t lane, int64_t group) {
  if (agent.seat().members == 1)
    return; // a single worker has program order
  Clocks &clocks = agent.workgroup().clocks;
  int64_t thread = agent.threadOf(lane);
  SmallVector<int64_t> buffers =
      agent.workgroup().targetsOfCopies(thread, group);
  Knowledge gathered;
  clocks.release(thread, 1, gathered, Ordered(buffers));
  clocks.acquire(thread, 1, gathered, Ordered(buffers));
}

static LogicalResult translateWait(pcf::WaitOp op, Translator &t) {
  SmallVector<Reg> tokens = t.regs(op.getTokens());
  t.emitSync(op, [=](Agent &agent) {
    int64_t object = AsyncGroups::find(agent, AsyncGroups::Of::Copies);
    AsyncGroups &groups = agent.workgroup().sync.as<AsyncGroups>(object);
    bool allCommitted = true;
    forEachLane(agent.mask(), [&](int64_t lane) {
      int64_t next = 0;
      for (Reg token : tokens)
        next = std::max(next, agent.integer(token, lane) + 1);
      allCommitted &= next <= groups.committed(lane);
      groups.await(lane, next);
      meetMembers(agent, lane, next);
    });
    if (!allCommitted)
      return agent.fault(op, FaultKind::Misuse,
                         "waits for a copy that was not started");
    agent.block(object, 0, op);
  });
  return success();
}

void distaff::simt::registerPcfCopies(OpRegistry &registry) {
  registry.add<pcf::AsyncCopyOp>(translateCopy);
  registry.add<pcf::WaitOp>(translateWait);
}
