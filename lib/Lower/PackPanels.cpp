//===- PackPanels.cpp - What many workgroups read, in order ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a product the tiles of one column read the same panel of the right side, a
// row of 64 bytes out of each page. A workgroup then takes several tiles, one
// after the other, and before them copies the panel to memory of its own, in
// the order in which it is read, with what is outside of the array as the
// padding that it would be read as:
//
//   forall (i, j) { for k { read A[i, k]; read B[k, j]; ... } }
//   =>  forall (I, j) { for k { panel[k] = read B[k, j] }
//                       for i of I { for k { read A[i, k]; read panel[k]; ... }
//                       } }
//
// Elements that are converted behind each read are converted before they are
// copied.
//
// A long panel is copied in blocks, and all tiles read one block before the
// next is copied (BlockedLoops.h).
//
// Where nothing is read twice, but each step reads a row and each tile a part
// of it, as when columns are summed up, workgroups take several tiles as well
// and do their steps in blocks, so that the pages of a block are gone through
// together.
//
// Plan, then emit: a panel is what a read inside of loops of constant bounds
// depends on, if that leaves out a dim of the loop over workgroups.
//
//===----------------------------------------------------------------------===//
#include "PanelPlan.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace distaff {
#define GEN_PASS_DEF_PACKPANELS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
class PanelPacking {
public:
  PanelPacking(scf::ForallOp grid, const Target &target)
      : grid(grid), target(target) {}

  void emit(Panel panel);

private:
  void divideGrid(unsigned dim, int64_t by);
  Value copy(OpBuilder &b, const Panel &panel, ValueRange ids,
             const std::optional<StepBlock> &block);

  scf::ForallOp grid;
  const Target &target;
};
} // namespace

/// As many that copying is little beside computing, and that all cores have
/// something to do.
static int64_t tilesPerWorkgroup(scf::ForallOp grid, unsigned dim,
                                 const Target &target) {
  constexpr int64_t most = mostTilesPerWorkgroup;
  constexpr int64_t workgroupsPerCore = 4;
  int64_t others = 1, tiles = most;
  for (auto [i, bound] : llvm::enumerate(grid.getMixedUpperBound())) {
    int64_t count = getConstantIntValue(bound).value_or(most);
    if (i == dim)
      tiles = std::max<int64_t>(1, count);
    else
      others = saturatingProduct(others, std::max<int64_t>(1, count));
  }
  int64_t wanted =
      llvm::divideCeil(workgroupsPerCore * target.computeUnits, others);
  return std::clamp<int64_t>(tiles / wanted, 1, most);
}

/// Has the grid function count as many workgroups along a dim of the loop.
void PanelPacking::divideGrid(unsigned dim, int64_t by) {
  auto kernel = grid->getParentOfType<func::FuncOp>();
  func::FuncOp function = findGridFunction(kernel);
  Operation *leave = function.front().getTerminator();
  auto mapping = cast<gpu::GPUBlockMappingAttr>((*grid.getMapping())[dim]);
  OpOperand &count = leave->getOpOperand(mapping.getMappingId());
  OpBuilder b(leave);
  AffineExpr tiles = b.getAffineSymbolExpr(0);
  count.set(getValueOrCreateConstantIndexOp(
      b, leave->getLoc(),
      affine::makeComposedFoldedAffineApply(
          b, leave->getLoc(), AffineMap::get(0, 1, tiles.ceilDiv(by)),
          {getAsOpFoldResult(count.get())})));
}

/// The number of a step of a loop of constant bounds, by its counter.
static Value stepOf(OpBuilder &b, scf::ForOp loop, Value counter) {
  int64_t first = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  if (first == 0 && step == 1)
    return counter;
  AffineExpr number = (b.getAffineDimExpr(0) - first).floorDiv(step);
  return affine::makeComposedAffineApply(
      b, loop.getLoc(), AffineMap::get(1, 0, number), {counter});
}

/// Where a panel has what is read in the steps of `loops` that `counters` are.
static SmallVector<Value> placeOf(OpBuilder &b, VectorType type,
                                  ArrayRef<scf::ForOp> loops,
                                  ValueRange counters,
                                  const std::optional<StepBlock> &block) {
  SmallVector<Value> indices;
  for (auto [loop, counter] : llvm::zip_equal(loops, counters))
    indices.push_back(stepOf(b, loop, counter));
  if (block)
    indices.front() = affine::makeComposedAffineApply(
        b, loops.front()->getLoc(),
        AffineMap::get(2, 0,
                       b.getAffineDimExpr(0) -
                           b.getAffineDimExpr(1) * block->stepsPerBlock),
        {indices.front(), block->number});
  Value zero = arith::ConstantIndexOp::create(b, loops.front()->getLoc(), 0);
  indices.append(type.getRank(), zero);
  return indices;
}

/// Copies the panel of the workgroup with these ids, or a block of it, and
/// returns where it is.
Value PanelPacking::copy(OpBuilder &b, const Panel &panel, ValueRange ids,
                         const std::optional<StepBlock> &block) {
  vector::TransferReadOp read = panel.reads.front();
  Location loc = read.getLoc();
  VectorType type = panel.partType();
  SmallVector<int64_t> shape = panel.trips;
  if (block)
    shape = {block->stepsPerBlock};
  llvm::append_range(shape, type.getShape());
  OpBuilder outside = block ? block->outside() : b;
  Value memory = memref::AllocaOp::create(
      outside, loc, MemRefType::get(shape, type.getElementType()), ValueRange(),
      outside.getI64IntegerAttr(64));
  IRMapping map;
  map.map(grid.getInductionVars(), ids);
  SmallVector<Value> lower, upper, steps;
  auto constant = [&](Value bound) -> Value {
    return arith::ConstantIndexOp::create(b, loc, *getConstantIntValue(bound));
  };
  for (scf::ForOp loop : panel.loops) {
    lower.push_back(constant(loop.getLowerBound()));
    upper.push_back(constant(loop.getUpperBound()));
    steps.push_back(constant(loop.getStep()));
  }
  if (block)
    std::tie(lower.front(), upper.front()) =
        boundsOfBlock(b, panel.loops.front(), panel.steps(), *block);
  scf::buildLoopNest(
      b, loc, lower, upper, steps,
      [&](OpBuilder &in, Location, ValueRange counters) {
        for (auto [each, counter] : llvm::zip_equal(panel.loops, counters)) {
          scf::ForOp loop = each;
          map.map(loop.getInductionVar(), counter);
        }
        for (Operation *op : panel.slice)
          in.clone(*op, map);
        Value part = in.clone(*read, map)->getResult(0);
        if (!panel.conversions.empty())
          part = in.clone(*panel.conversions.front(), map)->getResult(0);
        vector::TransferWriteOp::create(
            in, loc, part, memory,
            placeOf(in, type, panel.loops, counters, block),
            SmallVector<bool>(type.getRank(), true));
      });
  return memory;
}

/// Has a read, or what converts it, take its part of the panel.
static void redirect(vector::TransferReadOp read, Operation *conversion,
                     Value memory, Operation *walk,
                     const std::optional<StepBlock> &block) {
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> counters;
  for (Operation *parent = read->getParentOp(); parent != walk;
       parent = parent->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      loops.insert(loops.begin(), loop);
  for (scf::ForOp loop : loops)
    counters.push_back(loop.getInductionVar());
  OpBuilder b(read);
  Value whole = conversion ? Value(conversion->getResult(0)) : read.getResult();
  auto type = cast<VectorType>(whole.getType());
  Value padding = arith::ConstantOp::create(
      b, read.getLoc(), b.getZeroAttr(type.getElementType()));
  Value packed = vector::TransferReadOp::create(
      b, read.getLoc(), type, memory, placeOf(b, type, loops, counters, block),
      padding, SmallVector<bool>(type.getRank(), true));
  whole.replaceAllUsesWith(packed);
  if (conversion)
    conversion->erase();
  read.erase();
}

void PanelPacking::emit(Panel panel) {
  OpBuilder b(grid);
  Location loc = grid.getLoc();
  unsigned dim = panel.dim;
  int64_t tiles = tilesPerWorkgroup(grid, dim, target);
  if (tiles == 1) // which shares nothing
    return;
  SmallVector<OpFoldResult> upper = grid.getMixedUpperBound();
  OpFoldResult all = upper[dim];
  AffineExpr d = b.getAffineDimExpr(0), s = b.getAffineSymbolExpr(0);
  upper[dim] = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(0, 1, s.ceilDiv(tiles)), {all});
  divideGrid(dim, tiles);
  auto outer =
      scf::ForallOp::create(b, loc, upper, ValueRange(), grid.getMappingAttr());
  b.setInsertionPoint(outer.getTerminator());
  Value group = outer.getInductionVars()[dim];
  Value first = affine::makeComposedAffineApply(
      b, loc, AffineMap::get(1, 0, d * tiles), {group});
  Value last = affine::AffineMinOp::create(
      b, loc, AffineMap::get(1, 1, {d * tiles + tiles, s}, b.getContext()),
      ValueRange{group, getValueOrCreateConstantIndexOp(b, loc, all)});
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  std::optional<StepBlock> block;
  if (panel.blocked) {
    int64_t count = llvm::divideCeil(panel.steps(), panel.stepsPerBlock);
    auto blocks =
        scf::ForOp::create(b, loc, arith::ConstantIndexOp::create(b, loc, 0),
                           arith::ConstantIndexOp::create(b, loc, count), one);
    block = StepBlock{blocks.getInductionVar(), panel.stepsPerBlock, count};
    b.setInsertionPoint(blocks.getBody()->getTerminator());
  }
  Value memory;
  if (panel.isCopied)
    memory = copy(b, panel, outer.getInductionVars(), block);
  auto walk = scf::ForOp::create(b, loc, first, last, one);
  for (auto [i, id] : llvm::enumerate(grid.getInductionVars()))
    id.replaceAllUsesWith(i == dim ? walk.getInductionVar()
                                   : outer.getInductionVars()[i]);
  walk.getBody()->getOperations().splice(
      Block::iterator(walk.getBody()->getTerminator()),
      grid.getBody()->getOperations(), grid.getBody()->begin(),
      std::prev(grid.getBody()->end()));
  grid.erase();
  for (auto [i, read] : llvm::enumerate(panel.reads))
    redirect(read, panel.conversions.empty() ? nullptr : panel.conversions[i],
             memory, walk, block);
  if (block)
    doInBlocks(*panel.blocked, walk, *block, tiles);
}

namespace {
struct PackPanels final : distaff::impl::PackPanelsBase<PackPanels> {
  using PackPanelsBase::PackPanelsBase;

  void runOnOperation() override {
    const Target *host = requireTarget(getOperation()->getLoc(), target);
    if (!host)
      return signalPassFailure();
    for (FunctionOpInterface kernel : findKernels(getOperation())) {
      scf::ForallOp grid = findWorkgroupLoop(kernel);
      if (!grid || !grid.isNormalized() || !findGridFunction(kernel) ||
          grid.getNumResults() != 0)
        continue;
      if (std::optional<Panel> panel = planPanel(grid, *host))
        PanelPacking(grid, *host).emit(std::move(*panel));
    }
  }
};
} // namespace
