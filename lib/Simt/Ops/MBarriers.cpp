//===- MBarriers.cpp - nvgpu.mbarrier operations --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of mbarriers is allocated once per workgroup, as its memory is; its
// value is the number of its first object in the workgroup's table. A token is
// the phase that was current before the arrival.
//
//===----------------------------------------------------------------------===//
#include "../Machine/MBarrier.h"
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The mbarrier of a group that an op uses, per lane.
struct Mbarrier {
  Operation *op;
  Reg group, index;
  int64_t count; // of the group
  std::optional<Reg> predicate;

  template <typename Op> static Mbarrier get(Op op, Translator &t) {
    return {op, t.reg(op.getBarriers()), t.reg(op.getMbarId()),
            op.getBarriers().getType().getNumBarriers(), std::nullopt};
  }

  /// Returns the number of the object, or faults.
  std::optional<int64_t> locate(Agent &agent, int64_t lane) const {
    int64_t at = agent.integer(index, lane);
    if (at >= 0 && at < count)
      return agent.integer(group, lane) + at;
    agent.fault(op, FaultKind::OutOfBounds,
                agent.describe(lane) + " uses mbarrier " + Twine(at) +
                    " of a group of " + Twine(count),
                agent.placeOf(lane));
    return std::nullopt;
  }

  bool isCalled(Agent &agent, int64_t lane) const {
    return !predicate || agent.integer(*predicate, lane) != 0;
  }
};
} // namespace

/// The buffer number of mbarriers, which are in no buffer.
static constexpr int64_t noBuffer = -1;

/// Checks that the initialization of an mbarrier happened before its use.
static bool checkOrder(Agent &agent, Operation *op, const MBarrier &barrier,
                       int64_t lane) {
  const Clocks &clocks = agent.workgroup().clocks;
  auto [thread, time] = barrier.initializer();
  if (!barrier.isInitialized() || !clocks.isPartial() ||
      clocks.knows(agent.threadOf(lane), thread, time, noBuffer))
    return true;
  agent.fault(op, FaultKind::Race,
              agent.describe(lane) + " uses " + barrier.name + ", which " +
                  agent.describeThread(thread) +
                  " initialises with no barrier in between",
              agent.placeOf(lane));
  return false;
}

/// Runs change(barrier, lane) in every active lane, until it returns a
/// complaint.
template <typename Change>
static void changeEach(Agent &agent, const Mbarrier &target, Change change) {
  forEachLane(agent.mask(), [&](int64_t lane) {
    if (agent.status() == Agent::Status::Faulted ||
        !target.isCalled(agent, lane))
      return;
    std::optional<int64_t> object = target.locate(agent, lane);
    if (!object)
      return;
    MBarrier &barrier = agent.workgroup().sync.as<MBarrier>(*object);
    if (!checkOrder(agent, target.op, barrier, lane))
      return;
    if (MBarrier::Complaint complaint = change(barrier, lane))
      agent.fault(target.op, FaultKind::Misuse,
                  agent.describe(lane) + ": " + *complaint,
                  agent.placeOf(lane));
  });
}

/// Adds a thread's clock at its arrival to the mbarrier's current phase.
static void release(Agent &agent, MBarrier &barrier, int64_t lane) {
  agent.workgroup().clocks.release(agent.threadOf(lane), 1, barrier.gathered);
}

/// The limit of mbarriers, 8 bytes each; current workgroup memory has at most
/// 256 KiB.
static constexpr int64_t mostInMemory = 32768;

static LogicalResult translateCreate(nvgpu::MBarrierCreateOp op,
                                     Translator &t) {
  Reg r = t.reg(op.getBarriers());
  int64_t count = op.getBarriers().getType().getNumBarriers();
  if (count > mostInMemory)
    return t.notModelled(op, "more mbarriers than workgroup memory holds");
  Operation *key = op;
  t.orderPartly();
  t.emit(op, [=](Agent &agent) {
    int64_t first = agent.workgroup().sync.find(
        {key, agent.seat().instance}, count, [](int64_t i) {
          return std::make_unique<MBarrier>("mbarrier " + std::to_string(i));
        });
    for (int64_t l = 0; l < agent.lanes(); ++l)
      agent.setInteger(r, first, l);
  });
  return success();
}

static LogicalResult translateInit(nvgpu::MBarrierInitOp op, Translator &t) {
  Mbarrier target = Mbarrier::get(op, t);
  if (op.getPredicate())
    target.predicate = t.reg(op.getPredicate());
  Reg count = t.reg(op.getCount());
  t.emitSync(op, [=](Agent &agent) {
    changeEach(agent, target, [&](MBarrier &barrier, int64_t lane) {
      int64_t thread = agent.threadOf(lane);
      const Clocks &clocks = agent.workgroup().clocks;
      return barrier.initialize(agent.integer(count, lane), thread,
                                clocks.isPartial() ? clocks.now(thread) : 0);
    });
  });
  return success();
}

static LogicalResult translateArrive(nvgpu::MBarrierArriveOp op,
                                     Translator &t) {
  Mbarrier target = Mbarrier::get(op, t);
  Reg token = t.reg(op.getToken());
  t.emitSync(op, [=](Agent &agent) {
    changeEach(agent, target, [&](MBarrier &barrier, int64_t lane) {
      agent.setInteger(token, barrier.phase(), lane);
      release(agent, barrier, lane);
      return barrier.arrive();
    });
  });
  return success();
}

static LogicalResult
translateArriveNoComplete(nvgpu::MBarrierArriveNoCompleteOp op, Translator &t) {
  Mbarrier target = Mbarrier::get(op, t);
  Reg token = t.reg(op.getToken()), count = t.reg(op.getCount());
  t.emitSync(op, [=](Agent &agent) {
    changeEach(agent, target, [&](MBarrier &barrier, int64_t lane) {
      agent.setInteger(token, barrier.phase(), lane);
      release(agent, barrier, lane);
      return barrier.arriveWithoutCompleting(agent.integer(count, lane));
    });
  });
  return success();
}

static LogicalResult translateArriveExpect(nvgpu::MBarrierArriveExpectTxOp op,
                                           Translator &t) {
  Mbarrier target = Mbarrier::get(op, t);
  if (op.getPredicate())
    target.predicate = t.reg(op.getPredicate());
  Reg bytes = t.reg(op.getTxcount());
  t.emitSync(op, [=](Agent &agent) {
    changeEach(agent, target, [&](MBarrier &barrier, int64_t lane) {
      release(agent, barrier, lane);
      MBarrier::Complaint complaint =
          barrier.expect(agent.integer(bytes, lane));
      return complaint ? complaint : barrier.arrive();
    });
  });
  return success();
}

static LogicalResult translateTestWait(nvgpu::MBarrierTestWaitOp op,
                                       Translator &t) {
  Mbarrier target = Mbarrier::get(op, t);
  Reg token = t.reg(op.getToken()), r = t.reg(op.getWaitComplete());
  t.emitSync(op, [=](Agent &agent) {
    bool allOver = true;
    changeEach(agent, target,
               [&](MBarrier &barrier, int64_t lane) -> MBarrier::Complaint {
                 bool isOver = barrier.isOver(agent.integer(token, lane));
                 allOver &= isOver;
                 agent.setInteger(r, isOver ? -1 : 0, lane);
                 if (isOver)
                   agent.workgroup().clocks.acquire(agent.threadOf(lane), 1,
                                                    barrier.released);
                 return std::nullopt;
               });
    if (!allOver)
      agent.workgroup().yield();
  });
  return success();
}

static LogicalResult translateTryWait(nvgpu::MBarrierTryWaitParityOp op,
                                      Translator &t) {
  Mbarrier target = Mbarrier::get(op, t);
  Reg parity = t.reg(op.getPhaseParity());
  t.emitSync(op, [=](Agent &agent) {
    int64_t first = llvm::countr_zero(agent.mask());
    std::optional<int64_t> object = target.locate(agent, first);
    int64_t phase = agent.integer(parity, first) & 1;
    changeEach(agent, target,
               [](MBarrier &, int64_t) { return MBarrier::Complaint(); });
    if (agent.status() == Agent::Status::Faulted)
      return;
    bool isUniform = true;
    forEachLane(agent.mask(), [&](int64_t l) {
      isUniform &= target.locate(agent, l) == object &&
                   (agent.integer(parity, l) & 1) == phase;
    });
    if (!isUniform)
      return agent.fault(op, FaultKind::NotModelled,
                         "lanes of a subgroup that wait for different phases");
    agent.block(*object, phase, op);
  });
  return success();
}

void distaff::simt::registerMBarriers(OpRegistry &registry) {
  registry.add<nvgpu::MBarrierCreateOp>(translateCreate);
  registry.add<nvgpu::MBarrierInitOp>(translateInit);
  registry.add<nvgpu::MBarrierArriveOp>(translateArrive);
  registry.add<nvgpu::MBarrierArriveNoCompleteOp>(translateArriveNoComplete);
  registry.add<nvgpu::MBarrierArriveExpectTxOp>(translateArriveExpect);
  registry.add<nvgpu::MBarrierTestWaitOp>(translateTestWait);
  registry.add<nvgpu::MBarrierTryWaitParityOp>(translateTryWait);
}
