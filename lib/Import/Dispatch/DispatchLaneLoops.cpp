//===- DispatchLaneLoops.cpp - Distribution of loops over lanes -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the program of a workgroup and that of a lane, IREE distributes work
// by loops whose iterations belong to the threads of a workgroup:
//
//   scf.forall (%i, %j) in (%m, 4) {
//     use(%i, %j)
//   } {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
//
// The iterations are independent, so the assignment to lanes is free. They are
// numbered in the order of the mapping, and lane l of n takes l, l + n, ...:
//
//   gpu.barrier
//   scf.for %k = %lane to %m * 4 step %n {
//     use(%k / 4, %k mod 4)
//   }
//   gpu.barrier
//
// All lanes run the code outside of the loops. Its writes are made by one lane,
// or in parallel for an op of linalg (VX-236).
//
//===----------------------------------------------------------------------===//
#include "DispatchLanes.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

std::optional<WorkerLevel> distaff::workerLevelOf(Operation *op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  if (!loop || !loop.getMapping() || loop.getMapping()->empty())
    return std::nullopt;
  Attribute first = loop.getMapping()->getValue().front();
  if (isa<gpu::GPUThreadMappingAttr>(first))
    return WorkerLevel::thread;
  if (isa<gpu::GPUWarpMappingAttr>(first))
    return WorkerLevel::subgroup;
  if (isa<gpu::GPULaneMappingAttr, iree::LaneIdAttr>(first))
    return WorkerLevel::lane;
  return std::nullopt;
}

bool distaff::hasLaneLoops(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return workerLevelOf(op) ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

bool distaff::isInLaneCode(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    std::optional<WorkerLevel> level = workerLevelOf(parent);
    if (level && *level != WorkerLevel::subgroup)
      return true;
  }
  return false;
}

namespace {
/// Describes the workers that share the iterations of a loop: their count, and
/// the id of this one.
struct Workers {
  int64_t count;
  Value id;
};

class LaneDistributor {
public:
  LaneDistributor(func::FuncOp function, const DispatchLaunch &launch)
      : function(function), launch(launch), rewriter(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult check();
  void readIds();
  Workers workersOf(WorkerLevel level);
  void spreadWrites();
  void writeByOneLane(Operation *op);
  void distribute(scf::ForallOp loop);
  void distribute(scf::ParallelOp loop);
  void share(Operation *loop, Block *body, ValueRange ivs,
             ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
             ArrayRef<OpFoldResult> step, Workers workers);

  func::FuncOp function;
  const DispatchLaunch &launch;
  IRRewriter rewriter;
  Value thread;        // the lane's number along x, then y, then z
  int64_t threads = 0; // number of lanes of the workgroup
  int64_t subgroupSize = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks before distribution
//===----------------------------------------------------------------------===//

static bool writesMemory(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return op->getNumRegions() == 0 && effects &&
         effects.hasEffect<MemoryEffects::Write>() && !isa<gpu::BarrierOp>(op);
}

/// Returns whether an op belongs to a subgroup: it is inside of a loop over
/// subgroups, and of none over lanes.
static bool isOfSubgroup(Operation *op) {
  if (isInLaneCode(op))
    return false;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (workerLevelOf(parent) == WorkerLevel::subgroup)
      return true;
  return false;
}

LogicalResult LaneDistributor::check() {
  if (launch.workgroupSize.empty())
    return function.emitOpError(
        "shares work out among lanes, and nothing says how many there are; it "
        "needs a workgroup_size in its translation_info or its export");
  WalkResult walked = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<WorkerLevel> level = workerLevelOf(op);
    if (level && *level != WorkerLevel::thread && !launch.subgroupSize) {
      op->emitOpError("is mapped to subgroups or their lanes, and nothing says "
                      "how many lanes a subgroup has; it needs a subgroup_size "
                      "in the function's translation_info or its export");
      return WalkResult::interrupt();
    }
    // A kernel has no memory of one subgroup.
    bool needsMemory = isa<linalg::LinalgOp>(op) || writesMemory(op);
    if (!needsMemory || !isOfSubgroup(op))
      return WalkResult::advance();
    op->emitOpError("computes what a subgroup has alone, which is not shared "
                    "out among its lanes yet; give it the dispatch as it is "
                    "dumped before GPUApplyTilingLevelPass, or behind "
                    "GPUFuseAndHoistParallelLoopsPass");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

void LaneDistributor::readIds() {
  Location loc = function.getLoc();
  rewriter.setInsertionPointToStart(&function.getBody().front());
  threads = 1;
  AffineExpr number = rewriter.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> ids;
  for (auto [dim, size] : llvm::enumerate(launch.workgroupSize)) {
    ids.push_back(
        gpu::ThreadIdOp::create(rewriter, loc, static_cast<gpu::Dimension>(dim))
            .getResult());
    number = number + rewriter.getAffineSymbolExpr(dim) * threads;
    threads *= size;
  }
  subgroupSize = launch.subgroupSize.value_or(1);
  thread = getValueOrCreateConstantIndexOp(
      rewriter, loc,
      affine::makeComposedFoldedAffineApply(rewriter, loc, number, ids));
}

Workers LaneDistributor::workersOf(WorkerLevel level) {
  AffineExpr id = rewriter.getAffineSymbolExpr(0);
  int64_t count = threads;
  if (level == WorkerLevel::subgroup) {
    id = id.floorDiv(subgroupSize);
    count = threads / subgroupSize;
  } else if (level == WorkerLevel::lane) {
    id = id % subgroupSize;
    count = subgroupSize;
  }
  OpFoldResult made = affine::makeComposedFoldedAffineApply(
      rewriter, thread.getLoc(), id, {OpFoldResult(thread)});
  return {count,
          getValueOrCreateConstantIndexOp(rewriter, thread.getLoc(), made)};
}

//===----------------------------------------------------------------------===//
// Code outside of the loops
//===----------------------------------------------------------------------===//

void LaneDistributor::writeByOneLane(Operation *op) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  gpu::BarrierOp::create(rewriter, loc);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        thread, zero);
  auto branch = scf::IfOp::create(rewriter, loc, isFirst);
  gpu::BarrierOp::create(rewriter, loc);
  rewriter.moveOpBefore(op, branch.thenBlock()->getTerminator());
}

/// Distributes writes outside of lanes' code: those of linalg in parallel,
/// others to one lane.
void LaneDistributor::spreadWrites() {
  SmallVector<Operation *> structured, others;
  function.walk([&](Operation *op) {
    if (isInLaneCode(op))
      return;
    if (isa<linalg::LinalgOp, memref::CopyOp>(op))
      structured.push_back(op);
    else if (!op->getParentOfType<linalg::LinalgOp>() && writesMemory(op))
      others.push_back(op);
  });
  for (Operation *op : structured) {
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      rewriter.setInsertionPoint(copy);
      op = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                                    copy.getTarget());
      rewriter.eraseOp(copy);
    }
    auto linalgOp = cast<linalg::LinalgOp>(op);
    // Without a parallel loop there is one element, which one lane writes.
    if (linalgOp.getNumParallelLoops() == 0) {
      writeByOneLane(op);
      continue;
    }
    rewriter.setInsertionPoint(op);
    [[maybe_unused]] bool hasLoops =
        succeeded(linalg::linalgOpToParallelLoops(rewriter, linalgOp));
    assert(hasLoops && "ops of linalg on memrefs have a form as loops");
    rewriter.eraseOp(op);
  }
  for (Operation *op : others)
    writeByOneLane(op);
  SmallVector<scf::ParallelOp> loops;
  function.walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
    if (!isInLaneCode(loop))
      loops.push_back(loop);
    return WalkResult::skip();
  });
  for (scf::ParallelOp loop : loops)
    distribute(loop);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns lower + number * step along each dimension, the last one fastest.
static SmallVector<Value> positionsOf(OpBuilder &b, Location loc, Value number,
                                      ArrayRef<OpFoldResult> counts,
                                      ArrayRef<OpFoldResult> lower,
                                      ArrayRef<OpFoldResult> step) {
  AffineExpr s0, s1, s2;
  bindSymbols(b.getContext(), s0, s1, s2);
  SmallVector<Value> positions(counts.size());
  for (size_t dim = counts.size(); dim-- > 0;) {
    Value count = getValueOrCreateConstantIndexOp(b, loc, counts[dim]);
    Value digit =
        dim == 0 ? number
                 : arith::RemUIOp::create(b, loc, number, count).getResult();
    if (dim != 0)
      number = arith::DivUIOp::create(b, loc, number, count);
    Value scaled = arith::MulIOp::create(
        b, loc, digit, getValueOrCreateConstantIndexOp(b, loc, step[dim]));
    positions[dim] = arith::AddIOp::create(
        b, loc, scaled, getValueOrCreateConstantIndexOp(b, loc, lower[dim]));
  }
  return positions;
}

void LaneDistributor::share(Operation *loop, Block *body, ValueRange ivs,
                            ArrayRef<OpFoldResult> lower,
                            ArrayRef<OpFoldResult> upper,
                            ArrayRef<OpFoldResult> step, Workers workers) {
  Location loc = loop->getLoc();
  rewriter.setInsertionPoint(loop);
  AffineExpr s0, s1, s2;
  bindSymbols(rewriter.getContext(), s0, s1, s2);
  SmallVector<OpFoldResult> counts;
  Value total = arith::ConstantIndexOp::create(rewriter, loc, 1);
  std::optional<int64_t> known = 1;
  for (auto [from, to, by] : llvm::zip_equal(lower, upper, step)) {
    // There is no iteration if the upper bound is below the lower one.
    OpFoldResult count = affine::makeComposedFoldedAffineMax(
        rewriter, loc,
        AffineMap::get(
            0, 3, {(s1 - s0).ceilDiv(s2), rewriter.getAffineConstantExpr(0)},
            rewriter.getContext()),
        {from, to, by});
    counts.push_back(count);
    total = arith::MulIOp::create(
        rewriter, loc, total,
        getValueOrCreateConstantIndexOp(rewriter, loc, count));
    std::optional<int64_t> number = getConstantIntValue(count);
    known = known && number ? std::optional(*known * *number) : std::nullopt;
  }
  gpu::BarrierOp::create(rewriter, loc);
  Value number = workers.id;
  Operation *end = nullptr;
  // With one iteration each, code with barriers stays outside of loops.
  if (known != workers.count) {
    Value stride = arith::ConstantIndexOp::create(rewriter, loc, workers.count);
    auto own = scf::ForOp::create(rewriter, loc, workers.id, total, stride);
    number = own.getInductionVar();
    end = own.getBody()->getTerminator();
  }
  Operation *barrier = gpu::BarrierOp::create(rewriter, loc);
  if (!end)
    end = barrier;
  rewriter.setInsertionPoint(end);
  SmallVector<Value> positions =
      positionsOf(rewriter, loc, number, counts, lower, step);
  rewriter.eraseOp(body->getTerminator());
  for (auto [iv, position] : llvm::zip_equal(ivs, positions))
    rewriter.replaceAllUsesWith(iv, position);
  end->getBlock()->getOperations().splice(end->getIterator(),
                                          body->getOperations());
  rewriter.eraseOp(loop);
}

void LaneDistributor::distribute(scf::ForallOp loop) {
  // The last dimension of the mapping is the fastest.
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, loop.getRank()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    auto idOf = [&](unsigned dim) {
      return cast<DeviceMappingAttrInterface>((*loop.getMapping())[dim])
          .getMappingId();
    };
    return idOf(a) > idOf(b);
  });
  auto ordered = [&](SmallVector<OpFoldResult> bounds) {
    return llvm::map_to_vector(order,
                               [&](unsigned dim) { return bounds[dim]; });
  };
  SmallVector<Value> ivs(loop.getInductionVars());
  auto orderedIvs =
      llvm::map_to_vector(order, [&](unsigned dim) { return ivs[dim]; });
  rewriter.setInsertionPoint(loop);
  Workers workers = workersOf(*workerLevelOf(loop));
  share(loop, loop.getBody(), orderedIvs, ordered(loop.getMixedLowerBound()),
        ordered(loop.getMixedUpperBound()), ordered(loop.getMixedStep()),
        workers);
}

void LaneDistributor::distribute(scf::ParallelOp loop) {
  rewriter.setInsertionPoint(loop);
  Workers workers = workersOf(WorkerLevel::thread);
  share(loop, loop.getBody(), loop.getInductionVars(),
        getAsOpFoldResult(loop.getLowerBound()),
        getAsOpFoldResult(loop.getUpperBound()),
        getAsOpFoldResult(loop.getStep()), workers);
}

LogicalResult LaneDistributor::run() {
  if (failed(check()))
    return failure();
  readIds();
  spreadWrites();
  SmallVector<scf::ForallOp> loops;
  function.walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
    if (workerLevelOf(loop))
      loops.push_back(loop);
  });
  for (scf::ForallOp loop : loops)
    distribute(loop);
  return success();
}

//===----------------------------------------------------------------------===//
// Whole functions
//===----------------------------------------------------------------------===//

/// Replaces splits of an index by extents that are not static by divisions.
static void lowerDynamicSplits(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<affine::AffineDelinearizeIndexOp> splits;
  function.walk([&](affine::AffineDelinearizeIndexOp split) {
    if (!split.getDynamicBasis().empty())
      splits.push_back(split);
  });
  for (affine::AffineDelinearizeIndexOp split : splits) {
    rewriter.setInsertionPoint(split);
    [[maybe_unused]] bool isLowered =
        succeeded(affine::lowerAffineDelinearizeIndexOp(rewriter, split));
    assert(isLowered && "an index is split by divisions");
  }
}

/// Lowers structured ops to scalar code of a lane.
static void makeLoops(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (isa<memref::CopyOp>(op) ||
        (structured && structured.hasPureBufferSemantics()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      op = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                                    copy.getTarget());
      rewriter.eraseOp(copy);
    }
    [[maybe_unused]] bool hasLoops = succeeded(
        linalg::linalgOpToLoops(rewriter, cast<linalg::LinalgOp>(op)));
    assert(hasLoops && "ops of linalg on memrefs have a form as loops");
    rewriter.eraseOp(op);
  }
}

void distaff::lowerLaneOps(func::FuncOp function) {
  function.getContext()
      ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                    memref::MemRefDialect>();
  lowerDynamicSplits(function);
  makeLoops(function);
}

/// Removes what bufferization leaves: loops that pass buffers on, copies of a
/// part of a buffer to itself.
static void cleanUp(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  memref::SubViewOp::getCanonicalizationPatterns(patterns, context);
  memref::CastOp::getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  FrozenRewritePatternSet frozen = guarded(std::move(patterns));
  for (int round = 0; round < 2; ++round) {
    (void)applyPatternsGreedily(function, frozen, config);
    IRRewriter rewriter(context);
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
    function.walk([](memref::CopyOp copy) {
      if (copy.getSource() == copy.getTarget())
        copy.erase();
    });
  }
}

static bool isOverWorkgroups(Operation *op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  return loop && loop.getMapping() &&
         llvm::any_of(*loop.getMapping(),
                      llvm::IsaPred<iree::WorkgroupMappingAttr>);
}

/// Checks that nothing is computed outside of a loop over workgroups: a kernel
/// has no memory that all workgroups would share.
static LogicalResult checkBesideWorkgroups(func::FuncOp function) {
  Block &body = function.getBody().front();
  if (llvm::none_of(body, [](Operation &op) { return isOverWorkgroups(&op); }))
    return success();
  for (Operation &op : body)
    if (isa<linalg::LinalgOp, memref::AllocOp>(op) || writesMemory(&op) ||
        workerLevelOf(&op))
      return op.emitOpError(
          "is beside the loop over workgroups, which share no memory but the "
          "arguments; give it the dispatch as it is dumped before "
          "TileAndDistributeToWorkgroupsUsingForallOpPass, or behind "
          "GPUFuseAndHoistParallelLoopsPass");
  return success();
}

/// Hoists allocations to the function's start, where a workgroup's memory and a
/// lane's own exist.
static LogicalResult hoistAllocations(func::FuncOp function) {
  SmallVector<memref::AllocOp> allocs;
  function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (memref::AllocOp alloc : allocs) {
    if (!alloc.getType().hasStaticShape())
      return alloc.emitOpError("of a lane's or a workgroup's memory has an "
                               "extent that is not static; give it the "
                               "dispatch as it is dumped behind "
                               "IREEComprehensiveBufferizePass");
    alloc->moveBefore(&function.getBody().front().front());
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(
        alloc.getType().getMemorySpace());
    if (space && space.getValue() == gpu::AddressSpace::Private) {
      b.setInsertionPoint(alloc);
      alloc.replaceAllUsesWith(
          memref::AllocaOp::create(b, alloc.getLoc(), alloc.getType())
              .getResult());
      alloc.erase();
    }
  }
  return success();
}

LogicalResult distaff::importLaneLoops(func::FuncOp function,
                                       const DispatchLaunch &launch) {
  if (!hasLaneLoops(function))
    return success();
  function.getContext()
      ->loadDialect<arith::ArithDialect, gpu::GPUDialect, linalg::LinalgDialect,
                    memref::MemRefDialect>();
  if (failed(bufferizeLaneLoops(function)))
    return failure();
  cleanUp(function);
  if (failed(checkBesideWorkgroups(function)) ||
      failed(hoistAllocations(function)))
    return failure();
  return LaneDistributor(function, launch).run();
}
