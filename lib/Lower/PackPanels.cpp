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
// A long panel is copied in blocks, and all tiles read one block before the
// next is copied (BlockedLoops.h).
//
// Plan, then emit: a panel is what a read inside of loops of constant bounds
// depends on, if that leaves out a dim of the loop over workgroups.
//
//===----------------------------------------------------------------------===//
#include "BlockedLoops.h"
#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/CheckedSize.h"
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
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {
#define GEN_PASS_DEF_PACKPANELS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Reads of one panel, the one that is right for every tile first.
struct Panel {
  SmallVector<vector::TransferReadOp, 2> reads;
  SmallVector<scf::ForOp> loops;      // around the first, outermost first
  llvm::SetVector<Operation *> slice; // what its address is computed by
  llvm::SmallBitVector ids;           // of the grid, that it depends on
  SmallVector<int64_t> trips;         // of the loops
  /// Those around its reads, where they can be done in blocks of so many steps.
  std::optional<BlockedLoops> blocked;
  int64_t stepsPerBlock = 0;

  int64_t steps() const { return saturatingProduct(trips); }
  int64_t bytesOfStep() {
    VectorType type = reads.front().getVectorType();
    return saturatingProduct(type.getNumElements(),
                             bytesInMemory(type.getElementType()));
  }
};

class PanelPacking {
public:
  PanelPacking(scf::ForallOp grid, const Target &target)
      : grid(grid), target(target) {}

  /// The panel worth packing, if any.
  std::optional<Panel> plan();
  void emit(Panel panel);

private:
  std::optional<Panel> panelOf(vector::TransferReadOp read);
  bool collect(Value value, Panel &panel);
  bool isOnlyRead(Value memref);
  unsigned sharedDim(const Panel &panel) const {
    return panel.ids.find_last_unset();
  }
  int64_t tilesPerWorkgroup(unsigned dim);
  void divideGrid(unsigned dim, int64_t by);
  void chooseBlocks(Panel &panel);
  bool isSmall(Panel &panel);
  Value copy(OpBuilder &b, const Panel &panel, ValueRange ids,
             const std::optional<StepBlock> &block);

  scf::ForallOp grid;
  const Target &target;
};

} // namespace

static Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Enters what computes a value inside of the loop; false where that is not
/// free of effects, or changes from one step of another loop to the next.
bool PanelPacking::collect(Value value, Panel &panel) {
  if (!grid.getRegion().isAncestor(value.getParentRegion()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == grid) {
      panel.ids.set(argument.getArgNumber());
      return argument.getArgNumber() < unsigned(grid.getRank());
    }
    return llvm::any_of(panel.loops, [&](scf::ForOp loop) {
      return value == loop.getInductionVar();
    });
  }
  Operation *op = value.getDefiningOp();
  if (panel.slice.contains(op))
    return true;
  if (op->getNumRegions() != 0 || !isPure(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, panel))
      return false;
  panel.slice.insert(op);
  return true;
}

/// Whether a memref is known to be no other's memory.
static bool isOwn(Value root) {
  return root.getDefiningOp<memref::AllocaOp>() ||
         root.getDefiningOp<memref::AllocOp>();
}

/// Whether nothing in the loop writes the array that a view is of: what is
/// neither an argument nor memory of its own may be any array.
bool PanelPacking::isOnlyRead(Value memref) {
  Value root = rootOf(memref);
  if (!isa<BlockArgument>(root) ||
      grid.getRegion().isAncestor(root.getParentRegion()))
    return false;
  auto mayBe = [&](Value written) {
    if (!written || rootOf(written) == root)
      return true;
    Value other = rootOf(written);
    return !isOwn(other) &&
           !(isa<BlockArgument>(other) &&
             !grid.getRegion().isAncestor(other.getParentRegion()));
  };
  WalkResult walk = grid.walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    SmallVector<MemoryEffects::EffectInstance> all;
    if (effects)
      effects.getEffects(all);
    for (const MemoryEffects::EffectInstance &effect : all)
      if (isa<MemoryEffects::Write>(effect.getEffect()) &&
          mayBe(effect.getValue()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

std::optional<Panel> PanelPacking::panelOf(vector::TransferReadOp read) {
  Panel panel;
  panel.reads = {read};
  panel.ids.resize(grid.getRank());
  auto memref = dyn_cast<MemRefType>(read.getBase().getType());
  if (!memref || read.getMask() || !isOnlyRead(read.getBase()) ||
      !fillsItsBytes(memref.getElementType()))
    return std::nullopt;
  for (Operation *parent = read->getParentOp(); parent != grid;
       parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      panel.loops.insert(panel.loops.begin(), loop);
    else if (!isa<scf::IfOp>(parent))
      return std::nullopt;
  }
  for (scf::ForOp loop : panel.loops) {
    auto trips = constantTripCount(loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), /*isSigned=*/true,
                                   scf::computeUbMinusLb);
    if (!trips || trips->getSExtValue() < 1 ||
        !getConstantIntValue(loop.getLowerBound()) ||
        !getConstantIntValue(loop.getStep()))
      return std::nullopt;
    panel.trips.push_back(trips->getSExtValue());
  }
  // Its own operands, in any order; the padding is a constant outside or in.
  for (Value operand : read->getOperands())
    if (!collect(operand, panel))
      return std::nullopt;
  if (panel.loops.empty() || panel.steps() < 8 || panel.ids.none() ||
      panel.ids.all())
    return std::nullopt;
  return panel;
}

/// Chooses blocks of an eighth of what the second cache holds, where there are
/// several. Shorter ones would stay in the first cache, but what the tiles read
/// beside them is then in pieces too short to be read ahead (measured).
void PanelPacking::chooseBlocks(Panel &panel) {
  constexpr int64_t granule = 8;
  int64_t most = target.simd.level2Bytes / 8 / panel.bytesOfStep();
  int64_t steps = panel.steps();
  if (panel.loops.size() != 1 || most < granule || steps < most + most / 2)
    return;
  SmallVector<scf::ForOp> loops;
  for (vector::TransferReadOp read : panel.reads)
    loops.push_back(read->getParentOfType<scf::ForOp>());
  panel.blocked = findBlockedLoops(*grid.getBody(), loops);
  if (!panel.blocked)
    return;
  int64_t count = llvm::divideCeil(steps, most);
  panel.stepsPerBlock = llvm::alignTo(llvm::divideCeil(steps, count), granule);
}

/// Whether it is small enough for a stack and the cache behind the nearest.
bool PanelPacking::isSmall(Panel &panel) {
  constexpr int64_t mostBytes = 256 << 10;
  int64_t steps = panel.blocked ? panel.stepsPerBlock : panel.steps();
  return saturatingProduct(steps, panel.bytesOfStep()) <=
         std::min<int64_t>(target.simd.level2Bytes / 2, mostBytes);
}

/// Where a read begins, by dims of the array behind a view of it that neither
/// strides nor drops dims; empty for another view.
static SmallVector<OpFoldResult> beginOf(vector::TransferReadOp read) {
  SmallVector<OpFoldResult> indices;
  for (Value index : read.getIndices())
    indices.push_back(getAsOpFoldResult(index));
  Operation *view = read.getBase().getDefiningOp();
  if (!view)
    return indices;
  auto part = dyn_cast<memref::SubViewOp>(view);
  if (!part || part.getSource().getDefiningOp() ||
      part.getDroppedDims().any() ||
      !llvm::all_of(part.getMixedStrides(),
                    [](OpFoldResult step) { return isOneInteger(step); }))
    return {};
  for (auto [index, offset] :
       llvm::zip_equal(indices, part.getMixedOffsets())) {
    if (!isZeroInteger(index))
      return {};
    index = offset;
  }
  return indices;
}

/// Whether two panels are of one read, of a tile that is whole on one side of a
/// branch, and of one that is not on the other: it begins at the same place,
/// whichever side is taken.
static bool areTwins(const Panel &panel, const Panel &other) {
  vector::TransferReadOp read = panel.reads.front(), twin = other.reads.front();
  auto branch = read->getParentOfType<scf::IfOp>();
  if (!branch || branch != twin->getParentOfType<scf::IfOp>() ||
      branch.getThenRegion().isAncestor(read->getParentRegion()) ==
          branch.getThenRegion().isAncestor(twin->getParentRegion()) ||
      rootOf(read.getBase()) != rootOf(twin.getBase()) ||
      read.getVectorType() != twin.getVectorType() ||
      read.getPermutationMap() != twin.getPermutationMap() ||
      getAsOpFoldResult(read.getPadding()) !=
          getAsOpFoldResult(twin.getPadding()) ||
      panel.trips != other.trips || panel.ids != other.ids)
    return false;
  SmallVector<OpFoldResult> begin = beginOf(read), theirs = beginOf(twin);
  if (begin.empty() || begin.size() != theirs.size())
    return false;
  auto numberOf = [](OpFoldResult index, ArrayRef<scf::ForOp> loops) {
    auto value = dyn_cast<Value>(index);
    return llvm::find_if(loops,
                         [&](scf::ForOp loop) {
                           return loop.getInductionVar() == value;
                         }) -
           loops.begin();
  };
  auto boundsOf = [](scf::ForOp loop) {
    return std::pair(getConstantIntValue(loop.getLowerBound()),
                     getConstantIntValue(loop.getStep()));
  };
  int64_t depth = panel.loops.size();
  return llvm::all_of(llvm::zip_equal(begin, theirs), [&](auto pair) {
    auto [mine, its] = pair;
    int64_t loop = numberOf(mine, panel.loops);
    return isEqualConstantIntOrValue(mine, its) ||
           (loop < depth && loop == numberOf(its, other.loops) &&
            boundsOf(panel.loops[loop]) == boundsOf(other.loops[loop]));
  });
}

/// Ifs around a read inside of the loop over workgroups.
static int64_t branchesAround(Operation *op, Operation *grid) {
  int64_t count = 0;
  for (; op != grid; op = op->getParentOp())
    count += isa<scf::IfOp>(op);
  return count;
}

static bool isInside(vector::TransferReadOp read) {
  return llvm::all_of(read.getInBoundsValues(), [](bool in) { return in; });
}

std::optional<Panel> PanelPacking::plan() {
  SmallVector<Panel, 0> panels;
  grid.walk([&](vector::TransferReadOp read) {
    if (std::optional<Panel> panel = panelOf(read))
      panels.push_back(std::move(*panel));
  });
  std::optional<Panel> best;
  for (Panel &panel : panels) {
    vector::TransferReadOp read = panel.reads.front();
    SmallVector<Panel *> twins;
    for (Panel &other : panels)
      if (&other != &panel && areTwins(panel, other))
        twins.push_back(&other);
    // In a branch the other side has it too, and what masks is right for both.
    int64_t branches = branchesAround(read, grid);
    bool isInBranch = branches == 1;
    if (branches > 1 || twins.size() != size_t(isInBranch) ||
        (isInBranch && isInside(read) &&
         !isInside(twins.front()->reads.front())))
      continue;
    int64_t size = read.getVectorType().getNumElements();
    if (best && best->reads.front().getVectorType().getNumElements() >= size)
      continue;
    Panel candidate = panel;
    for (Panel *twin : twins)
      candidate.reads.push_back(twin->reads.front());
    chooseBlocks(candidate);
    if (isSmall(candidate))
      best = std::move(candidate);
  }
  return best;
}

/// As many that copying is little beside computing, and that all cores have
/// something to do.
int64_t PanelPacking::tilesPerWorkgroup(unsigned dim) {
  constexpr int64_t most = 32;
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

//===----------------------------------------------------------------------===//
// Emitting
//===----------------------------------------------------------------------===//

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
  VectorType type = read.getVectorType();
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
  scf::buildLoopNest(b, loc, lower, upper, steps,
                     [&](OpBuilder &in, Location, ValueRange counters) {
                       for (auto [each, counter] :
                            llvm::zip_equal(panel.loops, counters)) {
                         scf::ForOp loop = each;
                         map.map(loop.getInductionVar(), counter);
                       }
                       for (Operation *op : panel.slice)
                         in.clone(*op, map);
                       Value part = in.clone(*read, map)->getResult(0);
                       vector::TransferWriteOp::create(
                           in, loc, part, memory,
                           placeOf(in, type, panel.loops, counters, block),
                           SmallVector<bool>(type.getRank(), true));
                     });
  return memory;
}

/// Has a read take its part of the panel.
static void redirect(vector::TransferReadOp read, Value memory, Operation *walk,
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
  VectorType type = read.getVectorType();
  Value packed = vector::TransferReadOp::create(
      b, read.getLoc(), type, memory, placeOf(b, type, loops, counters, block),
      read.getPadding(), SmallVector<bool>(type.getRank(), true));
  read.getResult().replaceAllUsesWith(packed);
  read.erase();
}

void PanelPacking::emit(Panel panel) {
  OpBuilder b(grid);
  Location loc = grid.getLoc();
  unsigned dim = sharedDim(panel);
  int64_t tiles = tilesPerWorkgroup(dim);
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
  Value memory = copy(b, panel, outer.getInductionVars(), block);
  auto walk = scf::ForOp::create(b, loc, first, last, one);
  for (auto [i, id] : llvm::enumerate(grid.getInductionVars()))
    id.replaceAllUsesWith(i == dim ? walk.getInductionVar()
                                   : outer.getInductionVars()[i]);
  walk.getBody()->getOperations().splice(
      Block::iterator(walk.getBody()->getTerminator()),
      grid.getBody()->getOperations(), grid.getBody()->begin(),
      std::prev(grid.getBody()->end()));
  grid.erase();
  for (vector::TransferReadOp read : panel.reads)
    redirect(read, memory, walk, block);
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
      if (!grid || grid.getRank() < 2 || !grid.isNormalized() ||
          !findGridFunction(kernel) || grid.getNumResults() != 0)
        continue;
      PanelPacking packing(grid, *host);
      if (std::optional<Panel> panel = packing.plan())
        packing.emit(std::move(*panel));
    }
  }
};
} // namespace
