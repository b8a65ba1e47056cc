//===- PackPanels.cpp - Packing of shared panels --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a product the tiles of one column read the same panel of the right side, a
// row of 64 bytes out of each page. A workgroup then takes several tiles, one
// after the other, and before them packs the panel into its own memory, in the
// order in which it is read; elements out of bounds are replaced by the padding
// of the read:
//
//   forall (i, j) { for k { read A[i, k]; read B[k, j]; ... } }
//   =>  forall (I, j) { for k { panel[k] = read B[k, j] }
//                       for i of I { for k { read A[i, k]; read panel[k]; ... }
//                       } }
//
// Elements that are converted after each read are converted before they are
// copied. Where the left side can be copied too, a workgroup takes the tiles of
// several columns, and copies all their panels and the rows of its tiles:
//
//   forall (I, J) { for k { for j of J { panel[j, k] = read B[k, j] } }
//                   for i of I { for k by 8 { rows[i, k] = read A[i, k] } }
//                   for j of J { for i of I { for k { read rows[i, k];
//                                                     read panel[j, k]; ... }
//                   } } }
//
// For instructions that multiply several steps, or matrices of them, at once,
// the copies have the layout that the instruction requires
// (PackedDotOperands.h, MatrixProducts.h).
//
// Long panels are copied in blocks, and all tiles read one block before the
// next is copied (CacheBlocking.h).
//
// Where no tile reads data of another, but each step reads a row and each tile
// a part of it, as in sums of columns, workgroups take several tiles as well
// and run their steps in blocks, so that the pages of a block are accessed
// together.
//
// Planning precedes emission: a panel is the data of a read inside of loops
// that does not depend on some dim of the loop over workgroups (PanelPlan.cpp);
// the caches determine how many tiles a workgroup takes (GroupPlan.cpp).
//
//===----------------------------------------------------------------------===//
#include "MatrixProducts.h"
#include "PanelCopy.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/Cpu/Passes.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace distaff {
#define GEN_PASS_DEF_PACKPANELS
#include "distaff/Cpu/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
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

/// Divides the grid function's count along a dim of the loop.
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

/// Builds the loop over workgroups, enters it, and returns the first tile of
/// each walk in it, and the end of the walk.
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

/// Moves the grid's body for one tile into loops over tiles.
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
  bool hasExcess = group.words && group.words->left.isBiased;
  if (hasExcess)
    copies.front().sumUpExcess(b, tiles);
  SmallVector<TileWalk> walks = walkOver(b, group, tiles);
  grid.erase();
  for (PanelCopy &copy : copies)
    copy.redirect(walks);
  SmallVector<LoopOfBlock, 2> loops;
  if (block)
    loops = doInBlocks(*group.blocked, walks, *block);
  if (hasExcess)
    for (vector::ContractionOp product : group.words->products) {
      auto loop = product->getParentOfType<scf::ForOp>();
      OpBuilder before(loop);
      group.words->takeOff(loop, product,
                           copies.front().excessOf(before, walks));
    }
  for (PanelCopy &copy : copies)
    copy.eraseReads();
  if (group.takesMatrices())
    formMatrixProducts(*group.words, loops);
  else if (group.words)
    group.words->formDots(group.blocked->loops);
}

/// Records the tiles of a workgroup and the way it multiplies.
static void record(const TileGroup &group, scf::ForallOp grid,
                   DecisionLog &log) {
  std::string tiles, steps;
  for (const TileGroup::Walk &walk : group.walks)
    tiles += (tiles.empty() ? "" : " x ") + std::to_string(walk.tiles);
  if (group.blocked)
    steps = ", " + std::to_string(group.stepsPerBlock) + " steps at a time";
  const char *reasons[] = {"they lie side by side in rows that are far apart",
                           "one side is copied for all of them",
                           "both sides are copied for all of them"};
  ChoiceDecision decision;
  decision.line = lineOf(grid.getLoc());
  decision.function = grid->getParentOfType<func::FuncOp>().getName().str();
  decision.subject = "workgroup";
  decision.chosen = {tiles + " tiles" + steps, 0, reasons[group.panels.size()]};
  log.choices.push_back(decision);
  if (!group.words)
    return;
  decision.line = lineOf(group.words->products.front()->getLoc());
  decision.subject = "products";
  decision.chosen = {group.words->dot->name.str(), 0,
                     std::to_string(group.words->steps()) +
                         " steps are in one word"};
  log.choices.push_back(decision);
}

namespace {
struct PackPanels final : distaff::impl::PackPanelsBase<PackPanels> {
  using PackPanelsBase::PackPanelsBase;
  PackPanels(PackPanelsOptions options, DecisionLog *log)
      : PackPanelsBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    const Target *host = requireTarget(getOperation()->getLoc(), target);
    if (!host)
      return signalPassFailure();
    for (FunctionOpInterface kernel : findKernels(getOperation())) {
      scf::ForallOp grid = findWorkgroupLoop(kernel);
      if (!grid || !grid.isNormalized() || !findGridFunction(kernel) ||
          grid.getNumResults() != 0)
        continue;
      std::optional<TileGroup> group = planGroup(grid, *host, strictFp);
      if (!group)
        continue;
      if (log)
        record(*group, grid, *log);
      PanelPacking(grid).emit(*group);
    }
  }

  DecisionLog *log = nullptr;
};
} // namespace

std::unique_ptr<Pass> distaff::createPackPanels(PackPanelsOptions options,
                                                DecisionLog *log) {
  return std::make_unique<PackPanels>(std::move(options), log);
}
