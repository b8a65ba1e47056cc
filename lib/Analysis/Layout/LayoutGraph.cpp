//===- LayoutGraph.cpp - Ops and their candidate layouts ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutGraph.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vector_ext;

std::optional<NestedLayout> distaff::nestedOf(VectorLayoutInterface layout) {
  if (auto nested = dyn_cast<NestedLayoutAttr>(layout))
    return nested.getNested();
  return NestedLayout::fromLayout(layout.getLayout());
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void LayoutGraph::addNode(LayoutNode node) {
  unsigned index = nodes.size();
  for (auto [i, result] : llvm::enumerate(node.results))
    definitions[result] = {index, unsigned(i)};
  for (OpOperand *operand : node.operands)
    nodesOf[operand->getOwner()].push_back(index);
  nodes.push_back(std::move(node));
}

/// Adds one node per group of targets that share a source.
void LayoutGraph::addTiedNodes(Operation *op) {
  SmallVector<Tie> all = ties(op);
  SmallVector<bool> taken(all.size(), false);
  for (unsigned first = 0; first < all.size(); ++first) {
    if (taken[first])
      continue;
    LayoutNode node;
    node.op = op;
    node.tied = true;
    llvm::SmallPtrSet<OpOperand *, 4> sources = {all[first].source};
    llvm::SmallPtrSet<void *, 4> targets;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [i, tie] : llvm::enumerate(all)) {
        void *target = tie.target.getAsOpaquePointer();
        if (taken[i] ||
            (!sources.contains(tie.source) && !targets.contains(target)))
          continue;
        taken[i] = changed = true;
        if (sources.insert(tie.source).second || i == first)
          node.operands.push_back(tie.source);
        if (targets.insert(target).second)
          node.results.push_back(tie.target);
      }
    }
    addNode(std::move(node));
  }
}

/// Returns the op that the region of `op` masks; null if `op` is no vector.mask
/// or its region only yields.
static Operation *maskedBy(Operation *op) {
  auto mask = dyn_cast_or_null<vector::MaskOp>(op);
  return mask ? mask.getMaskableOp() : nullptr;
}

/// Adds a vector.mask to its op's node, since the region has no place for a
/// conversion: the results of the mask, and the passthru, have the layout of
/// the op's results.
static void addMaskTo(LayoutNode &node) {
  auto mask = dyn_cast_or_null<vector::MaskOp>(node.op->getParentOp());
  if (!mask || node.results.empty())
    return;
  node.results.push_back(mask.getResult(0));
  if (mask.getPassthru())
    node.operands.push_back(&mask->getOpOperand(1));
}

/// Verifies that the target implements the instruction that a user requires.
static LogicalResult verifyDemanded(const LayoutNode &node,
                                    const Target &target) {
  const TargetOp *row = node.demandedOp;
  if (!row || llvm::any_of(node.targetOps, [&](const auto &candidate) {
        return candidate.row->name == row->name;
      }))
    return success();
  InFlightDiagnostic diagnostic = node.op->emitOpError("is laid out for ")
                                  << row->name << ", ";
  if (!target.findOp(row->name))
    return diagnostic << "which " << target.name << " does not have";
  if (target.findOp(row->name)->issueCost == infiniteCost)
    return diagnostic << "which is not to be used on " << target.name;
  return diagnostic << "an instruction of subgroups of " << row->subgroupSize
                    << " lanes (DG6)";
}

LogicalResult LayoutGraph::addNodes(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments())
    if (hasLayout(argument.getType()))
      return function.emitOpError()
             << "argument #" << argument.getArgNumber() << ", "
             << argument.getType()
             << ", is a vector, whose layout nothing determines (DG5); take a "
                "memref, and read the vector from it";
  WalkResult result =
      function->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (op == function)
          return WalkResult::advance();
        if (!maskedBy(op))
          addTiedNodes(op);
        if (!hasTransferRule(op)) {
          reportNoTransferRule(op);
          return failure();
        }
        if (std::optional<std::string> scalable = findScalable(op))
          return op->emitOpError()
                 << *scalable
                 << ", is a scalable vector, which no layout covers (DG5); "
                    "give it a fixed size";
        OpLayouts slots = OpLayouts::get(op);
        bool tiedOnly =
            !ties(op).empty() || op->hasTrait<OpTrait::IsTerminator>();
        if (isLayoutFreeOp(op) || tiedOnly ||
            (slots.operands.empty() && slots.results.empty()))
          return WalkResult::advance();
        LayoutNode node;
        node.op = op;
        node.operands = slots.operands;
        node.results.assign(slots.results.begin(), slots.results.end());
        addMaskTo(node);
        // An instruction of a conversion is part of its plan.
        if (!isa<ToLayoutOp>(op)) {
          node.demandedOp = targetOpOf(op);
          node.targetOps = getTargetOps(op, target, hardware);
        }
        if (failed(verifyDemanded(node, target)))
          return failure();
        addNode(std::move(node));
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

bool LayoutGraph::fits(const LayoutCandidate &candidate) {
  auto fitsOne = [&](VectorLayoutInterface layout) {
    auto [it, inserted] = fitsCache.try_emplace(layout, false);
    if (inserted)
      it->second = !layout.isValidForTarget(hardware.subgroups * hardware.lanes,
                                            hardware.lanes);
    return it->second;
  };
  return llvm::all_of(candidate.operands, fitsOne) &&
         llvm::all_of(candidate.results, fitsOne);
}

bool LayoutGraph::addCandidate(unsigned index, LayoutCandidate candidate) {
  LayoutNode &node = nodes[index];
  assert(candidate.operands.size() == node.operands.size() &&
         candidate.results.size() == node.results.size() &&
         "a candidate lays out every operand and result");
  if (llvm::any_of(node.candidates, [&](const LayoutCandidate &other) {
        return other.isLike(candidate);
      }))
    return false;
  size_t most = maxCandidates;
  if (movesByTargetOps) // as many again, from each side of an instruction
    most *= 2 + node.targetOps.size();
  if (node.candidates.size() >= most)
    return false;
  fresh.push_back({index, unsigned(node.candidates.size())});
  node.candidates.push_back(std::move(candidate));
  return true;
}

namespace {
/// A contraction with any product.
struct ContractionSlots {
  SmallVector<AffineMap> maps; // of lhs, rhs and the result
  SmallVector<int64_t> extents;
  SmallVector<VectorLayoutInterface *> slots; // null: a scalar
};
} // namespace

/// Keeps dims that no known slot has in registers.
static void completeSlots(MLIRContext *context,
                          const ContractionSlots &contraction) {
  SmallVector<VectorLayoutInterface> known;
  SmallVector<AffineMap> knownMaps;
  llvm::SmallBitVector uncovered(contraction.extents.size(), true);
  for (auto [slot, map] : llvm::zip_equal(contraction.slots, contraction.maps))
    if (slot && *slot) {
      known.push_back(*slot);
      knownMaps.push_back(map);
      for (AffineExpr expr : map.getResults())
        uncovered.reset(cast<AffineDimExpr>(expr).getPosition());
    }
  if (known.empty())
    return;
  SmallVector<AffineExpr> uncoveredDims;
  NestedLayout registers = NestedLayout::units(uncovered.count());
  for (unsigned dim : uncovered.set_bits()) {
    registers[uncoveredDims.size()].elementTile = contraction.extents[dim];
    uncoveredDims.push_back(getAffineDimExpr(dim, context));
  }
  known.push_back(NestedLayoutAttr::get(context, registers));
  knownMaps.push_back(
      AffineMap::get(uncovered.size(), 0, uncoveredDims, context));
  for (auto [slot, map] : llvm::zip_equal(contraction.slots, contraction.maps))
    if (slot && !*slot)
      *slot = VectorLayoutInterface::getRecombinedLayout(known, knownMaps, map);
}

/// Completes a contraction over another semiring, or one with digit layouts.
static void completeContraction(core::ContractOp op, OpLayouts &slots) {
  completeSlots(op.getContext(),
                {op.getMaps(),
                 op.getBounds(),
                 {slots.find(op.getLhsMutable()),
                  slots.find(op.getRhsMutable()), slots.find(op.getResult())}});
}

/// Keeps dims of a contraction that no known slot has in registers; leaves
/// slots open if the known ones overlap.
static void completeContraction(vector::ContractionOp op, OpLayouts &slots) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ContractionProblem problem = ContractionProblem::get(op);
  unsigned rank = maps[0].getNumDims();
  NestedLayout space = NestedLayout::units(rank);
  for (auto [dim, extent] : llvm::zip_equal(space.dims, problem.extents))
    dim.elementTile = extent;
  bool nested = true;
  auto take = [&](VectorLayoutInterface layout, AffineMap map) {
    if (!layout)
      return;
    std::optional<NestedLayout> known = nestedOf(layout);
    nested &= known.has_value();
    for (unsigned i = 0; known && i < map.getNumResults(); ++i)
      space[map.getDimPosition(i)] = (*known)[i];
  };
  VectorLayoutInterface *lhs = slots.find(op.getLhsMutable());
  VectorLayoutInterface *rhs = slots.find(op.getRhsMutable());
  take(*lhs, maps[0]);
  take(*rhs, maps[1]);
  if (!slots.resultLayouts.empty())
    take(slots.resultLayouts.front(), maps[2]);
  if (!nested)
    return completeSlots(
        op.getContext(),
        {maps, problem.extents, {lhs, rhs, slots.find(op.getResult())}});
  if (space.verify())
    return;
  auto whole =
      VectorLayoutInterface(NestedLayoutAttr::get(op.getContext(), space));
  if (!*lhs)
    *lhs = whole.apply(maps[0]);
  if (!*rhs)
    *rhs = whole.apply(maps[1]);
  if (!slots.resultLayouts.empty() && !slots.resultLayouts.front())
    slots.resultLayouts.front() = whole.apply(maps[2]);
}

/// Keeps the reduced dims of a reduction's source in registers.
static void completeReduction(vector::MultiDimReductionOp op,
                              OpLayouts &slots) {
  VectorLayoutInterface kept;
  if (!slots.resultLayouts.empty())
    kept = slots.resultLayouts.front();
  auto attr = dyn_cast_or_null<NestedLayoutAttr>(kept);
  if (!attr || slots.operandLayouts.front())
    return;
  SmallVector<bool> reduced = op.getReductionMask();
  NestedLayout source = NestedLayout::units(reduced.size());
  unsigned next = 0;
  for (auto [dim, isReduced] : llvm::enumerate(reduced)) {
    if (isReduced)
      source[dim].elementTile = op.getSourceVectorType().getDimSize(dim);
    else
      source[dim] = attr.getDims()[next++];
  }
  slots.operandLayouts.front() = NestedLayoutAttr::get(op.getContext(), source);
  std::string why;
  (void)inferLayouts(op, slots, why);
}

LogicalResult LayoutGraph::infer(const LayoutNode &node,
                                 const TargetOp *targetOp, OpLayouts &slots,
                                 std::string &why) {
  auto op = dyn_cast<vector::ContractionOp>(node.op);
  if (op && !node.whyPlain.empty())
    return inferContraction(op, /*byInstruction=*/false, slots, why);
  if (!node.targetOps.empty())
    return inferLayoutsBy(targetOp, node.op, slots, why);
  return inferLayouts(node.op, slots, why);
}

void LayoutGraph::addFrom(unsigned index, OpOperand *operand, Value result,
                          VectorLayoutInterface layout, bool complete) {
  LayoutNode &node = nodes[index];
  if (isa<ToLayoutOp>(node.op) || !node.contractions.empty())
    return;
  if (node.tied) {
    LayoutCandidate candidate;
    candidate.operands.assign(node.operands.size(), layout);
    candidate.results.assign(node.results.size(), layout);
    addCandidate(index, std::move(candidate));
    return;
  }
  OpLayouts slots = OpLayouts::get(node.op);
  VectorLayoutInterface *slot =
      operand ? slots.find(*operand) : slots.find(result);
  // The result or the passthru of a mask has the layout of the masked op's
  // result.
  if (!slot && maskedBy(node.op->getParentOp()) && node.results.size() == 2)
    slot = &slots.resultLayouts.front();
  if (!slot)
    return;
  *slot = layout;
  if (!node.demandedOp)
    addFrom(index, /*targetOp=*/nullptr, slots, complete);
  for (const TargetOpCandidate &targetOp : nodes[index].targetOps)
    if (node.demandedOp ? node.demandedOp->name == targetOp.row->name
                        : movesByTargetOps)
      addFrom(index, targetOp.row, slots, complete);
}

void LayoutGraph::addFrom(unsigned index, const TargetOp *targetOp,
                          OpLayouts slots, bool complete) {
  LayoutNode &node = nodes[index];
  std::string why;
  if (failed(infer(node, targetOp, slots, why)))
    return;
  if (auto contract = dyn_cast<vector::ContractionOp>(node.op))
    completeContraction(contract, slots);
  if (auto contract = dyn_cast<core::ContractOp>(node.op))
    completeContraction(contract, slots);
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(node.op);
      reduction && complete)
    completeReduction(reduction, slots);
  // The completed slots may contradict the known ones.
  if (succeeded(infer(node, targetOp, slots, why)))
    addComplete(index, slots, targetOp);
}

void LayoutGraph::addComplete(unsigned index, const OpLayouts &slots,
                              const TargetOp *targetOp) {
  LayoutNode &node = nodes[index];
  if (!llvm::all_of(slots.operandLayouts, [](auto l) { return bool(l); }) ||
      !llvm::all_of(slots.resultLayouts, [](auto l) { return bool(l); }))
    return;
  LayoutCandidate candidate;
  candidate.operands = slots.operandLayouts;
  candidate.results = slots.resultLayouts;
  candidate.targetOp = targetOp;
  if (!candidate.results.empty()) {
    VectorLayoutInterface front = candidate.results.front();
    candidate.operands.resize(node.operands.size(), front);
    candidate.results.resize(node.results.size(), front);
  }
  // A layout that wraps onto fewer subgroups has other registers.
  if (targetOp && !llvm::all_of(candidate.operands, [&](auto layout) {
        return layout.getLayout().fits(hardware);
      }))
    return;
  if (fits(candidate))
    addCandidate(index, std::move(candidate));
}

void LayoutGraph::spread() {
  while (!fresh.empty()) {
    auto [index, candidateIndex] = fresh.front();
    fresh.pop_front();
    // Copies, because adding candidates may reallocate the vectors.
    LayoutCandidate candidate = nodes[index].candidates[candidateIndex];
    SmallVector<OpOperand *> operands = nodes[index].operands;
    SmallVector<Value> results = nodes[index].results;
    for (auto [operand, layout] :
         llvm::zip_equal(operands, candidate.operands)) {
      auto definition = definitions.find(operand->get());
      if (definition != definitions.end() && layout)
        addFrom(definition->second.node, nullptr, operand->get(), layout);
    }
    for (auto [result, layout] : llvm::zip_equal(results, candidate.results))
      for (OpOperand &use : result.getUses())
        for (unsigned user : nodesOf.lookup(use.getOwner()))
          if (llvm::is_contained(nodes[user].operands, &use))
            addFrom(user, &use, Value(), layout);
  }
}

/// Adds candidates with instructions to the existing ones without them, which
/// stay, so that the choice never gets worse.
void LayoutGraph::addTargetOps() {
  if (llvm::all_of(
          nodes, [](const LayoutNode &node) { return node.targetOps.empty(); }))
    return;
  movesByTargetOps = true;
  for (auto [index, node] : llvm::enumerate(nodes))
    for (unsigned candidate = 0; candidate < node.candidates.size();
         ++candidate)
      fresh.push_back({unsigned(index), candidate});
  // Start from the op itself, in its existing layouts.
  for (unsigned index = 0; index < nodes.size(); ++index)
    for (unsigned c = 0, count = nodes[index].candidates.size();
         c < count && !nodes[index].targetOps.empty(); ++c) {
      LayoutCandidate candidate = nodes[index].candidates[c];
      addFrom(index, nodes[index].operands.front(), Value(),
              candidate.operands.front());
      addFrom(index, nullptr, nodes[index].results.front(),
              candidate.results.front());
    }
  spread();
}

//===----------------------------------------------------------------------===//
// The whole graph
//===----------------------------------------------------------------------===//

LogicalResult LayoutGraph::checkAnchored(FunctionOpInterface function,
                                         const Target &target,
                                         HardwareShape hardware) {
  LayoutGraph graph(function, target, hardware);
  if (failed(graph.addNodes(function)) || failed(graph.seedAnchors()))
    return failure();
  return graph.reportUnanchored();
}

FailureOr<LayoutGraph> LayoutGraph::build(FunctionOpInterface function,
                                          const Target &target,
                                          HardwareShape hardware,
                                          bool stagesOperands) {
  LayoutGraph graph(function, target, hardware);
  if (failed(graph.addNodes(function)) || failed(graph.seedAnchors()))
    return failure();
  graph.seedContractions();
  graph.seedAccesses(stagesOperands);
  graph.seedFixed();
  graph.seedTheRest();
  graph.addTargetOps();
  for (LayoutNode &node : graph.nodes)
    if (node.candidates.empty())
      return node.op->emitOpError(
          "has no layout that its row of the transfer table allows (DG2)");
  return graph;
}
