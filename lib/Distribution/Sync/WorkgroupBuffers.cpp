//===- WorkgroupBuffers.cpp - Overlapping of exchange buffers -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest buffers are placed first, each at the lowest offset without a
// buffer that it must not overlap.
//
//===----------------------------------------------------------------------===//
#include "WorkgroupBuffers.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;

namespace {
/// A unit is placed as a whole: a buffer, or those of a merged group side by
/// side.
struct BufferUnit {
  SmallVector<WorkgroupBuffer, 1> members;
  int64_t bytes = 0;
};
} // namespace

static SmallVector<BufferUnit> unitsOf(ArrayRef<WorkgroupBuffer> buffers) {
  SmallVector<BufferUnit> units;
  llvm::DenseMap<int64_t, size_t> meetings;
  for (const WorkgroupBuffer &buffer : buffers) {
    size_t at = units.size();
    if (buffer.meeting >= 0)
      at = meetings.try_emplace(buffer.meeting, at).first->second;
    if (at == units.size())
      units.emplace_back();
    units[at].members.push_back(buffer);
    units[at].bytes += buffer.bytes;
  }
  return units;
}

static llvm::DenseMap<Value, size_t> numberUnits(ArrayRef<BufferUnit> units) {
  llvm::DenseMap<Value, size_t> numbers;
  for (auto [number, unit] : llvm::enumerate(units))
    for (WorkgroupBuffer buffer : unit.members)
      numbers[buffer.alloc.getResult()] = number;
  return numbers;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns the innermost block around all `ops`.
static Block *blockAround(ArrayRef<Operation *> ops) {
  Block *block = ops.front()->getBlock();
  while (!llvm::all_of(ops, [&](Operation *op) {
    return block->findAncestorOpInBlock(*op) != nullptr;
  }))
    block = block->getParentOp()->getBlock();
  return block;
}

/// Returns whether exchanges come one after the other.
static bool takeTurns(Region &region, ArrayRef<BufferUnit> units,
                      const Hazards &hazards) {
  llvm::DenseMap<Value, size_t> numbers = numberUnits(units);
  llvm::SetVector<size_t> seen;
  WalkResult walked = region.walk([&](Operation *op) {
    for (const MemoryAccess &access : hazards.accessesOf(op))
      if (auto unit = numbers.find(access.memref); unit != numbers.end() &&
                                                   !seen.insert(unit->second) &&
                                                   seen.back() != unit->second)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

/// Returns for each unit the loops around its exchange, innermost first.
static SmallVector<SmallVector<Operation *>>
loopsAround(Region &region, ArrayRef<BufferUnit> units,
            const Hazards &hazards) {
  llvm::DenseMap<Value, size_t> numbers = numberUnits(units);
  SmallVector<SmallVector<Operation *>> users(units.size());
  region.walk([&](Operation *op) {
    for (const MemoryAccess &access : hazards.accessesOf(op))
      if (auto unit = numbers.find(access.memref); unit != numbers.end())
        users[unit->second].push_back(op);
  });
  SmallVector<SmallVector<Operation *>> loops(units.size());
  for (auto [ops, around] : llvm::zip_equal(users, loops)) {
    if (ops.empty())
      continue;
    Operation *op = blockAround(ops)->getParentOp();
    for (; op; op = op->getParentOp())
      if (isLoopInWorkgroup(op))
        around.push_back(op);
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Places units so that those that must not share bytes do not overlap.
static BufferPlan
placeBuffers(ArrayRef<BufferUnit> buffers,
             llvm::function_ref<bool(size_t, size_t)> mayShare) {
  SmallVector<size_t> order =
      llvm::to_vector(llvm::seq<size_t>(0, buffers.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-buffers[a].bytes, a) < std::pair(-buffers[b].bytes, b);
  });
  SmallVector<ByteRange> ranges(buffers.size());
  BufferPlan plan;
  for (auto [placed, number] : llvm::enumerate(order)) {
    SmallVector<ByteRange> taken;
    for (size_t other : ArrayRef(order).take_front(placed))
      if (!mayShare(number, other))
        taken.push_back(ranges[other]);
    llvm::sort(taken, [](const ByteRange &a, const ByteRange &b) {
      return a.offset < b.offset;
    });
    ByteRange range{0, buffers[number].bytes};
    for (const ByteRange &other : taken)
      if (range.overlaps(other))
        range.offset = other.offset + other.bytes;
    assert(llvm::none_of(
               taken,
               [&](const ByteRange &other) { return range.overlaps(other); }) &&
           "buffers that are in use together lie apart");
    ranges[number] = range;
    plan.bytes = std::max(plan.bytes, range.offset + range.bytes);
  }
  for (auto [unit, range] : llvm::zip_equal(buffers, ranges))
    for (int64_t offset = range.offset; WorkgroupBuffer buffer : unit.members) {
      plan.places[buffer.alloc.getResult()] = {offset, buffer.bytes};
      offset += buffer.bytes;
    }
  return plan;
}

/// Returns the cost in bytes; of equal costs the smaller plan is better.
static std::pair<int64_t, int64_t> costOf(const BufferPlan &plan,
                                          int64_t idle) {
  int64_t cost = std::max<int64_t>(0, plan.bytes - idle);
  for (auto &[op, reason] : plan.syncs)
    cost += bytesPerSync * tripsAround(op);
  return {cost, plan.bytes};
}

FailureOr<BufferPlan> distaff::planBuffers(Region &region,
                                           ArrayRef<WorkgroupBuffer> buffers,
                                           int64_t limit, int64_t idle,
                                           const Uniformity &uniformity,
                                           Hazards &hazards) {
  auto complete = [&](BufferPlan &plan) -> LogicalResult {
    FailureOr<Hazards::Syncs> syncs =
        hazards.findSyncs(region, uniformity, plan.places);
    if (succeeded(syncs))
      plan.syncs = std::move(*syncs);
    return syncs;
  };
  auto fits = [&](const BufferPlan &plan) {
    return limit == 0 || plan.bytes <= limit;
  };

  SmallVector<BufferUnit> units = unitsOf(buffers);
  if (!takeTurns(region, units, hazards))
    return region.getParentOp()->emitError(
        "exchanges overlap in time, so they cannot share "
        "workgroup memory; this is a bug in Distaff");
  BufferPlan best;
  for (const WorkgroupBuffer &buffer : buffers)
    best.bytes += buffer.bytes;
  if (failed(complete(best)))
    return failure();

  auto loops = loopsAround(region, units, hazards);
  auto inOneLoop = [&](size_t a, size_t b) {
    return !loops[a].empty() && !loops[b].empty() &&
           loops[a].front() == loops[b].front();
  };
  auto underOneLoop = [&](size_t a, size_t b) {
    return llvm::any_of(loops[a], [&](Operation *loop) {
      return llvm::is_contained(loops[b], loop);
    });
  };
  BufferPlan least = placeBuffers(units, [](size_t, size_t) { return true; });
  // Saving the difference is not worth a barrier.
  if (fits(best) && best.bytes - least.bytes < bytesPerSync)
    return best;

  BufferPlan plans[] = {
      placeBuffers(units,
                   [&](size_t a, size_t b) { return !underOneLoop(a, b); }),
      placeBuffers(units, [&](size_t a, size_t b) { return !inOneLoop(a, b); }),
      std::move(least)};
  for (BufferPlan &plan : plans) {
    if (failed(complete(plan)))
      return failure();
    bool better = fits(plan) == fits(best)
                      ? (fits(plan) ? costOf(plan, idle) < costOf(best, idle)
                                    : plan.bytes < best.bytes)
                      : fits(plan);
    if (better)
      best = std::move(plan);
  }
  assert((fits(best) || llvm::any_of(units,
                                     [&](const BufferUnit &unit) {
                                       return unit.bytes > limit;
                                     })) &&
         "a plan fits where the largest buffer does");
  return best;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Places the buffers one after the other.
static void placeInARow(BufferPlan &plan, ArrayRef<WorkgroupBuffer> buffers) {
  int64_t offset = 0;
  for (const WorkgroupBuffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    plan.places[alloc.getResult()] = {offset, buffer.bytes};
    offset += buffer.bytes;
  }
}

static Value allocateBytes(OpBuilder &b, memref::AllocOp like, int64_t bytes,
                           int64_t alignment) {
  auto type =
      MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                      like.getType().getMemorySpace());
  return memref::AllocOp::create(b, like.getLoc(), type,
                                 b.getI64IntegerAttr(alignment));
}

void distaff::emitBuffers(BufferPlan plan, ArrayRef<WorkgroupBuffer> buffers,
                          int64_t alignment, const BufferSource &allocate) {
  if (allocate && plan.places.empty())
    placeInARow(plan, buffers);
  if (plan.places.empty())
    return;
  memref::AllocOp first = buffers.front().alloc;
  for (const WorkgroupBuffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    if (alloc->isBeforeInBlock(first))
      first = alloc;
  }
  OpBuilder b(first);
  Value array = allocate ? allocate(b, first.getLoc(), plan.bytes)
                         : allocateBytes(b, first, plan.bytes, alignment);
  for (const WorkgroupBuffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    b.setInsertionPoint(alloc);
    ByteRange place = plan.places.at(alloc.getResult());
    assert(place.offset >= 0 && place.offset + place.bytes <= plan.bytes &&
           "a buffer lies within the array");
    Value offset =
        arith::ConstantIndexOp::create(b, alloc.getLoc(), place.offset);
    Value view = memref::ViewOp::create(b, alloc.getLoc(), alloc.getType(),
                                        array, offset, /*sizes=*/ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
}
