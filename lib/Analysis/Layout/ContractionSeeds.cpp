//===- ContractionSeeds.cpp - Candidate layouts of contractions -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the instructions that a contraction may run on. If the user has laid
// out both operands as fragments of one instruction, named by `mma_kind` or
// not, it is that one: only the layouts matter (spec 8.4). If an instruction is
// named and does not fit, the operands are converted, with a warning.
//
//===----------------------------------------------------------------------===//

#include "LayoutGraph.h"
#include "distaff/Analysis/Layout/FragmentMatch.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vector_ext;
using iree::MmaLayoutAttr;

//===----------------------------------------------------------------------===//
// The user's annotations
//===----------------------------------------------------------------------===//

namespace {
/// The to_layout ops of a contraction's operands, or null, and the instruction
/// that they name.
struct UserWish {
  ToLayoutOp lhs, rhs, acc;
  MmaLayoutAttr kind;
};
} // namespace

static MmaLayoutAttr kindOf(ToLayoutOp anchor) {
  auto kind = anchor ? dyn_cast_or_null<MmaLayoutAttr>(anchor.getMmaKindAttr())
                     : MmaLayoutAttr();
  return kind && kind.getRow() ? kind : MmaLayoutAttr();
}

static UserWish wishFor(vector::ContractionOp op) {
  UserWish wish{anchorOf(op.getLhs()), anchorOf(op.getRhs()),
                op.getAcc().getDefiningOp<ToLayoutOp>(), MmaLayoutAttr()};
  MmaLayoutAttr lhs = kindOf(wish.lhs), rhs = kindOf(wish.rhs);
  if (lhs && rhs && lhs != rhs)
    op.emitWarning("has the mma_kind ")
        << lhs.getName() << " on its lhs and " << rhs.getName()
        << " on its rhs, where one instruction takes both; neither is used";
  else if (lhs || rhs)
    wish.kind = lhs ? lhs : rhs;
  else
    wish.kind = kindOf(wish.acc);
  return wish;
}

//===----------------------------------------------------------------------===//
// Anchors that are fragments
//===----------------------------------------------------------------------===//

namespace {
/// Tries instructions on the layouts of a user's to_layout ops.
class AnchoredContraction {
public:
  AnchoredContraction(vector::ContractionOp op, UserWish wish,
                      const Target &target, HardwareShape hardware)
      : op(op), wish(wish), target(target), hardware(hardware),
        problem(ContractionProblem::get(op)) {}

  /// Sets `choice` and `slots`, or the reason in `misfit`.
  bool fits(MmaLayoutAttr kind);
  /// Tries all instructions of the target, the cheapest first.
  bool fitsAny();

  ContractionCandidate choice;
  OpLayouts slots;
  MmaMisfit misfit;

private:
  bool fits(const MmaRow &row, bool transposed);
  bool fitsWith(const MmaRow &row, bool transposed, VectorLayoutInterface acc,
                MmaMisfit &why);

  vector::ContractionOp op;
  UserWish wish;
  const Target &target;
  HardwareShape hardware;
  ContractionProblem problem;
};
} // namespace

bool AnchoredContraction::fitsWith(const MmaRow &row, bool transposed,
                                   VectorLayoutInterface acc, MmaMisfit &why) {
  std::array<VectorLayoutInterface, 3> attrs = {wish.lhs.getLayout(),
                                                wish.rhs.getLayout(), acc};
  std::array<Layout, 3> layouts;
  for (auto [into, attr] : llvm::zip_equal(layouts, attrs))
    into = *attr.getLayout().forTarget(hardware.subgroups * hardware.lanes,
                                       hardware.lanes, &why.why);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!fitToMma(row, transposed, maps, layouts, hardware.subgroups, why))
    return false;
  slots = OpLayouts::get(op);
  *slots.find(op.getLhsMutable()) = wish.lhs.getLayout();
  *slots.find(op.getRhsMutable()) = wish.rhs.getLayout();
  slots.resultLayouts.front() = acc;
  why.operand.reset();
  return succeeded(
      inferContraction(op, /*byInstruction=*/true, slots, why.why));
}

bool AnchoredContraction::fits(MmaLayoutAttr kind) {
  // The row of this target: others have the kind too, with other costs.
  if (const MmaRow *row = target.findMma(kind.getName()))
    return fits(*row, kind.getColMajor());
  misfit.why =
      kind.getName().str() + " is no instruction of " + target.name.str();
  return false;
}

bool AnchoredContraction::fits(const MmaRow &row, bool transposed) {
  if (row.issueCost == infiniteCost) {
    misfit.why = row.name.str() + " is not to be used on " + target.name.str();
    return false;
  }
  if (row.subgroupSize != hardware.lanes) {
    misfit.why = row.name.str() + " is one of subgroups of " +
                 std::to_string(row.subgroupSize) + " lanes";
    return false;
  }
  if (!typesFitExtended(problem, row, transposed)) {
    misfit.why =
        "has operand types that '" + row.name.str() + "' does not take";
    return false;
  }
  choice = anchoredMma(problem, row, transposed, nestedOf(wish.lhs.getLayout()),
                       nestedOf(wish.rhs.getLayout()), hardware.subgroups);
  MmaMisfit ofUsers;
  if (wish.acc && fitsWith(row, transposed, wish.acc.getLayout(), ofUsers))
    return true;
  // The user's accumulator is converted to the instruction's layout, if needed.
  if (choice.acc.rank() != 0 && !choice.acc.verify()) {
    auto acc = NestedLayoutAttr::get(op.getContext(), choice.acc);
    if (!acc.isValidForTarget(hardware.subgroups * hardware.lanes,
                              hardware.lanes))
      return fitsWith(row, transposed, acc, misfit);
  }
  misfit = ofUsers;
  if (misfit.why.empty())
    misfit.why =
        "has an acc whose layout does not follow from those of lhs and "
        "rhs, and no to_layout that says it";
  return false;
}

bool AnchoredContraction::fitsAny() {
  std::optional<std::pair<ContractionCandidate, OpLayouts>> best;
  MmaMisfit first;
  for (const MmaRow &row : target.mma)
    for (bool transposed : {false, true}) {
      if (!typesFitExtended(problem, row, transposed))
        continue;
      if (fits(row, transposed)) {
        if (!best || choice.cost < best->first.cost)
          best = {choice, slots};
      } else if (first.why.empty()) {
        first = misfit;
      }
    }
  misfit = first;
  if (best)
    std::tie(choice, slots) = *best;
  return best.has_value();
}

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

void LayoutGraph::anchorContraction(LayoutNode &node,
                                    ContractionCandidate choice,
                                    const OpLayouts &slots) {
  LayoutCandidate candidate{slots.operandLayouts, slots.resultLayouts, 0u};
  node.candidates.clear(); // candidates propagated from single anchors
  node.contractions.push_back(std::move(choice));
  addCandidate(&node - nodes.data(), std::move(candidate));
}

/// Returns whether the user's to_layout ops determine the contraction's
/// layouts.
bool LayoutGraph::seedAnchoredContraction(LayoutNode &node,
                                          MmaLayoutAttr &demanded) {
  auto op = cast<vector::ContractionOp>(node.op);
  UserWish wish = wishFor(op);
  demanded = wish.kind;
  bool isKept = op.getLhs().getDefiningOp<ToLayoutOp>() &&
                op.getRhs().getDefiningOp<ToLayoutOp>();
  if (!wish.lhs || !wish.rhs)
    return false;
  AnchoredContraction anchored(op, wish, target, hardware);
  if (wish.kind ? anchored.fits(wish.kind) : anchored.fitsAny()) {
    node.anchoredBy =
        wish.kind ? "its operands' mma_kind" : "its operands' layouts";
    anchorContraction(node, std::move(anchored.choice), anchored.slots);
    return true;
  }
  if (wish.kind) {
    op.emitWarning() << anchored.misfit.why << "; it is converted for "
                     << wish.kind.getName()
                     << ", which an mma_kind of its operands names";
    return false;
  }
  // If the user anchors both operands, the choice is fixed.
  if (!isKept)
    return false;
  node.whyPlain = anchored.misfit.why.empty()
                      ? whyNoMma(ContractionProblem::get(op), target)
                      : "the user's layouts are kept: " + anchored.misfit.why;
  return true;
}

void LayoutGraph::seedChosenContraction(LayoutNode &node,
                                        const ContractionProblem &problem) {
  node.contractions = enumerateMma(problem, target, hardware.subgroups);
  for (auto [index, choice] : llvm::enumerate(node.contractions)) {
    if (2 * choice.cost > 3 * node.contractions.front().cost)
      break; // too expensive for any saved conversion
    auto attr = [&](const NestedLayout &layout) {
      return VectorLayoutInterface(
          NestedLayoutAttr::get(node.op->getContext(), layout));
    };
    LayoutCandidate candidate{
        {attr(choice.lhs), attr(choice.rhs), attr(choice.acc)},
        {attr(choice.acc)},
        unsigned(index)};
    if (fits(candidate))
      addCandidate(&node - nodes.data(), std::move(candidate));
  }
}

void LayoutGraph::seedContraction(LayoutNode &node) {
  auto op = cast<vector::ContractionOp>(node.op);
  if (isa<vector::MaskOp>(op->getParentOp())) {
    node.whyPlain = "it is masked in a way that does not come apart into masks "
                    "of its operands and result, and instructions have none";
    if (MmaLayoutAttr kind = wishFor(op).kind)
      op.emitWarning("does not run on ")
          << kind.getName()
          << ", which an mma_kind of its operands names: " << node.whyPlain;
    return;
  }
  MmaLayoutAttr demanded;
  if (seedAnchoredContraction(node, demanded))
    return;
  ContractionProblem problem = ContractionProblem::get(op);
  problem.kind = demanded;
  seedChosenContraction(node, problem);
  if (!demanded || !node.contractions.empty())
    return;
  op.emitWarning("does not run on ")
      << demanded.getName() << ", which an mma_kind of its operands names: "
      << whyNoMma(problem, target);
  problem.kind = {};
  seedChosenContraction(node, problem);
  if (node.contractions.empty())
    node.whyPlain = whyNoMma(problem, target);
}

void LayoutGraph::seedContractions() {
  // All own choices come first: propagation from one contraction must not fix
  // another that has choices of its own.
  for (LayoutNode &node : nodes)
    if (auto op = dyn_cast<vector::ContractionOp>(node.op);
        op && hasLayout(op.getResultType()))
      seedContraction(node);
  spread();
}
