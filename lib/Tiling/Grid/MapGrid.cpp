//===- MapGrid.cpp - Loops over the workgroups of a known grid ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups that share out iterations go from their own number in steps of how
// many they are, which the grid function says. Where it starts as many as there
// are iterations, each has one:
//
//   for %i = block_id x to %n step %n   =>   %i = block_id x
//
// Where it starts fewer, the iterations of one workgroup are put in order
// (OrderTiles.h).
//
//===----------------------------------------------------------------------===//
#include "OrderTiles.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_MAPGRID
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// The ops that compute what a grid function returns, in order; none where it
/// branches, or an op of it does more than compute.
static std::optional<SmallVector<Operation *>>
computationOf(func::FuncOp grid) {
  if (!grid.getBody().hasOneBlock())
    return std::nullopt;
  Block &body = grid.getBody().front();
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  for (Value count : body.getTerminator()->getOperands())
    if (failed(getBackwardSlice(count, &slice, options)))
      return std::nullopt;
  SmallVector<Operation *> ops;
  for (Operation &op : body) {
    if (!slice.contains(&op))
      continue;
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return std::nullopt;
    ops.push_back(&op);
  }
  return ops;
}

/// The counts of workgroups, computed at the start of the kernel; none where
/// that cannot be done.
static FailureOr<SmallVector<Value>> computeGrid(func::FuncOp kernel,
                                                 func::FuncOp grid) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  auto ops = computationOf(grid);
  if (failed(signature) || !ops)
    return failure();
  SmallVector<std::pair<unsigned, unsigned>> extents =
      signature->dynamicExtents();
  if (grid.getNumArguments() != extents.size() || grid.getNumResults() != 3)
    return failure();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  IRMapping mapping;
  for (auto [number, extent] : llvm::enumerate(extents)) {
    Value argument =
        kernel.getArgument(signature->arguments[extent.first].position);
    mapping.map(grid.getArgument(number),
                memref::DimOp::create(builder, kernel.getLoc(), argument,
                                      extent.second));
  }
  for (Operation *op : *ops)
    builder.clone(*op, mapping);
  return llvm::map_to_vector(
      grid.getBody().front().getTerminator()->getOperands(),
      [&](Value count) { return mapping.lookup(count); });
}

/// Asks the grid function, not the hardware.
static void replaceCounts(func::FuncOp kernel, ArrayRef<Value> counts) {
  kernel.walk([&](gpu::GridDimOp op) {
    op.replaceAllUsesWith(counts[unsigned(op.getDimension())]);
    op.erase();
  });
  kernel.walk([&](gpu::BlockIdOp op) {
    if (getConstantIntValue(counts[unsigned(op.getDimension())]) != 1)
      return;
    OpBuilder builder(op);
    Value zero = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
    op.replaceAllUsesWith(zero);
    op.erase();
  });
}

static bool areEqual(Value a, Value b) {
  std::optional<int64_t> known = getConstantIntValue(a);
  return a == b || (known && known == getConstantIntValue(b));
}

/// Whether a workgroup runs one iteration, that of its own number.
static bool runsItsOwn(scf::ForOp loop, ArrayRef<Value> counts) {
  auto id = loop.getLowerBound().getDefiningOp<gpu::BlockIdOp>();
  Value count = id ? counts[unsigned(id.getDimension())] : Value();
  bool isOfOne = matchPattern(loop.getLowerBound(), m_Zero()) &&
                 getConstantIntValue(loop.getUpperBound()) == 1;
  return isOfOne || (count && areEqual(loop.getUpperBound(), count) &&
                     areEqual(loop.getStep(), count));
}

static void inlineOwnIterations(func::FuncOp kernel, ArrayRef<Value> counts) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (loop.getNumResults() == 0 && runsItsOwn(loop, counts))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    loop.getInductionVar().replaceAllUsesWith(loop.getLowerBound());
    Block *body = loop.getBody();
    body->getTerminator()->erase();
    loop->getBlock()->getOperations().splice(loop->getIterator(),
                                             body->getOperations());
    loop.erase();
  }
}

namespace {
struct MapGrid final : distaff::impl::MapGridBase<MapGrid> {
  void runOnOperation() override {
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>()) {
      if (!isKernel(kernel))
        continue;
      SmallVector<Operation *> order = orderTiles(kernel);
      func::FuncOp grid = findGridFunction(kernel);
      if (!grid || !kernel.getBody().hasOneBlock())
        continue;
      mapKernel(kernel, grid);
      // Nothing comes after what runs once.
      for (Operation *op : llvm::reverse(order))
        if (op->getParentOp() == kernel)
          op->erase();
    }
  }

  void mapKernel(func::FuncOp kernel, func::FuncOp grid) {
    FailureOr<SmallVector<Value>> counts = computeGrid(kernel, grid);
    if (failed(counts))
      return;
    replaceCounts(kernel, *counts);
    // The counts outlive folding as what the kernel returns.
    auto end = cast<func::ReturnOp>(kernel.getBody().front().getTerminator());
    unsigned first = end.getNumOperands();
    end->insertOperands(first, *counts);
    IRRewriter rewriter(&getContext());
    (void)applyPatternsGreedily(kernel,
                                guarded(RewritePatternSet(&getContext())));
    DominanceInfo dominance(kernel);
    eliminateCommonSubExpressions(rewriter, dominance, kernel);
    inlineOwnIterations(kernel,
                        SmallVector<Value>(end.getOperands().slice(first, 3)));
    end->eraseOperands(first, 3);
  }
};
} // namespace
