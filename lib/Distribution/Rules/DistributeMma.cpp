//===- DistributeMma.cpp - vector.contract by an MMA instruction ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands that are laid out for an instruction hold, per lane, its fragments:
// repeated over batches, their registers numbered by the layout. The
// contraction becomes one `inner_tiled` over the batches, on fragments in the
// instruction's own order (specification 8.4, VX-99, VX-100).
//
// FragmentMatch.h in distaff/Analysis/Layout finds the fragments' registers.
//
//===----------------------------------------------------------------------===//
#include "../Exchange/LaneExchange.h"
#include "../Records.h"
#include "Combine.h"
#include "Rules.h"
#include "distaff/Analysis/Layout/FragmentMatch.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace distaff;
using vector::CombiningKind;

namespace {
struct MmaPlan {
  vector::ContractionOp op;
  iree::MmaLayoutAttr kind;
  MmaOperands operands;
  bool swapped = false; // A is the contraction's rhs
  const Placement *result;
  Reach reach; // subgroup digits of K
};
} // namespace

static Reach reachOf(const Placement &lhs, AffineMap map,
                     ArrayRef<AffineMap> maps, const Placement &rhs,
                     const Placement &result) {
  Reach reach;
  for (auto [at, expr] : llvm::enumerate(map.getResults()))
    if (!maps[2].getResultPosition(expr))
      for (const Digit &digit : lhs.layout.digits(at))
        if (digit.axis == Axis::Subgroup)
          reach.reducedSubgroups.push_back(digit);
  reach.lanes = result.digitsOn(Axis::Lane);
  reach.subgroups = result.digitsOn(Axis::Subgroup);
  llvm::append_range(reach.subgroups, reach.reducedSubgroups);
  reach.result = &result;
  return reach;
}

static constexpr StringLiteral withoutInstruction =
    "; leave the mma_kind of its operands away to multiply without one";
static constexpr StringLiteral laidOutOtherwise =
    "; lay it out otherwise, or run distaff-assign-layouts, which converts it";

static FailureOr<MmaPlan> planMma(vector::ContractionOp op,
                                  iree::MmaLayoutAttr kind, Distributor &out) {
  const MmaRow &row = *kind.getRow();
  const Placement *lhs = out.placementOf(op.getLhsMutable());
  const Placement *rhs = out.placementOf(op.getRhsMutable());
  const Placement *acc = out.placementOf(op.getResult());
  if (op.getKind() != CombiningKind::ADD)
    return out.refuse(op, "combines by " +
                              stringifyCombiningKind(op.getKind()) + ", and '" +
                              row.name + "' adds" + withoutInstruction);

  if (!acc)
    return out.refuse(op, "is no matrix product: a row, column or inner dim is "
                          "missing" +
                              withoutInstruction);

  MmaPlan plan{op, kind, {}, kind.getColMajor(), acc, {}};
  MmaMisfit misfit;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::optional<MmaOperands> operands =
      fitToMma(row, plan.swapped, maps, {lhs->layout, rhs->layout, acc->layout},
               out.hardware().subgroups, misfit);
  if (!operands) {
    const Placement *placements[] = {lhs, rhs, acc};
    return out.refuse(
        op,
        misfit.why + (misfit.operand ? laidOutOtherwise : withoutInstruction),
        misfit.operand ? placements[*misfit.operand] : nullptr);
  }
  plan.operands = std::move(*operands);
  if (plan.swapped) {
    std::swap(lhs, rhs);
    std::swap(maps[0], maps[1]);
  }
  if (failed(out.requireShared(op, "an MMA instruction")))
    return failure();
  plan.reach = reachOf(*lhs, maps[0], maps, *rhs, *acc);
  return plan;
}

/// Returns `value` in the instruction's operand type: the instruction extends,
/// so an extended value is replaced by its source, or by the instruction's own
/// type that holds it. Null if it was not extended.
static Value multiplicandOf(OpBuilder &b, Value value, ScalarKind kind,
                            bool mayDropBits) {
  Multiplicand factor = Multiplicand::get(value);
  std::optional<Multiplicand> taken = factor.as(kind, mayDropBits);
  if (!taken || taken->source)
    return taken ? taken->source : Value();
  if (taken->element == taken->whole)
    return value;
  Location loc = value.getLoc();
  Type type = cast<VectorType>(value.getType()).clone(taken->element);
  if (isa<FloatType>(taken->element))
    return arith::ExtFOp::create(b, loc, type, factor.source);
  if (factor.isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, factor.source);
  return arith::ExtSIOp::create(b, loc, type, factor.source);
}

LogicalResult distaff::distributeToMma(vector::ContractionOp op,
                                       iree::MmaLayoutAttr kind,
                                       Distributor &out) {
  FailureOr<MmaPlan> plan = planMma(op, kind, out);
  if (failed(plan))
    return failure();
  const MmaRow &row = *kind.getRow();
  const MmaOperands &views = plan->operands;
  OpBuilder b(op);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  OpOperand &first = plan->swapped ? op.getRhsMutable() : op.getLhsMutable();
  OpOperand &second = plan->swapped ? op.getLhsMutable() : op.getRhsMutable();
  bool dropsBits = mayDropBits(op);
  Value lhs = multiplicandOf(b, out.get(b, first), row.a, dropsBits);
  Value rhs = multiplicandOf(b, out.get(b, second), row.b, dropsBits);
  Value initial = out.get(b, op.getAccMutable());
  Type element = getElementTypeOrSelf(initial.getType());
  if (!lhs || !rhs || element != elementTypeOf(row.c, context))
    return out.refuse(op, "has operand types that '" + Twine(row.name) +
                              "' does not take" + withoutInstruction);

  bool splitK = !plan->reach.reducedSubgroups.empty();
  Value acc = splitK ? splat(b, loc, initial.getType(),
                             identityOf(CombiningKind::ADD, element))
                     : initial;
  auto view = [&](Value value, const FragmentView &as) {
    return renameRegisters(b, loc, value, as.registers, as.shape);
  };
  auto instruction = iree::MmaLayoutAttr::get(context, kind.getName());
  Value tiled = iree::InnerTiledOp::create(
      b, loc, ValueRange{view(lhs, views.a), view(rhs, views.b)},
      view(acc, views.c), {views.a.map, views.b.map, views.c.map}, instruction);

  SmallVector<int64_t> back(views.c.registers.size());
  for (auto [at, reg] : llvm::enumerate(views.c.registers))
    back[reg] = at;
  Value result = renameRegisters(b, loc, tiled, back, plan->result->shape());
  if (splitK) {
    recordReduction(op, stringifyCombiningKind(CombiningKind::ADD), {},
                    /*elementsPerLane=*/1, plan->reach, /*rounds=*/0, out);
    result = reduceAcross(b, loc, CombiningKind::ADD, result, plan->reach, out);
    result = combine(b, loc, CombiningKind::ADD, result, initial);
  }
  out.replace(op, result);
  return success();
}
