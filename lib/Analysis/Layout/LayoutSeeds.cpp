//===- LayoutSeeds.cpp - Anchors of candidate layouts ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts from which candidates propagate, strongest first, since a node
// keeps the first few: the user's to_layout ops, MMA instructions, memory
// accesses, ops that allow one layout only, and a default for unreached ops.
//
//===----------------------------------------------------------------------===//

#include "LayoutGraph.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Dialect/VectorExt/PromotionAttrInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vector_ext;

LogicalResult LayoutGraph::seedAnchors() {
  for (unsigned i = 0; i < nodes.size(); ++i) {
    auto op = dyn_cast<ToLayoutOp>(nodes[i].op);
    if (!op || nodes[i].tied)
      continue;
    VectorLayoutInterface layout = resultLayoutOf(op);
    if (auto why = layout.isValidForTarget(hardware.subgroups * hardware.lanes,
                                           hardware.lanes))
      return op.emitOpError()
             << "layout " << shortNotation(layout)
             << " does not fit the workgroup: " << *why << " (DG6)"
             << layout.getLayout().howToFit(hardware.subgroups * hardware.lanes,
                                            hardware.lanes);
    addCandidate(i, {{layout}, {layout}, std::nullopt});
    spread();
  }
  return success();
}

/// Returns whether a user's to_layout moves the value through shared memory.
static bool isPromotedByUser(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    auto toLayout = dyn_cast<ToLayoutOp>(user);
    return toLayout && toLayout.getSharedMemoryConversionAttr();
  });
}

static bool mustPromote(ArrayRef<OpOperand *> fed) {
  return llvm::any_of(fed, [](OpOperand *operand) {
    auto config = operand->getOwner()->getAttrOfType<iree::LoweringConfigAttr>(
        iree::LoweringConfigAttr::attributeName);
    return config && llvm::is_contained(config.getPromotedOperands(),
                                        operand->getOperandNumber());
  });
}

void LayoutGraph::markDirect(Value value) {
  if (!direct.insert(value).second)
    return;
  for (Operation *user : value.getUsers())
    if (!isa<vector::ContractionOp, ToLayoutOp>(user))
      llvm::for_each(user->getResults(),
                     [&](Value result) { markDirect(result); });
}

/// Returns the neighbours along one dim that a lane holds of an MMA operand, if
/// they are parts of one or two words and the memory has them in different
/// rows.
static std::optional<NeighbouringRows> rowsFor(const NestedLayout &operand,
                                               const VectorAccess &access) {
  constexpr int64_t wordBits = 32, mostBits = 2 * wordBits;
  if (access.order.size() < 2 || !access.contiguous ||
      access.elementBits % 8 != 0 || access.elementBits >= wordBits)
    return std::nullopt;
  for (unsigned dim : ArrayRef(access.order).drop_front())
    if (int64_t held = operand[dim].elementTile;
        llvm::isPowerOf2_64(held) && held > 1)
      return NeighbouringRows{dim,
                              std::min(held, mostBits / access.elementBits)};
  return std::nullopt;
}

/// Returns layouts in which an operand of an MMA is read, the most common
/// first.
static std::vector<NestedLayout> layoutsOfOperand(const VectorAccess &access,
                                                  const LayoutNode &node,
                                                  const Target &target,
                                                  HardwareShape hardware) {
  std::vector<NestedLayout> layouts =
      layoutsForAccess(access, target, hardware);
  std::vector<NestedLayout> byRows;
  for (const LayoutCandidate &candidate : node.candidates)
    if (auto operand = dyn_cast<NestedLayoutAttr>(candidate.results.front()))
      if (auto rows = rowsFor(operand.getNested(), access))
        for (NestedLayout &layout :
             layoutsOfRows(access, *rows, target, hardware))
          if (!llvm::is_contained(byRows, layout))
            byRows.push_back(std::move(layout));
  layouts.insert(layouts.begin() + 1, byRows.begin(), byRows.end());
  return layouts;
}

void LayoutGraph::seedAccesses(bool stagesOperands) {
  std::vector<std::vector<NestedLayout>> seeds(nodes.size());
  size_t most = 0;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    Operation *op = nodes[i].op;
    std::optional<VectorAccess> access = accessOf(op, target);
    if (!access || nodes[i].tied)
      continue;
    auto read = dyn_cast<vector::TransferReadOp>(op);
    bool isOperand = read && feedsMma(feeds.of(read));
    // A value in workgroup memory is already in place for its operand.
    bool isPlaced = accessesWorkgroupMemory(op) ||
                    (!stagesOperands && !target.banks.loadsMatrices);
    if (isOperand && isPlaced && !isPromotedByUser(read)) {
      markDirect(read);
      continue;
    }
    seeds[i] = isOperand ? layoutsOfOperand(*access, nodes[i], target, hardware)
                         : layoutsForAccess(*access, target, hardware);
    most = std::max(most, seeds[i].size());
  }
  // Round-robin, so that no access fills the candidates of all others.
  for (size_t turn = 0; turn < most; ++turn) {
    for (unsigned i = 0; i < nodes.size(); ++i) {
      if (turn >= seeds[i].size())
        continue;
      Operation *op = nodes[i].op;
      VectorLayoutInterface layout =
          NestedLayoutAttr::get(op->getContext(), seeds[i][turn]);
      bool reads = !nodes[i].results.empty();
      if (!reads && nodes[i].operands.empty())
        continue; // the stored value has no layout to choose
      addFrom(i, reads ? nullptr : nodes[i].operands.front(),
              reads ? op->getResult(0) : Value(), layout);
    }
    spread();
  }
  keepPromoted(seeds);
}

bool LayoutGraph::feedsMma(ArrayRef<OpOperand *> fed) {
  return llvm::any_of(fed, [&](OpOperand *operand) {
    return llvm::any_of(
        nodesOf.lookup(operand->getOwner()),
        [&](unsigned user) { return !nodes[user].contractions.empty(); });
  });
}

/// Returns the layout in which lanes copy a read value without registers; null
/// if they need not.
static VectorLayoutInterface asynchronousLayoutOf(vector::TransferReadOp read) {
  if (!read->hasOneUse())
    return {};
  auto copy = dyn_cast<ToLayoutOp>(*read->user_begin());
  bool isAsynchronous =
      copy && llvm::any_of(copy->getUsers(), [](Operation *user) {
        auto back = dyn_cast<ToLayoutOp>(user);
        auto promotion = back ? dyn_cast_if_present<PromotionAttrInterface>(
                                    back.getSharedMemoryConversionAttr())
                              : PromotionAttrInterface();
        return promotion && promotion.isAsynchronous();
      });
  return isAsynchronous ? copy.getLayout() : VectorLayoutInterface();
}

/// Removes all layouts of a promoted read that do not suit its access.
void LayoutGraph::keepPromoted(ArrayRef<std::vector<NestedLayout>> seeds) {
  for (auto [node, seed] : llvm::zip_equal(nodes, seeds)) {
    auto read = dyn_cast<vector::TransferReadOp>(node.op);
    if (!read)
      continue;
    if (VectorLayoutInterface layout = asynchronousLayoutOf(read)) {
      llvm::erase_if(node.candidates, [&](const LayoutCandidate &candidate) {
        return candidate.results.front() != layout;
      });
      continue;
    }
    if (!mustPromote(feeds.of(read)))
      continue;
    SmallVector<VectorLayoutInterface> suitable;
    for (const NestedLayout &layout : seed)
      suitable.push_back(NestedLayoutAttr::get(read.getContext(), layout));
    llvm::erase_if(node.candidates, [&](const LayoutCandidate &candidate) {
      return !llvm::is_contained(suitable, candidate.results.front());
    });
  }
}

/// Seeds ops whose row allows only one layout.
void LayoutGraph::seedFixed() {
  for (unsigned i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].candidates.empty() || nodes[i].tied)
      continue;
    OpLayouts slots = OpLayouts::get(nodes[i].op);
    std::string why;
    // Use the target's own row, not that of another target with the
    // instruction.
    const TargetOp *demanded = nodes[i].demandedOp
                                   ? target.findOp(nodes[i].demandedOp->name)
                                   : nullptr;
    if (succeeded(infer(nodes[i], demanded, slots, why)))
      addComplete(i, slots, demanded);
    spread();
  }
}

/// Returns layouts of one of an op's vectors as for a read from row-major
/// memory; for vector.shuffle with all rows in every lane.
static std::vector<NestedLayout> defaultLayouts(Operation *op, VectorType type,
                                                const Target &target,
                                                HardwareShape hardware) {
  if (!isa<vector::ShuffleOp>(op) || type.getRank() < 2)
    return layoutsForAccess(rowMajorAccess(type), target, hardware);
  auto row =
      VectorType::get(type.getShape().drop_front(), type.getElementType());
  std::vector<NestedLayout> layouts =
      layoutsForAccess(rowMajorAccess(row), target, hardware);
  for (NestedLayout &layout : layouts) {
    NestedDim rows;
    rows.elementTile = type.getDimSize(0);
    layout.dims.insert(layout.dims.begin(), rows);
  }
  return layouts;
}

/// Returns the vector that gets the default layout: the source if it determines
/// the result.
static Value decisiveVector(const LayoutNode &node) {
  bool isOfSource =
      isa<vector::MultiDimReductionOp, vector::ReductionOp, vector::ScanOp,
          vector_ext::ArgCompareOp, vector::ExtractOp>(node.op);
  return node.results.empty() || isOfSource ? node.operands.front()->get()
                                            : Value(node.results.front());
}

LogicalResult LayoutGraph::reportUnanchored() {
  bool all = true;
  for (const LayoutNode &node : nodes) {
    if (!node.candidates.empty() || node.tied)
      continue;
    Value value = decisiveVector(node);
    auto type = cast<VectorType>(value.getType());
    if (type.getRank() == 0)
      continue; // has one layout
    std::vector<NestedLayout> layouts =
        defaultLayouts(node.op, type, target, hardware);
    VectorLayoutInterface instead =
        layouts.empty() ? registerLayout(type)
                        : NestedLayoutAttr::get(type.getContext(), layouts[0]);
    node.op->emitOpError() << "is reached by no 'iree_vector_ext.to_layout', "
                              "and anchors are required (DG4); "
                              "lay out "
                           << type << " by one, as " << instead
                           << ", or leave it to be chosen";
    all = false;
  }
  return success(all);
}

/// Seeds ops that no anchor, instruction or access reaches with a default: the
/// layout of a read of their result from row-major memory or, if their row
/// allows none of these, the whole vector in every lane.
void LayoutGraph::seedTheRest() {
  for (unsigned i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].candidates.empty())
      continue;
    OpOperand *operand =
        nodes[i].operands.empty() ? nullptr : nodes[i].operands.front();
    Value value = decisiveVector(nodes[i]);
    auto type = cast<VectorType>(value.getType());
    for (const NestedLayout &layout :
         defaultLayouts(nodes[i].op, type, target, hardware)) {
      VectorLayoutInterface attr =
          NestedLayoutAttr::get(type.getContext(), layout);
      bool isResult = llvm::is_contained(nodes[i].results, value);
      addFrom(i, isResult ? nullptr : operand, isResult ? value : Value(), attr,
              /*complete=*/true);
      spread();
    }
    if (!nodes[i].candidates.empty())
      continue;
    bool isResult = llvm::is_contained(nodes[i].results, value);
    addFrom(i, isResult ? nullptr : operand, isResult ? value : Value(),
            registerLayout(type), /*complete=*/true);
    spread();
  }
}
