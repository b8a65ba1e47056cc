//===- PcfSync.cpp - Barriers and fences of a scope -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier makes workers wait for each other and orders their writes to the
// refs that it lists; fences order other memory.
//
//===----------------------------------------------------------------------===//
#include "PcfCrew.h"

using namespace distaff;
using namespace distaff::simt;

static Reach reachOf(Workers workers) {
  switch (workers) {
  case Workers::Workgroups:
    return Reach::Device;
  case Workers::Subgroups:
    return Reach::Workgroup;
  case Workers::One:
  case Workers::Lanes:
    return Reach::Subgroup;
  }
  llvm_unreachable("unknown workers");
}

static SmallVector<int64_t> buffersOf(Agent &agent, ArrayRef<Reg> refs) {
  SmallVector<int64_t> buffers;
  for (Reg ref : refs)
    forEachLane(agent.mask(), [&](int64_t lane) {
      buffers.push_back(agent.memRef(ref).buffer(lane));
    });
  return buffers;
}

namespace {
struct ScopeBarrier {
  Operation *op;
  const void *scope;
  Workers workers;
  SmallVector<Reg> refs;
  /// The clusters of a barrier between clusters; `set` identifies them.
  SmallVector<Translator::Handle> clusters;
  const void *set = nullptr;

  void run(Agent &agent) const {
    if (!agent.checkConverged(op))
      return;
    Team *team = Team::enclosing(agent, scope);
    if (!team)
      return; // the program of all workgroups
    int64_t threads = team->getPurpose().weight;
    if (set && !countAmong(agent, threads))
      return;
    Workgroup &group = agent.workgroup();
    int64_t object = team->findBarrier(group, set);
    TeamBarrier &barrier = group.sync.as<TeamBarrier>(object);
    int64_t phase = barrier.phase();
    barrier.arrive(agent, threads, reachOf(workers), buffersOf(agent, refs));
    agent.block(object, phase, op);
  }

  /// Returns whether the agent takes part in the barrier of some clusters, and
  /// counts the barrier's threads.
  bool countAmong(Agent &agent, int64_t &threads) const {
    bool takesPart = false;
    threads = 0;
    for (const Translator::Handle &cluster : clusters) {
      int64_t members = 1;
      for (Reg size : cluster.size)
        members *= agent.integer(size);
      threads += members * threadsOf(agent, workers);
      takesPart |= agent.integer(cluster.isOwn) != 0;
    }
    return takesPart;
  }
};
} // namespace

static LogicalResult translateBarrier(pcf::BarrierOp op, Translator &t) {
  FailureOr<Workers> workers = workersOf(op, op.getScope(), t);
  if (failed(workers))
    return failure();
  if (*workers == Workers::One)
    return success();
  if (*workers == Workers::Workgroups)
    return t.notModelled(op, "a barrier of workgroups");
  ScopeBarrier barrier = {
      op, keyOf(op.getScope()), *workers, t.regs(op.getRefs()), {}};
  SmallVector<Attribute> names;
  for (Value cluster : op.getClusters()) {
    barrier.clusters.push_back(t.handle(t.reg(cluster)));
    names.push_back(TypeAttr::get(cluster.getType()));
  }
  llvm::sort(names, [](Attribute a, Attribute b) {
    return a.getAsOpaquePointer() < b.getAsOpaquePointer();
  });
  if (!names.empty())
    barrier.set = ArrayAttr::get(op.getContext(), names).getAsOpaquePointer();
  t.orderPartly();
  t.emitSync(op, [barrier](Agent &agent) { barrier.run(agent); });
  return success();
}

static LogicalResult translateFence(pcf::FenceOp op, Translator &t) {
  t.orderPartly();
  bool isRelease = op.getKind() == pcf::FenceKind::release;
  for (Value ref : op.getRefs()) {
    FailureOr<Workers> workers =
        workersOf(op, cast<pcf::SRefType>(ref.getType()).getScope(), t);
    if (failed(workers))
      return failure();
    Reg reg = t.reg(ref);
    Reach reach = reachOf(*workers);
    t.emitSync(op, [=](Agent &agent) {
      Clocks &clocks = agent.workgroup().clocks;
      SmallVector<int64_t> buffers = buffersOf(agent, reg);
      if (isRelease)
        clocks.fenceRelease(agent.threadOf(0), agent.mask(), reach,
                            Ordered(buffers));
      else
        clocks.fenceAcquire(agent.threadOf(0), agent.mask(), reach,
                            Ordered(buffers));
    });
  }
  return success();
}

void distaff::simt::registerPcfSync(OpRegistry &registry) {
  registry.add<pcf::BarrierOp>(translateBarrier);
  registry.add<pcf::FenceOp>(translateFence);
}
