//===- DistributeTargetOp.cpp - Ops that a target instruction implements --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's registers are the instruction's tiles, one after the other: the
// layouts number the registers of a tile innermost, as the instruction does. An
// instruction that computes gives the result in its layout; one that moves
// elements for an op that renames them leaves the registers unchanged, and the
// op renames them then (VX-126).
//
//===----------------------------------------------------------------------===//
#include "../Records.h"
#include "Rules.h"
#include "distaff/Analysis/Legality/TargetOps.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

namespace {
struct TargetOpPlan {
  int64_t issues = 0, registers = 0; // of each issue
  Layout moved;                      // layout of the instruction's results
  /// Maps registers of the instruction's operand to registers of the op's
  /// operand.
  SmallVector<int64_t> takes;
  /// Maps registers of the result to registers of the instruction's result.
  SmallVector<int64_t> sourceOf;
};
} // namespace

/// Returns the source of each register of the result of `op`, among registers
/// laid out as `from`; nothing if lanes would have to exchange data.
static std::optional<SmallVector<int64_t>> renamingOf(Operation *op,
                                                      const Layout &from,
                                                      const Layout &to,
                                                      HardwareShape hardware) {
  if (isa<vector::ShapeCastOp>(op))
    return registerSourceByPosition(from, to, hardware);
  DimMap map = DimMap::identity(to.rank());
  if (auto transpose = dyn_cast<vector::TransposeOp>(op))
    for (auto [at, dim] : llvm::enumerate(transpose.getPermutation()))
      map.results[dim] = at;
  return registerSource(from, to, map, hardware);
}

static LogicalResult refuseTiles(Operation *op, const TargetOp &row,
                                 const Placement &placement, Distributor &out) {
  return out.refuse(op,
                    "is laid out in no whole tiles of '" + Twine(row.name) +
                        "', which the mma_kind of its operands names; "
                        "leave that away to do without it",
                    &placement);
}

/// Plans a conversion's operand and result; it may take registers in another
/// order.
static LogicalResult planConversion(vector_ext::ToLayoutOp op,
                                    const TargetOp &row, Distributor &out,
                                    TargetOpPlan &plan) {
  const Placement *from = out.placementOf(op.getInputMutable()),
                  *to = out.placementOf(op.getResult());
  std::optional<OpConversion> conversion =
      planConversionBy(row, from->layout, to->layout, out.hardware());
  if (!conversion && !placeMapOf(row, 0).apply(from->layout))
    return refuseTiles(op, row, *from, out);
  if (!conversion)
    return out.refuse(op,
                      "does not move elements as '" + Twine(row.name) +
                          "' does, which the mma_kind of its operand names; "
                          "leave that away to do without it",
                      to);
  plan.takes = std::move(conversion->takes);
  plan.moved = std::move(conversion->moved);
  plan.sourceOf = std::move(conversion->sourceOf);
  return success();
}

/// Plans the operands and the result of an op that the instruction implements.
static LogicalResult planOperands(Operation *op, const TargetOp &row,
                                  Distributor &out, TargetOpPlan &plan) {
  for (OpOperand &operand : op->getOpOperands()) {
    const Placement *placement = out.placementOf(operand);
    PlaceMap map = placeMapOf(row, operand.getOperandNumber());
    std::optional<Layout> moved = map.apply(placement->layout);
    bool isFirst = operand.getOperandNumber() == 0;
    if (!moved || (!isFirst && !moved->equivalent(plan.moved)))
      return refuseTiles(op, row, *placement, out);
    plan.moved = std::move(*moved);
    plan.takes =
        llvm::to_vector(llvm::seq<int64_t>(placement->layout.numRegisters()));
  }
  const Placement *result = out.placementOf(op->getResult(0));
  std::optional<SmallVector<int64_t>> sourceOf =
      renamingOf(op, plan.moved, result->layout, out.hardware());
  if (!sourceOf)
    return out.refuseOwnMistake(op,
                                "would have to move data between lanes that '" +
                                    Twine(row.name) + "' leaves as " +
                                    toString(plan.moved),
                                result);
  plan.sourceOf = std::move(*sourceOf);
  return success();
}

static FailureOr<TargetOpPlan> planTargetOp(Operation *op, const TargetOp &row,
                                            Distributor &out) {
  TargetOpPlan plan;
  plan.registers = placeMapOf(row, 0).registers();
  auto toLayout = dyn_cast<vector_ext::ToLayoutOp>(op);
  if (failed(toLayout ? planConversion(toLayout, row, out, plan)
                      : planOperands(op, row, out, plan)))
    return failure();
  plan.issues = llvm::divideCeil(plan.moved.numRegisters(), plan.registers);
  if (failed(out.requireShared(op, "data of other threads")))
    return failure();
  return plan;
}

/// Returns the registers of whole issues: a last one that is not full computes
/// some register again.
static Value inIssues(OpBuilder &b, Location loc, Value value,
                      const TargetOpPlan &plan) {
  SmallVector<int64_t> sourceOf(plan.issues * plan.registers, 0);
  llvm::copy(plan.takes, sourceOf.begin());
  return renameRegisters(b, loc, value, sourceOf,
                         {plan.issues, plan.registers});
}

LogicalResult distaff::distributeTargetOp(Operation *op,
                                          core::TargetOpAttr kind,
                                          Distributor &out) {
  const TargetOp &row = *kind.getRow();
  FailureOr<TargetOpPlan> plan = planTargetOp(op, row, out);
  if (failed(plan))
    return failure();
  if (auto toLayout = dyn_cast<vector_ext::ToLayoutOp>(op))
    recordConversion(toLayout, row, plan->issues, out);
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(inIssues(b, loc, out.get(b, operand), *plan));
  auto type = VectorType::get({plan->issues, plan->registers},
                              getElementTypeOrSelf(op->getResult(0)));
  Value issued = core::TargetOpOp::create(b, loc, type, kind, operands);
  out.replace(op, renameRegisters(b, loc, issued, plan->sourceOf,
                                  out.placementOf(op->getResult(0))->shape()));
  return success();
}
