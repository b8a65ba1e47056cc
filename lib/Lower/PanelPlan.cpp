//===- PanelPlan.cpp - What workgroups of a CPU share ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PanelPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;

namespace {
class PanelPlanning {
public:
  PanelPlanning(scf::ForallOp grid, const Target &target)
      : grid(grid), target(target) {}

  std::optional<Panel> planCopy();
  std::optional<Panel> planWalk();

private:
  std::optional<Panel> panelOf(vector::TransferReadOp read);
  bool collect(Value value, Panel &panel);
  bool isOnlyRead(Value memref);
  SmallVector<scf::ForOp> outerLoops();
  std::optional<unsigned> dimOfRows(vector::TransferReadOp read,
                                    scf::ForOp loop);
  void chooseBlocks(Panel &panel);
  bool isSmall(const Panel &panel) const;

  scf::ForallOp grid;
  const Target &target;
};
} // namespace

static Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Enters what computes a value inside of the loop; false where that is not
/// free of effects, or changes from one step of another loop to the next.
bool PanelPlanning::collect(Value value, Panel &panel) {
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
bool PanelPlanning::isOnlyRead(Value memref) {
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

std::optional<Panel> PanelPlanning::panelOf(vector::TransferReadOp read) {
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
    std::optional<int64_t> steps = constantSteps(loop);
    if (!steps || *steps < 1)
      return std::nullopt;
    panel.trips.push_back(*steps);
  }
  // Its own operands, in any order; the padding is a constant outside or in.
  for (Value operand : read->getOperands())
    if (!collect(operand, panel))
      return std::nullopt;
  if (panel.loops.empty() || panel.steps() < 8 || panel.ids.none() ||
      panel.ids.all())
    return std::nullopt;
  panel.dim = panel.ids.find_last_unset();
  return panel;
}

/// Whether there is room on the stack for what all tiles of a workgroup have
/// summed up.
static bool mayWait(const BlockedLoops &loops) {
  constexpr int64_t mostBytes = 32 << 10;
  return saturatingProduct(loops.bytesPerTile(), mostTilesPerWorkgroup) <=
         mostBytes;
}

/// Chooses blocks of an eighth of what the second cache holds, where there are
/// several. Shorter ones would stay in the first cache, but what the tiles read
/// beside them is then in pieces too short to be read ahead (measured). Where
/// they read parts of rows, there is no reading ahead, and the rows of a block
/// are to stay near from tile to tile.
void PanelPlanning::chooseBlocks(Panel &panel) {
  constexpr int64_t granule = 8;
  auto loop = panel.reads.front()->getParentOfType<scf::ForOp>();
  bool sharesRows =
      llvm::any_of(loop.getBody()->getOps<vector::TransferReadOp>(),
                   [&](vector::TransferReadOp read) {
                     return read != panel.reads.front() &&
                            dimOfRows(read, loop) == panel.dim;
                   });
  int64_t bytes =
      sharesRows ? target.simd.level1Bytes / 2 : target.simd.level2Bytes / 8;
  int64_t most = bytes / panel.bytesOfStep();
  int64_t steps = panel.steps();
  if (panel.loops.size() != 1 || most < granule || steps < most + most / 2)
    return;
  SmallVector<scf::ForOp> loops;
  for (vector::TransferReadOp read : panel.reads)
    loops.push_back(read->getParentOfType<scf::ForOp>());
  panel.blocked = findBlockedLoops(*grid.getBody(), loops);
  if (!panel.blocked || !mayWait(*panel.blocked)) {
    panel.blocked.reset();
    return;
  }
  int64_t count = llvm::divideCeil(steps, most);
  panel.stepsPerBlock = llvm::alignTo(llvm::divideCeil(steps, count), granule);
}

/// Whether it is small enough for a stack and the cache behind the nearest.
bool PanelPlanning::isSmall(const Panel &panel) const {
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

/// The conversions that are all that is done with some reads; empty where they
/// differ, or there are others.
static SmallVector<Operation *, 2>
conversionsOf(ArrayRef<vector::TransferReadOp> reads) {
  SmallVector<Operation *, 2> conversions;
  for (vector::TransferReadOp read : reads) {
    Operation *user = read->hasOneUse() ? *read->getUsers().begin() : nullptr;
    if (!isa_and_nonnull<CastOpInterface>(user) ||
        !OpTrait::hasElementwiseMappableTraits(user) ||
        !fillsItsBytes(getElementTypeOrSelf(user->getResult(0))))
      return {};
    if (!conversions.empty() &&
        (user->getName() != conversions.front()->getName() ||
         user->getResultTypes() != conversions.front()->getResultTypes() ||
         user->getAttrDictionary() != conversions.front()->getAttrDictionary()))
      return {};
    conversions.push_back(user);
  }
  return conversions;
}

static bool isInside(vector::TransferReadOp read) {
  return llvm::all_of(read.getInBoundsValues(), [](bool in) { return in; });
}

std::optional<Panel> PanelPlanning::planCopy() {
  if (grid.getRank() < 2)
    return std::nullopt;
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
    candidate.conversions = conversionsOf(candidate.reads);
    chooseBlocks(candidate);
    if (isSmall(candidate))
      best = std::move(candidate);
  }
  return best;
}

/// The loops of a tile that no other loop is around.
SmallVector<scf::ForOp> PanelPlanning::outerLoops() {
  SmallVector<scf::ForOp> loops;
  for (Operation &op : *grid.getBody()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      loops.push_back(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region &side : branch->getRegions())
        llvm::append_range(loops, side.getOps<scf::ForOp>());
  }
  return loops;
}

/// Whether an index is computed from a value, by ops without effects.
static bool isComputedFrom(OpFoldResult index, Value from) {
  llvm::SetVector<Value> values;
  if (auto value = dyn_cast<Value>(index))
    values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == from)
      return true;
    Operation *op = values[i].getDefiningOp();
    if (op && isPure(op) && op->getNumRegions() == 0)
      values.insert_range(op->getOperands());
  }
  return false;
}

/// The dim of the grid along which tiles lie in a row of what is read, where a
/// step of the loop goes to a row that is far away.
std::optional<unsigned> PanelPlanning::dimOfRows(vector::TransferReadOp read,
                                                 scf::ForOp loop) {
  constexpr int64_t farApart = 2048; // bytes
  auto memref = dyn_cast<MemRefType>(read.getBase().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memref || failed(memref.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  SmallVector<OpFoldResult> begin = beginOf(read);
  if (begin.empty())
    begin = getAsOpFoldResult(SmallVector<Value>(read.getIndices()));
  bool goesFar = false;
  std::optional<unsigned> rowDim;
  for (auto [index, stride] : llvm::zip_equal(begin, strides)) {
    bool ofLoop = isComputedFrom(index, loop.getInductionVar());
    if (stride == 1) {
      if (ofLoop)
        return std::nullopt;
      for (auto [dim, id] : llvm::enumerate(grid.getInductionVars()))
        if (isComputedFrom(index, id))
          rowDim = dim;
    }
    goesFar |=
        ofLoop &&
        (ShapedType::isDynamic(stride) ||
         saturatingProduct(stride, bytesInMemory(memref.getElementType())) >=
             farApart);
  }
  return goesFar ? rowDim : std::nullopt;
}

std::optional<Panel> PanelPlanning::planWalk() {
  constexpr int64_t stepsPerBlock = 8; // rows that are read ahead (measured)
  SmallVector<scf::ForOp> loops = outerLoops();
  if (loops.empty())
    return std::nullopt;
  Panel panel;
  panel.isCopied = false;
  panel.blocked = findBlockedLoops(*grid.getBody(), loops);
  panel.stepsPerBlock = stepsPerBlock;
  if (!panel.blocked || !mayWait(*panel.blocked) ||
      panel.blocked->steps < 2 * stepsPerBlock)
    return std::nullopt;
  panel.loops = {loops.front()};
  panel.trips = {panel.blocked->steps};
  for (vector::TransferReadOp read :
       loops.front().getBody()->getOps<vector::TransferReadOp>()) {
    if (std::optional<unsigned> dim = dimOfRows(read, loops.front())) {
      panel.dim = *dim;
      return panel;
    }
  }
  return std::nullopt;
}

std::optional<Panel> distaff::planPanel(scf::ForallOp grid,
                                        const Target &target) {
  PanelPlanning planning(grid, target);
  std::optional<Panel> panel = planning.planCopy();
  return panel ? panel : planning.planWalk();
}
