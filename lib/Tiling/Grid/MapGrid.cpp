//===- MapGrid.cpp - Grid-stride loops over workgroups --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups that share iterations start at their own id and step by the number
// of workgroups (grid-stride loops), which the grid function returns. Where it
// equals the number of iterations, each workgroup runs one:
//
//   for %i = block_id x to %n step %n   =>   %i = block_id x
//
// Where the number is smaller, the iterations of one workgroup are ordered by
// barriers (OrderTiles.h).
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

/// Returns the ops that compute the results of a grid function, in order; none
/// where it branches, or has an op with side effects.
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

/// Computes the counts of workgroups at the start of the kernel; fails where
/// that is not possible.
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

/// Replaces the counts and ids of the hardware by the results of the grid
/// function.
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

/// Returns whether a workgroup runs one iteration, that of its own id.
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
      // A loop that was inlined needs no barrier at its end.
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
    // The counts are returned by the kernel for now, so that they outlive
    // folding.
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
