//===- Barriers.cpp - Barriers and fences of GPU dialects -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gpu.barrier, nvvm.barrier and nvvm.barrier0 wait for the whole workgroup,
// nvvm.barrier with a number of threads waits for that number,
// nvvm.barrier.arrive only arrives, and nvvm.bar.warp.sync orders the lanes of
// a subgroup. The barriers of iree_gpu and rocdl.s.barrier do not order memory;
// iree_gpu.fence and llvm.fence do. rocdl.barrier includes its fences. gfx12
// has a split barrier: s.barrier.signal arrives, s.barrier.wait waits for the
// same phase.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Barrier.h"
#include "../Translate/OpRegistry.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace distaff;
using namespace distaff::simt;

/// Returns a number that must be uniform in the active lanes; otherwise faults.
static std::optional<int64_t> uniformInteger(Agent &agent, Operation *op,
                                             Reg reg) {
  int64_t value = agent.integer(reg, llvm::countr_zero(agent.mask()));
  bool isUniform = true;
  forEachLane(agent.mask(),
              [&](int64_t l) { isUniform &= agent.integer(reg, l) == value; });
  if (isUniform)
    return value;
  agent.fault(op, FaultKind::NotModelled,
              "lanes of a subgroup at different barriers");
  return std::nullopt;
}

namespace {
/// The use of a barrier by an op.
struct BarrierUse {
  Operation *op;
  std::optional<Reg> number;  // 0 by default
  std::optional<Reg> threads; // all by default
  bool waits = true;
  bool ordersMemory = true;
  bool anywhere = false; // subgroups may be at different ops

  void run(Agent &agent) const {
    if (!agent.checkConverged(op))
      return;
    std::optional<int64_t> id =
        number ? uniformInteger(agent, op, *number) : std::optional<int64_t>(0);
    std::optional<int64_t> count;
    if (threads && !(count = uniformInteger(agent, op, *threads)))
      return;
    if (!id)
      return;
    if (*id < 0 || *id >= Barrier::perWorkgroup)
      return agent.fault(op, FaultKind::Misuse,
                         "there are barriers 0 to " +
                             Twine(Barrier::perWorkgroup - 1) + ", not " +
                             Twine(*id));
    Workgroup &group = agent.workgroup();
    int64_t object = Barrier::find(agent, *id);
    Barrier &barrier = group.sync.as<Barrier>(object);
    int64_t phase = barrier.phase();
    if (std::optional<Fault> fault =
            barrier.arrive(agent, op, count, ordersMemory, anywhere))
      return agent.fault(std::move(*fault));
    if (waits)
      agent.block(object, phase, op, ordersMemory);
  }
};
} // namespace

static std::optional<Reg> optionalReg(Value value, Translator &t) {
  return value ? std::optional<Reg>(t.reg(value)) : std::nullopt;
}

static LogicalResult emitBarrier(BarrierUse use, Translator &t) {
  if (use.threads || !use.ordersMemory)
    t.orderPartly();
  t.emitSync(use.op, [use](Agent &agent) { use.run(agent); });
  return success();
}

static LogicalResult translateBarrier(gpu::BarrierOp op, Translator &t) {
  return emitBarrier({op, std::nullopt, std::nullopt}, t);
}

/// Emits a vendor's barrier, which matches across different ops.
static LogicalResult emitAnywhere(Operation *op, Translator &t) {
  BarrierUse use = {op, std::nullopt, std::nullopt};
  use.anywhere = true;
  return emitBarrier(use, t);
}

static LogicalResult translateBarrier0(NVVM::Barrier0Op op, Translator &t) {
  return emitAnywhere(op, t);
}

static LogicalResult translateNamed(NVVM::BarrierOp op, Translator &t) {
  if (op.getReductionOp())
    return t.notModelled(op, "a barrier that reduces");
  // Barriers of all threads with different numbers also match across ops.
  BarrierUse use = {op, optionalReg(op.getBarrierId(), t),
                    optionalReg(op.getNumberOfThreads(), t)};
  use.anywhere = true;
  return emitBarrier(use, t);
}

static LogicalResult translateArrive(NVVM::BarrierArriveOp op, Translator &t) {
  return emitBarrier({op, optionalReg(op.getBarrierId(), t),
                      t.reg(op.getNumberOfThreads()), /*waits=*/false},
                     t);
}

static LogicalResult translateSyncLanes(NVVM::SyncWarpOp op, Translator &t) {
  Reg mask = t.reg(op.getMask());
  t.orderPartly();
  t.emitSync(op, [=](Agent &agent) {
    uint64_t named = ~uint64_t(0);
    forEachLane(agent.mask(),
                [&](int64_t l) { named &= uint32_t(agent.integer(mask, l)); });
    if ((named & agent.lanesThatExist()) != agent.mask())
      return agent.fault(op, FaultKind::NotModelled,
                         "a mask that does not name the lanes that are here");
    Knowledge all;
    Clocks &clocks = agent.workgroup().clocks;
    clocks.release(agent.threadOf(0), agent.mask(), all);
    clocks.acquire(agent.threadOf(0), agent.mask(), all);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// AMD: one barrier per workgroup
//===----------------------------------------------------------------------===//

static LogicalResult translateFencedBarrier(ROCDL::BarrierOp op,
                                            Translator &t) {
  return emitAnywhere(op, t);
}

static LogicalResult translatePlainBarrier(ROCDL::SBarrierOp op,
                                           Translator &t) {
  BarrierUse use = {op, std::nullopt, std::nullopt};
  use.ordersMemory = false;
  return emitBarrier(use, t);
}

/// The key of the barrier of a whole workgroup; others have their purpose as
/// key.
static constexpr int64_t wholeWorkgroup = -1;

static LogicalResult translateSignal(ROCDL::BarrierSignalOp op, Translator &t) {
  if (op.getIdAttr().getValue().getSExtValue() != wholeWorkgroup)
    return t.notModelled(op, "a barrier that is not the workgroup's");
  t.orderPartly();
  t.emitSync(op, [=](Agent &agent) {
    if (!agent.checkConverged(op))
      return;
    Workgroup &group = agent.workgroup();
    Barrier &barrier =
        group.sync.as<Barrier>(Barrier::find(agent, /*number=*/0));
    if (std::exchange(barrier.owesWait(agent.id()), true))
      return agent.fault(op, FaultKind::Misuse,
                         agent.name() + " signals a barrier again before it "
                                        "has waited for it");
    if (std::optional<Fault> fault = barrier.arrive(
            agent, op, /*threads=*/std::nullopt, /*ordersMemory=*/false))
      agent.fault(std::move(*fault));
  });
  return success();
}

static LogicalResult translateBarrierWait(ROCDL::BarrierWaitOp op,
                                          Translator &t) {
  if (op.getIdAttr().getValue().getSExtValue() != wholeWorkgroup)
    return t.notModelled(op, "a barrier that is not the workgroup's");
  t.orderPartly();
  t.emitSync(op, [=](Agent &agent) {
    if (!agent.checkConverged(op))
      return;
    Workgroup &group = agent.workgroup();
    int64_t object = Barrier::find(agent, /*number=*/0);
    Barrier &barrier = group.sync.as<Barrier>(object);
    if (!std::exchange(barrier.owesWait(agent.id()), false))
      return agent.fault(op, FaultKind::Misuse,
                         agent.name() +
                             " waits for a barrier that it has not signalled");
    // Its own signal is in the current phase, or completed the last one.
    int64_t phase = barrier.phase() - (barrier.hasArrived(agent.id()) ? 0 : 1);
    agent.block(object, phase, op, /*ordersMemory=*/false);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Vendor-neutral barriers and fences
//===----------------------------------------------------------------------===//

static LogicalResult translateSubgroupBarrier(iree::GlobalSubgroupBarrierOp op,
                                              Translator &t) {
  BarrierUse use = {op, std::nullopt, optionalReg(op.getThreads(), t)};
  if (std::optional<uint64_t> id = op.getId())
    use.number = t.indexConstant(int64_t(*id));
  use.ordersMemory = false;
  return emitBarrier(use, t);
}

static LogicalResult translateLaneBarrier(iree::LaneBarrierOp op,
                                          Translator &t) {
  t.orderPartly();
  t.emitSync(op, [=](Agent &agent) {
    if (!agent.checkConverged(op))
      return;
    Knowledge all;
    Clocks &clocks = agent.workgroup().clocks;
    clocks.signal(agent.threadOf(0), agent.mask(), Reach::Subgroup, all);
    clocks.observe(agent.threadOf(0), agent.mask(), Reach::Subgroup, all);
  });
  return success();
}

static Reach reachOf(iree::FenceLevel level) {
  switch (level) {
  case iree::FenceLevel::device:
    return Reach::Device;
  case iree::FenceLevel::workgroup:
    return Reach::Workgroup;
  case iree::FenceLevel::subgroup:
    return Reach::Subgroup;
  }
  llvm_unreachable("unknown level");
}

static LogicalResult translateFence(iree::FenceOp op, Translator &t) {
  Reach reach = reachOf(op.getLevel());
  bool isRelease = op.getKind() == pcf::FenceKind::release;
  t.orderPartly();
  t.emitSync(op, [=](Agent &agent) {
    Clocks &clocks = agent.workgroup().clocks;
    if (isRelease)
      clocks.fenceRelease(agent.threadOf(0), agent.mask(), reach);
    else
      clocks.fenceAcquire(agent.threadOf(0), agent.mask(), reach);
  });
  return success();
}

void distaff::simt::registerBarriers(OpRegistry &registry) {
  registry.add<gpu::BarrierOp>(translateBarrier);
  registry.add<NVVM::Barrier0Op>(translateBarrier0);
  registry.add<NVVM::BarrierOp>(translateNamed);
  registry.add<NVVM::BarrierArriveOp>(translateArrive);
  registry.add<NVVM::SyncWarpOp>(translateSyncLanes);
  registry.add<ROCDL::BarrierOp>(translateFencedBarrier);
  registry.add<ROCDL::SBarrierOp>(translatePlainBarrier);
  registry.add<ROCDL::BarrierSignalOp>(translateSignal);
  registry.add<ROCDL::BarrierWaitOp>(translateBarrierWait);
  registry.add<iree::GlobalSubgroupBarrierOp>(translateSubgroupBarrier);
  registry.add<iree::LaneBarrierOp>(translateLaneBarrier);
  registry.add<iree::FenceOp>(translateFence);
}
