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
// copied. Where the left side too can be copied, a workgroup takes the tiles of
// several columns, and copies all their panels and the rows of its tiles:
//
//   forall (I, J) { for k { for j of J { panel[j, k] = read B[k, j] } }
//                   for i of I { for k by 8 { rows[i, k] = read A[i, k] } }
//                   for j of J { for i of I { for k { read rows[i, k];
//                                                     read panel[j, k]; ... }
//                   } } }
//
// Long panels are copied in blocks, and all tiles read one block before the
// next is copied (BlockedLoops.h).
//
// Where nothing is read twice, but each step reads a row and each tile a part
// of it, as when columns are summed up, workgroups take several tiles as well
// and do their steps in blocks, so that the pages of a block are gone through
// together.
//
// Plan, then emit: a panel is what a read inside of loops depends on, if that
// leaves out a dim of the loop over workgroups (PanelPlan.cpp); how many tiles
// a workgroup takes goes by the caches (GroupPlan.cpp).
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
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace distaff {
#define GEN_PASS_DEF_PACKPANELS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
/// Copies one panel, or a block of it, and has its reads take the copy.
class PanelCopy {
public:
  PanelCopy(scf::ForallOp grid, const Panel &panel, const TileGroup &group,
            const std::optional<StepBlock> &block);

  /// Copies what the tiles of the workgroup with these ids read.
  void copy(OpBuilder &b, ValueRange ids,
            ArrayRef<std::pair<Value, Value>> tiles);
  void redirect(ArrayRef<TileWalk> walks);

private:
  void allocate(OpBuilder &b);
  SmallVector<std::pair<Value, Value>> stepBounds(OpBuilder &b);
  void copyTiles(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles,
                 function_ref<void(OpBuilder &, ValueRange)> body);
  SmallVector<Value> placeOf(OpBuilder &b, ValueRange tiles,
                             ValueRange counters);
  void copyPart(OpBuilder &b, ValueRange counters, ValueRange tiles);
  void copySteps(OpBuilder &b, Value at, int64_t steps, ValueRange tiles);
  Value convert(OpBuilder &b, Value part);

  scf::ForallOp grid; // until it is replaced
  const Panel &panel;
  const TileGroup &group;
  const std::optional<StepBlock> &block;
  bool staysInRows;
  SmallVector<unsigned> walked; // the group's walks that it depends on
  VectorType type;
  Location loc;
  IRMapping map; // of the grid's ids
  Value memory;
};

class PanelPacking {
public:
  explicit PanelPacking(scf::ForallOp grid) : grid(grid) {}

  void emit(const TileGroup &group);

private:
  void divideGrid(unsigned dim, int64_t by);
  SmallVector<std::pair<Value, Value>> buildOuter(OpBuilder &b,
                                                  const TileGroup &group);
  SmallVector<TileWalk> walkOver(OpBuilder &b, const TileGroup &group,
                                 ArrayRef<std::pair<Value, Value>> tiles);

  scf::ForallOp grid;
  scf::ForallOp outer;
};
} // namespace

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

PanelCopy::PanelCopy(scf::ForallOp grid, const Panel &panel,
                     const TileGroup &group,
                     const std::optional<StepBlock> &block)
    : grid(grid), panel(panel), group(group), block(block),
      staysInRows(panel.row && &panel != &group.panels.front()),
      type(panel.partType()),
      loc(vector::TransferReadOp(panel.reads.front()).getLoc()) {
  for (auto [i, walk] : llvm::enumerate(group.walks))
    if (panel.ids.test(walk.dim))
      walked.push_back(i);
}

void PanelCopy::allocate(OpBuilder &b) {
  SmallVector<int64_t> shape;
  for (unsigned walk : walked)
    shape.push_back(group.walks[walk].tiles);
  SmallVector<int64_t> steps = panel.trips;
  if (block)
    steps = {block->stepsPerBlock};
  if (staysInRows) {
    llvm::append_range(shape, panel.row->shapeOf(steps.front()));
  } else {
    llvm::append_range(shape, steps);
    llvm::append_range(shape, type.getShape());
  }
  OpBuilder outside = block ? block->outside() : b;
  memory = memref::AllocaOp::create(
      outside, loc, MemRefType::get(shape, type.getElementType()), ValueRange(),
      outside.getI64IntegerAttr(64));
}

/// Where the panel has what a tile reads in the step of its loops that
/// `counters` are.
SmallVector<Value> PanelCopy::placeOf(OpBuilder &b, ValueRange tiles,
                                      ValueRange counters) {
  SmallVector<Value> steps;
  for (auto [loop, counter] : llvm::zip_equal(panel.loops, counters))
    steps.push_back(stepOf(b, loop, counter));
  if (block)
    steps.front() = affine::makeComposedAffineApply(
        b, loc,
        AffineMap::get(2, 0,
                       b.getAffineDimExpr(0) -
                           b.getAffineDimExpr(1) * block->stepsPerBlock),
        {steps.front(), block->number});
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> place(tiles);
  if (!staysInRows)
    llvm::append_range(place, steps);
  place.append(type.getRank(), zero);
  if (staysInRows)
    place[tiles.size() + panel.row->vectorDim] = steps.front();
  return place;
}

/// A constant that may be defined where `b` does not see it.
static Value constantOf(OpBuilder &b, Value bound) {
  return getValueOrCreateConstantIndexOp(b, bound.getLoc(),
                                         getAsOpFoldResult(bound));
}

/// The bounds of what is copied.
SmallVector<std::pair<Value, Value>> PanelCopy::stepBounds(OpBuilder &b) {
  if (block)
    return {boundsOfBlock(b, panel.loops.front(), *block)};
  SmallVector<std::pair<Value, Value>> bounds;
  for (scf::ForOp loop : panel.loops)
    bounds.emplace_back(constantOf(b, loop.getLowerBound()),
                        constantOf(b, loop.getUpperBound()));
  return bounds;
}

/// Builds loops over the tiles that the panel is of, and gives `body` their
/// numbers from 0.
void PanelCopy::copyTiles(OpBuilder &b, ArrayRef<std::pair<Value, Value>> tiles,
                          function_ref<void(OpBuilder &, ValueRange)> body) {
  SmallVector<Value> lower, upper;
  for (unsigned walk : walked) {
    lower.push_back(tiles[walk].first);
    upper.push_back(tiles[walk].second);
  }
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> steps(lower.size(), one);
  scf::buildLoopNest(
      b, loc, lower, upper, steps,
      [&](OpBuilder &in, Location, ValueRange ids) {
        SmallVector<Value> numbers;
        for (auto [i, id] : llvm::enumerate(ids)) {
          map.map(grid.getInductionVars()[group.walks[walked[i]].dim], id);
          numbers.push_back(arith::SubIOp::create(in, loc, id, lower[i]));
        }
        body(in, numbers);
      });
}

Value PanelCopy::convert(OpBuilder &b, Value part) {
  if (panel.conversions.empty())
    return part;
  Type many = cast<VectorType>(part.getType()).clone(type.getElementType());
  return clone(b, panel.conversions.front(), many, part)->getResult(0);
}

/// Copies what one tile reads in one step.
void PanelCopy::copyPart(OpBuilder &b, ValueRange counters, ValueRange tiles) {
  for (auto [each, counter] : llvm::zip_equal(panel.loops, counters)) {
    scf::ForOp loop = each;
    map.map(loop.getInductionVar(), counter);
  }
  for (Operation *op : panel.slice)
    b.clone(*op, map);
  Value part = b.clone(*panel.reads.front(), map)->getResult(0);
  vector::TransferWriteOp::create(b, loc, convert(b, part), memory,
                                  placeOf(b, tiles, counters),
                                  SmallVector<bool>(type.getRank(), true));
}

/// Copies what one tile reads in several steps along a row.
void PanelCopy::copySteps(OpBuilder &b, Value at, int64_t steps,
                          ValueRange tiles) {
  scf::ForOp loop = panel.loops.front();
  map.map(loop.getInductionVar(), at);
  for (Operation *op : panel.slice)
    if (op != panel.row->view)
      b.clone(*op, map);
  Value part = convert(b, panel.row->readSteps(b, at, steps, map));
  auto partType = cast<VectorType>(part.getType());
  SmallVector<Value> place = placeOf(b, tiles, at);
  // In rows a part's dims are the last ones; else the steps have their own.
  unsigned rank = place.size(), first = rank - type.getRank();
  SmallVector<AffineExpr> dims;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool isStep = i == panel.row->vectorDim && !staysInRows;
    dims.push_back(b.getAffineDimExpr(isStep ? first - 1 : first + i));
  }
  vector::TransferWriteOp::create(
      b, loc, part, memory, place,
      AffineMap::get(rank, 0, dims, b.getContext()),
      ArrayRef<bool>(SmallVector<bool>(partType.getRank(), true)));
}

void PanelCopy::copy(OpBuilder &b, ValueRange ids,
                     ArrayRef<std::pair<Value, Value>> tiles) {
  const int64_t stepsAtOnce = staysInRows ? 16 : 8;
  allocate(b);
  map.map(grid.getInductionVars(), ids);
  SmallVector<std::pair<Value, Value>> bounds = stepBounds(b);
  if (panel.row) {
    auto [from, to] = bounds.front();
    copyTiles(b, tiles, [&](OpBuilder &in, ValueRange numbers) {
      forSeveralSteps(in, loc, from, to, stepsAtOnce,
                      [&](OpBuilder &inmost, Value at, int64_t steps) {
                        copySteps(inmost, at, steps, numbers);
                      });
    });
    return;
  }
  // Rows of memory, from their fronts on.
  SmallVector<Value> lower, upper, steps;
  for (auto [loop, each] : llvm::zip_equal(panel.loops, bounds)) {
    lower.push_back(each.first);
    upper.push_back(each.second);
    steps.push_back(constantOf(b, scf::ForOp(loop).getStep()));
  }
  scf::buildLoopNest(b, loc, lower, upper, steps,
                     [&](OpBuilder &in, Location, ValueRange counters) {
                       copyTiles(in, tiles,
                                 [&](OpBuilder &inmost, ValueRange numbers) {
                                   copyPart(inmost, counters, numbers);
                                 });
                     });
}

/// Has the panel's reads, or what converts them, take their parts of it.
void PanelCopy::redirect(ArrayRef<TileWalk> walks) {
  for (auto [i, each] : llvm::enumerate(panel.reads)) {
    vector::TransferReadOp read = each;
    SmallVector<Value> counters;
    for (Operation *parent = read->getParentOp(); parent != walks.back().loop;
         parent = parent->getParentOp())
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        counters.insert(counters.begin(), loop.getInductionVar());
    Operation *conversion =
        panel.conversions.empty() ? nullptr : panel.conversions[i];
    Value whole =
        conversion ? Value(conversion->getResult(0)) : read.getResult();
    OpBuilder b(read);
    SmallVector<Value> tiles;
    for (unsigned walk : walked)
      tiles.push_back(walks[walk].number(b));
    Value padding =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
    Value packed = vector::TransferReadOp::create(
        b, loc, type, memory, placeOf(b, tiles, counters), padding,
        SmallVector<bool>(type.getRank(), true));
    whole.replaceAllUsesWith(packed);
    if (conversion)
      conversion->erase();
    read.erase();
  }
}

/// Builds the loop over workgroups, enters it, and returns the first tile of
/// each walk in it, and the one behind its last.
SmallVector<std::pair<Value, Value>>
PanelPacking::buildOuter(OpBuilder &b, const TileGroup &group) {
  Location loc = grid.getLoc();
  AffineExpr d = b.getAffineDimExpr(0), s = b.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> upper = grid.getMixedUpperBound();
  SmallVector<OpFoldResult> all = upper;
  for (auto [dim, tiles] : group.walks) {
    upper[dim] = affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, 1, s.ceilDiv(tiles)), {all[dim]});
    divideGrid(dim, tiles);
  }
  outer =
      scf::ForallOp::create(b, loc, upper, ValueRange(), grid.getMappingAttr());
  b.setInsertionPoint(outer.getTerminator());
  SmallVector<std::pair<Value, Value>> bounds;
  for (auto [dim, tiles] : group.walks) {
    Value number = outer.getInductionVars()[dim];
    Value first = affine::makeComposedAffineApply(
        b, loc, AffineMap::get(1, 0, d * tiles), {number});
    Value end = affine::AffineMinOp::create(
        b, loc, AffineMap::get(1, 1, {d * tiles + tiles, s}, b.getContext()),
        ValueRange{number, getValueOrCreateConstantIndexOp(b, loc, all[dim])});
    bounds.emplace_back(first, end);
  }
  return bounds;
}

/// Moves what the grid did for one tile into loops over tiles.
SmallVector<TileWalk>
PanelPacking::walkOver(OpBuilder &b, const TileGroup &group,
                       ArrayRef<std::pair<Value, Value>> tiles) {
  Location loc = grid.getLoc();
  SmallVector<Value> ids(outer.getInductionVars());
  SmallVector<TileWalk> walks;
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  for (auto [walk, bounds] : llvm::zip_equal(group.walks, tiles)) {
    auto loop = scf::ForOp::create(b, loc, bounds.first, bounds.second, one);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    walks.push_back({loop, walk.tiles});
    ids[walk.dim] = loop.getInductionVar();
  }
  for (auto [id, mine] : llvm::zip_equal(grid.getInductionVars(), ids))
    id.replaceAllUsesWith(mine);
  Block *inmost = walks.back().loop.getBody();
  inmost->getOperations().splice(
      Block::iterator(inmost->getTerminator()), grid.getBody()->getOperations(),
      grid.getBody()->begin(), std::prev(grid.getBody()->end()));
  return walks;
}

void PanelPacking::emit(const TileGroup &group) {
  OpBuilder b(grid);
  SmallVector<std::pair<Value, Value>> tiles = buildOuter(b, group);
  std::optional<StepBlock> block;
  if (group.blocked)
    block = buildBlocks(b, group.blocked->loops.front(), group.stepsPerBlock);
  SmallVector<PanelCopy, 2> copies;
  for (const Panel &panel : group.panels) {
    copies.emplace_back(grid, panel, group, block);
    copies.back().copy(b, outer.getInductionVars(), tiles);
  }
  SmallVector<TileWalk> walks = walkOver(b, group, tiles);
  grid.erase();
  for (PanelCopy &copy : copies)
    copy.redirect(walks);
  if (block)
    doInBlocks(*group.blocked, walks, *block);
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
      if (std::optional<TileGroup> group = planGroup(grid, *host))
        PanelPacking(grid).emit(*group);
    }
  }
};
} // namespace
