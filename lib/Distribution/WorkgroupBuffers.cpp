//===- WorkgroupBuffers.cpp - Which buffers share bytes -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest buffers are placed first, each at the lowest offset where no
// buffer lies that it must not meet.
//
//===----------------------------------------------------------------------===//
#include "WorkgroupBuffers.h"
#include "distaff/Analysis/LayoutChoice.h"
#include "distaff/Analysis/WorkgroupMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;

/// Memory that one more wait per workgroup must save.
static constexpr int64_t bytesPerSync = 1024;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// True if the ops of `loop` run more than once in one workgroup.
static bool repeats(Operation *loop) {
  return isa<LoopLikeOpInterface>(loop) && !isa<scf::ForallOp>(loop);
}

/// The innermost block around all `ops`.
static Block *blockAround(ArrayRef<Operation *> ops) {
  Block *block = ops.front()->getBlock();
  while (!llvm::all_of(ops, [&](Operation *op) {
    return block->findAncestorOpInBlock(*op) != nullptr;
  }))
    block = block->getParentOp()->getBlock();
  return block;
}

/// True if exchanges come one after the other.
static bool takeTurns(Region &region, ArrayRef<WorkgroupBuffer> buffers,
                      const Hazards &hazards) {
  llvm::DenseSet<Value> own;
  for (WorkgroupBuffer buffer : buffers)
    own.insert(buffer.alloc.getResult());
  llvm::SetVector<Value> seen;
  WalkResult walked = region.walk([&](Operation *op) {
    for (const MemoryAccess &access : hazards.accessesOf(op))
      if (own.contains(access.memref) && !seen.insert(access.memref) &&
          seen.back() != access.memref)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

/// For each buffer the loops around its exchange, innermost first.
static SmallVector<SmallVector<Operation *>>
loopsAround(Region &region, ArrayRef<WorkgroupBuffer> buffers,
            const Hazards &hazards) {
  llvm::DenseMap<Value, SmallVector<Operation *>> users;
  region.walk([&](Operation *op) {
    for (const MemoryAccess &access : hazards.accessesOf(op))
      users[access.memref].push_back(op);
  });
  SmallVector<SmallVector<Operation *>> loops(buffers.size());
  for (auto [buffer, around] : llvm::zip_equal(buffers, loops)) {
    auto found = users.find(memref::AllocOp(buffer.alloc).getResult());
    if (found == users.end())
      continue;
    Operation *op = blockAround(found->second)->getParentOp();
    for (; op; op = op->getParentOp())
      if (repeats(op))
        around.push_back(op);
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Places buffers so that none that must not meet overlap.
static BufferPlan
placeBuffers(ArrayRef<WorkgroupBuffer> buffers,
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
    ranges[number] = range;
    plan.bytes = std::max(plan.bytes, range.offset + range.bytes);
  }
  for (auto [buffer, range] : llvm::zip_equal(buffers, ranges))
    plan.places[memref::AllocOp(buffer.alloc).getResult()] = range;
  return plan;
}

static int64_t costOf(const BufferPlan &plan) {
  int64_t cost = plan.bytes;
  for (auto &[op, reason] : plan.syncs)
    cost += bytesPerSync * tripsAround(op);
  return cost;
}

FailureOr<BufferPlan> distaff::planBuffers(Region &region,
                                           ArrayRef<WorkgroupBuffer> buffers,
                                           int64_t limit,
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

  if (!takeTurns(region, buffers, hazards))
    return region.getParentOp()->emitError(
        "exchanges overlap in time, so they cannot share "
        "workgroup memory; this is a bug in Distaff");
  BufferPlan best;
  for (const WorkgroupBuffer &buffer : buffers)
    best.bytes += buffer.bytes;
  if (failed(complete(best)))
    return failure();

  auto loops = loopsAround(region, buffers, hazards);
  auto inOneLoop = [&](size_t a, size_t b) {
    return !loops[a].empty() && !loops[b].empty() &&
           loops[a].front() == loops[b].front();
  };
  auto underOneLoop = [&](size_t a, size_t b) {
    return llvm::any_of(loops[a], [&](Operation *loop) {
      return llvm::is_contained(loops[b], loop);
    });
  };
  BufferPlan least = placeBuffers(buffers, [](size_t, size_t) { return true; });
  // Not worth a wait, so not worth finding out where.
  if (fits(best) && best.bytes - least.bytes < bytesPerSync)
    return best;

  BufferPlan plans[] = {
      placeBuffers(buffers,
                   [&](size_t a, size_t b) { return !underOneLoop(a, b); }),
      placeBuffers(buffers,
                   [&](size_t a, size_t b) { return !inOneLoop(a, b); }),
      std::move(least)};
  for (BufferPlan &plan : plans) {
    if (failed(complete(plan)))
      return failure();
    bool better = fits(plan) == fits(best)
                      ? (fits(plan) ? costOf(plan) < costOf(best)
                                    : plan.bytes < best.bytes)
                      : fits(plan);
    if (better)
      best = std::move(plan);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Each buffer behind the other.
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
    Value offset = arith::ConstantIndexOp::create(
        b, alloc.getLoc(), plan.places.at(alloc.getResult()).offset);
    Value view = memref::ViewOp::create(b, alloc.getLoc(), alloc.getType(),
                                        array, offset, /*sizes=*/ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
}
