//===- Gpu.cpp - gpu operations -------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids, and the exchange of values between the lanes of a subgroup. A value from
// an inactive lane, or from outside the width, is poison: a NaN, or an integer
// with all bits set.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

/// Emits an index that is a function of the agent and the lane.
template <typename Compute>
static void emitIndex(Operation *op, Translator &t, Compute compute) {
  Reg r = t.reg(op->getResult(0));
  t.emit(op, [=](Agent &agent) {
    for (int64_t l = 0; l < agent.lanes(); ++l)
      agent.setInteger(r, compute(agent, l), l);
  });
}

template <typename Op, typename Compute>
static void addAxisIndex(OpRegistry &registry, Compute compute) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    size_t axis = size_t(cast<Op>(op).getDimension());
    emitIndex(op, t, [=](Agent &agent, int64_t lane) {
      return compute(agent, lane, axis);
    });
    return success();
  });
}

template <typename Op, typename Compute>
static void addIndex(OpRegistry &registry, Compute compute) {
  registry.add(Op::getOperationName(), [=](Operation *op, Translator &t) {
    emitIndex(op, t, compute);
    return success();
  });
}

static void registerGpuIds(OpRegistry &registry) {
  auto sizeOf = [](Agent &agent, size_t axis) {
    return agent.workgroup().launch.options.workgroupSize[axis];
  };
  addAxisIndex<gpu::ThreadIdOp>(registry, threadId);
  addAxisIndex<gpu::BlockIdOp>(registry,
                               [](Agent &agent, int64_t, size_t axis) {
                                 return agent.seat().workgroup[axis];
                               });
  addAxisIndex<gpu::BlockDimOp>(
      registry,
      [=](Agent &agent, int64_t, size_t axis) { return sizeOf(agent, axis); });
  addAxisIndex<gpu::GridDimOp>(registry,
                               [](Agent &agent, int64_t, size_t axis) {
                                 return agent.seat().grid[axis];
                               });
  addAxisIndex<gpu::GlobalIdOp>(
      registry, [=](Agent &agent, int64_t lane, size_t axis) {
        return agent.seat().workgroup[axis] * sizeOf(agent, axis) +
               threadId(agent, lane, axis);
      });
  addIndex<gpu::LaneIdOp>(registry, [](Agent &agent, int64_t lane) {
    return agent.seat().lane + lane;
  });
  addIndex<gpu::SubgroupIdOp>(registry,
                              [](Agent &agent, int64_t) { return agent.id(); });
  addIndex<gpu::NumSubgroupsOp>(registry, [](Agent &agent, int64_t) {
    return agent.workgroup().launch.numSubgroups();
  });
  addIndex<gpu::SubgroupSizeOp>(registry, [](Agent &agent, int64_t) {
    return agent.workgroup().launch.options.subgroupSize;
  });
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Returns the lane that `lane` reads, or -1.
static int64_t sourceOf(gpu::ShuffleMode mode, int64_t lane, int64_t offset,
                        int64_t width) {
  int64_t source = lane;
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    source = lane ^ offset;
    break;
  case gpu::ShuffleMode::UP:
    source = lane - offset;
    break;
  case gpu::ShuffleMode::DOWN:
    source = lane + offset;
    break;
  case gpu::ShuffleMode::IDX:
    source = offset;
    break;
  }
  return lane < width && source >= 0 && source < width ? source : -1;
}

static LogicalResult translateShuffle(gpu::ShuffleOp op, Translator &t) {
  Reg value = t.reg(op.getValue()), offset = t.reg(op.getOffset()),
      width = t.reg(op.getWidth());
  Reg r = t.reg(op.getShuffleResult()), valid = t.reg(op.getValid());
  gpu::ShuffleMode mode = op.getMode();
  std::array<uint8_t, 32> poison = poisonCell(t.domain(), value.kind);
  t.emit(op, [=](Agent &agent) {
    SmallVector<int64_t, 64> sources(agent.lanes(), -1);
    forEachLane(agent.mask(), [&](int64_t l) {
      int64_t source =
          sourceOf(mode, l, agent.integer(offset, l), agent.integer(width, l));
      agent.setInteger(valid, source >= 0 ? -1 : 0, l);
      bool takesPart =
          source >= 0 && source < 64 && (agent.mask() >> source & 1);
      sources[l] = takesPart ? source : -1;
    });
    gatherLanes(agent, value, r, sources, poison.data());
    agent.workgroup().counters.shuffles += value.elements;
  });
  return success();
}

/// Translates a rotation: every lane reads the lane `offset` further, modulo
/// `width`.
static LogicalResult translateRotate(gpu::RotateOp op, Translator &t) {
  Reg value = t.reg(op.getValue()), r = t.reg(op.getRotateResult()),
      valid = t.reg(op.getValid());
  int64_t offset = op.getOffset(), width = op.getWidth();
  std::array<uint8_t, 32> poison = poisonCell(t.domain(), value.kind);
  t.emit(op, [=](Agent &agent) {
    SmallVector<int64_t, 64> sources(agent.lanes(), -1);
    forEachLane(agent.mask(), [&](int64_t l) {
      int64_t source = l < width ? (l + offset) % width : -1;
      agent.setInteger(valid, source >= 0 ? -1 : 0, l);
      bool takesPart = source >= 0 && (agent.mask() >> source & 1);
      sources[l] = takesPart ? source : -1;
    });
    gatherLanes(agent, value, r, sources, poison.data());
    agent.workgroup().counters.shuffles += value.elements;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// A reduction over clusters: lanes base, base + stride, ..., `size` of them.
/// It is a butterfly reduction: neighbors are combined first, then neighboring
/// pairs, as by xor shuffles with growing distance; a last one without partner
/// waits.
struct ClusterReduction {
  Reg value, result;
  int64_t size, stride;
  Binary combine;
  Scan everyOrder; // replaces `combine` in a domain that covers every order
  std::array<uint8_t, 32> poison;
  bool isOneInstruction; // a uniform reduction, without shuffles

  void run(Agent &agent) const {
    int64_t span = size * stride;
    for (int64_t start = 0; start < agent.lanes(); start += span)
      for (int64_t phase = 0; phase < stride; ++phase)
        reduceCluster(agent, start + phase);
    if (!isOneInstruction)
      agent.workgroup().counters.shuffles +=
          value.elements * int64_t(llvm::Log2_64_Ceil(size));
  }

  /// Combines `count` cells into the first one.
  void combineAll(uint8_t *cells, int64_t count) const {
    int64_t bytes = value.cellBytes;
    if (!everyOrder) {
      for (int64_t step = 1; step < count; step *= 2)
        for (int64_t i = 0; i + step < count; i += 2 * step)
          combine(1, cells + i * bytes, cells + (i + step) * bytes,
                  cells + i * bytes);
      return;
    }
    alignas(32) std::array<uint8_t, 64 * 32> sums;
    SmallVector<const void *, 64> terms;
    SmallVector<void *, 64> totals;
    for (int64_t i = 0; i < count; ++i) {
      terms.push_back(cells + i * bytes);
      totals.push_back(sums.data() + i * bytes);
    }
    everyOrder(1, terms, totals);
    std::memcpy(cells, totals.back(), bytes);
  }

  void reduceCluster(Agent &agent, int64_t base) const {
    int64_t lanes = agent.lanes(), bytes = value.cellBytes;
    SmallVector<int64_t, 64> members;
    uint64_t memberMask = 0;
    for (int64_t i = 0; i < size && base + i * stride < lanes; ++i) {
      members.push_back(base + i * stride);
      memberMask |= uint64_t(1) << members.back();
    }
    // Only existing lanes are in the cluster, and all of them must be active.
    memberMask &= agent.lanesThatExist();
    if (!(memberMask & agent.mask()))
      return;
    bool allTakePart = (memberMask & ~agent.mask()) == 0;
    llvm::erase_if(members, [&](int64_t l) { return !(memberMask >> l & 1); });
    alignas(32) std::array<uint8_t, 64 * 32> work;
    for (int64_t e = 0; e < value.elements; ++e) {
      const uint8_t *row = agent.cells(value) + e * lanes * bytes;
      uint8_t *out = agent.cells(result) + e * lanes * bytes;
      for (auto [i, lane] : llvm::enumerate(members))
        std::memcpy(work.data() + i * bytes, row + lane * bytes, bytes);
      combineAll(work.data(), members.size());
      const uint8_t *total = allTakePart ? work.data() : poison.data();
      forEachLane(memberMask & agent.mask(), [&](int64_t lane) {
        std::memcpy(out + lane * bytes, total, bytes);
      });
    }
  }
};
} // namespace

static LogicalResult translateSubgroupReduce(gpu::SubgroupReduceOp op,
                                             Translator &t) {
  Reg value = t.reg(op.getValue()), result = t.reg(op.getResult());
  vector::CombiningKind combining = gpu::convertReductionKind(op.getOp());
  Binary combine = t.domain().combiner(combining, value.kind);
  if (!combine)
    return t.notModelled(op, "this reduction of this type");
  Scan everyOrder;
  if (t.domain().coversEveryOrder())
    everyOrder = t.domain().scan(combining, value.kind);
  int64_t size =
      op.getClusterSize() ? int64_t(*op.getClusterSize()) : t.lanes();
  ClusterReduction reduction = {value,
                                result,
                                size,
                                int64_t(op.getClusterStride()),
                                combine,
                                everyOrder,
                                poisonCell(t.domain(), value.kind),
                                op.getUniform()};
  if (size < 1 || reduction.stride < 1)
    return t.notModelled(op, "a cluster without lanes");
  // A program of one lane, such as a member's phase, has no access to other
  // lanes.
  if (size > t.lanes())
    return t.notModelled(op, "a cluster of " + Twine(size) + " lanes, where " +
                                 Twine(t.lanes()) + " run together");
  t.emit(op, [reduction](Agent &agent) { reduction.run(agent); });
  return success();
}

void distaff::simt::registerGpu(OpRegistry &registry) {
  registerGpuIds(registry);
  registry.add<gpu::ShuffleOp>(translateShuffle);
  registry.add<gpu::RotateOp>(translateRotate);
  registry.add<gpu::SubgroupReduceOp>(translateSubgroupReduce);
}
