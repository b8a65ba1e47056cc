//===- PanelPlan.cpp - Planning of shared panels of a workgroup -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PanelPlan.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;

namespace {
class PanelSearch {
public:
  explicit PanelSearch(scf::ForallOp grid) : grid(grid) {}

  std::optional<Panel> panelOf(vector::TransferReadOp read);

private:
  bool collect(Value value, Panel &panel);
  bool isOnlyRead(Value memref);
  bool collectLoops(vector::TransferReadOp read, Panel &panel);
  std::optional<RowRead> rowOf(const Panel &panel);

  scf::ForallOp grid;
};
} // namespace

bool distaff::isComputedFrom(Value value, Value from) {
  llvm::SetVector<Value> values;
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

static Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Adds the ops that compute a value inside of the loop; returns false if they
/// have effects, or change between the steps of another loop.
bool PanelSearch::collect(Value value, Panel &panel) {
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

/// Returns whether a memref is known to alias no other memory.
static bool isOwn(Value root) {
  return root.getDefiningOp<memref::AllocaOp>() ||
         root.getDefiningOp<memref::AllocOp>();
}

/// Returns whether no op in the loop writes the array under a view: memory that
/// is neither an argument nor a local allocation may be any array.
bool PanelSearch::isOnlyRead(Value memref) {
  Value root = rootOf(memref);
  if (isConstantMemory(root))
    return true;
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
    if (!effects && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !isMemoryEffectFree(op))
      return WalkResult::interrupt(); // a call of an unknown function
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

/// Adds the loops around a read; one loop may have a trip count that is known
/// only at launch.
bool PanelSearch::collectLoops(vector::TransferReadOp read, Panel &panel) {
  for (Operation *parent = read->getParentOp(); parent != grid;
       parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      panel.loops.insert(panel.loops.begin(), loop);
    else if (!isa<scf::IfOp>(parent))
      return false;
  }
  for (scf::ForOp loop : panel.loops) {
    std::optional<int64_t> steps = constantSteps(loop);
    bool mayBeDynamic = panel.loops.size() == 1 &&
                        getConstantIntValue(loop.getLowerBound()) &&
                        getConstantIntValue(loop.getStep());
    if (steps ? *steps < 1 : !mayBeDynamic)
      return false;
    panel.trips.push_back(steps.value_or(ShapedType::kDynamic));
  }
  return !panel.loops.empty();
}

/// Returns how a panel's first read goes along a row, if it is in one loop.
std::optional<RowRead> PanelSearch::rowOf(const Panel &panel) {
  if (panel.loops.size() != 1)
    return std::nullopt;
  scf::ForOp loop = panel.loops.front();
  return matchRowRead(panel.reads.front(), loop, [&](Value value) {
    return !isComputedFrom(value, loop.getInductionVar());
  });
}

std::optional<Panel> PanelSearch::panelOf(vector::TransferReadOp read) {
  constexpr int64_t fewestSteps = 8;
  Panel panel;
  panel.reads = {read};
  panel.ids.resize(grid.getRank());
  auto memref = dyn_cast<MemRefType>(read.getBase().getType());
  if (!memref || read.getMask() || !isOnlyRead(read.getBase()) ||
      !fillsItsBytes(memref.getElementType()) || !collectLoops(read, panel))
    return std::nullopt;
  // The read's operands, in any order; the padding is a constant inside or
  // outside.
  for (Value operand : read->getOperands())
    if (!collect(operand, panel))
      return std::nullopt;
  if (panel.steps().value_or(fewestSteps) < fewestSteps || panel.ids.none() ||
      panel.ids.all())
    return std::nullopt;
  panel.row = rowOf(panel);
  return panel;
}

SmallVector<OpFoldResult> distaff::beginOf(vector::TransferReadOp read) {
  SmallVector<OpFoldResult> indices;
  for (Value index : read.getIndices())
    indices.push_back(getAsOpFoldResult(index));
  Operation *view = read.getBase().getDefiningOp();
  if (!view || isa<memref::GetGlobalOp>(view))
    return indices;
  auto part = dyn_cast<memref::SubViewOp>(view);
  Operation *source = part ? part.getSource().getDefiningOp() : nullptr;
  if (!part || (source && !isa<memref::GetGlobalOp>(source)) ||
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

/// Returns whether two memrefs are known to view one array.
static bool haveOneRoot(Value memref, Value other) {
  Value root = rootOf(memref), its = rootOf(other);
  auto table = root.getDefiningOp<memref::GetGlobalOp>(),
       same = its.getDefiningOp<memref::GetGlobalOp>();
  return root == its || (table && same && table.getName() == same.getName());
}

/// Returns whether two panels are versions of one read: of a tile that is whole
/// on one side of a branch, and of a partial one on the other. Both begin at
/// the same place.
static bool areTwins(const Panel &panel, const Panel &other) {
  vector::TransferReadOp read = panel.reads.front(), twin = other.reads.front();
  auto branch = read->getParentOfType<scf::IfOp>();
  if (!branch || branch != twin->getParentOfType<scf::IfOp>() ||
      branch.getThenRegion().isAncestor(read->getParentRegion()) ==
          branch.getThenRegion().isAncestor(twin->getParentRegion()) ||
      !haveOneRoot(read.getBase(), twin.getBase()) ||
      read.getVectorType() != twin.getVectorType() ||
      read.getPermutationMap() != twin.getPermutationMap() ||
      getAsOpFoldResult(read.getPadding()) !=
          getAsOpFoldResult(twin.getPadding()) ||
      panel.ids != other.ids)
    return false;
  SmallVector<OpFoldResult> begin = beginOf(read), theirs = beginOf(twin);
  if (begin.empty())
    return false;
  // Both begin at the same place in the same step of the same loops.
  auto isTheSame = [&](OpFoldResult mine, OpFoldResult its) {
    return isEqualConstantIntOrValue(mine, its) ||
           llvm::any_of(llvm::zip_equal(panel.loops, other.loops),
                        [&](auto pair) {
                          auto [loop, twin] = pair;
                          return dyn_cast<Value>(mine) ==
                                     scf::ForOp(loop).getInductionVar() &&
                                 dyn_cast<Value>(its) ==
                                     scf::ForOp(twin).getInductionVar();
                        });
  };
  return llvm::equal(panel.loops, other.loops, haveSameBounds) &&
         llvm::equal(begin, theirs, isTheSame);
}

/// Returns the number of ifs around a read inside of the loop over workgroups.
static int64_t branchesAround(Operation *op, Operation *grid) {
  int64_t count = 0;
  for (; op != grid; op = op->getParentOp())
    count += isa<scf::IfOp>(op);
  return count;
}

/// Returns the conversions that are the only uses of some reads; empty if they
/// differ, or there are other uses.
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

/// Returns whether a copy by this read is right for every tile: if it is in a
/// branch, the other side has the read too, and masks no additional dim.
static bool isForEveryTile(const Panel &panel, ArrayRef<Panel *> twins,
                           Operation *grid) {
  vector::TransferReadOp read = panel.reads.front();
  int64_t branches = branchesAround(read, grid);
  if (branches == 0)
    return twins.empty();
  if (branches != 1 || twins.size() != 1)
    return false;
  vector::TransferReadOp twin = twins.front()->reads.front();
  return llvm::all_of(
      llvm::zip_equal(read.getInBoundsValues(), twin.getInBoundsValues()),
      [](auto dim) { return !std::get<0>(dim) || std::get<1>(dim); });
}

SmallVector<Panel, 0> distaff::findPanels(scf::ForallOp grid) {
  PanelSearch search(grid);
  SmallVector<Panel, 0> panels, found;
  grid.walk([&](vector::TransferReadOp read) {
    if (std::optional<Panel> panel = search.panelOf(read))
      panels.push_back(std::move(*panel));
  });
  for (Panel &panel : panels) {
    SmallVector<Panel *> twins;
    for (Panel &other : panels)
      if (&other != &panel && areTwins(panel, other))
        twins.push_back(&other);
    if (!isForEveryTile(panel, twins, grid))
      continue;
    found.push_back(panel);
    for (Panel *twin : twins)
      found.back().reads.push_back(twin->reads.front());
    found.back().conversions = conversionsOf(found.back().reads);
  }
  return found;
}
