//===- DistributeControlFlow.cpp - Loops, branches and vector.mask --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and branches keep their ops; vectors that they carry change type in
// place (VX-92). Until the body is distributed, an undistributed view replaces
// each of them inside:
//
//   scf.for iter_args(%d = %init) -> vector<1x4xf32> {
//     %x = to_simd %d                   still read by the body
//     ...
//     %y = to_simt %next                until %next has been distributed
//     scf.yield %y
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using vector_ext::ToSimtOp;

/// Gives `value`, a result or region argument, its distributed type; its uses
/// get an undistributed view.
static void distributeInPlace(Value value, const Placement &placement,
                              OpBuilder b, Distributor &out) {
  auto type = cast<VectorType>(value.getType());
  // Creates the view while the value still has its old type, which the view
  // takes.
  Value view = out.toSimd(b, value, value);
  value.replaceAllUsesExcept(view, view.getDefiningOp());
  value.setType(placement.type(type.getElementType()));
}

/// Makes a terminator forward distributed values, through casts for now.
static void castOperands(Operation *terminator,
                         ArrayRef<const Placement *> placements) {
  OpBuilder b(terminator);
  for (auto [at, placement] : llvm::enumerate(placements)) {
    if (!placement)
      continue;
    OpOperand &operand = terminator->getOpOperand(at);
    auto type = cast<VectorType>(operand.get().getType());
    operand.set(ToSimtOp::create(b, terminator->getLoc(),
                                 placement->type(type.getElementType()),
                                 operand.get()));
  }
}

/// Replaces those casts by their operands' distributed values.
static void resolveCasts(Operation *terminator,
                         ArrayRef<const Placement *> placements,
                         Distributor &out) {
  OpBuilder b(terminator);
  for (auto [at, placement] : llvm::enumerate(placements)) {
    if (!placement)
      continue;
    OpOperand &operand = terminator->getOpOperand(at);
    auto cast = operand.get().getDefiningOp<ToSimtOp>();
    operand.set(out.get(b, cast.getInput(), *placement));
    if (cast->use_empty())
      cast->erase();
  }
}

/// Returns the placements of values, null for scalars.
static SmallVector<const Placement *> placementsOf(ValueRange values,
                                                   Distributor &out) {
  return llvm::map_to_vector(
      values, [&](Value value) { return out.placementOf(value); });
}

static void distributeResults(Operation *op,
                              ArrayRef<const Placement *> placements,
                              Distributor &out) {
  OpBuilder after(op->getContext());
  after.setInsertionPointAfter(op);
  for (auto [result, placement] : llvm::zip_equal(op->getResults(), placements))
    if (placement)
      distributeInPlace(result, *placement, after, out);
}

static void placeArguments(Region &region,
                           ArrayRef<const Placement *> arguments,
                           Distributor &out) {
  for (auto [argument, placement] :
       llvm::zip_equal(region.getArguments(), arguments))
    if (placement)
      distributeInPlace(argument, *placement,
                        OpBuilder::atBlockBegin(argument.getOwner()), out);
}

void distaff::distributeBody(Region &region,
                             ArrayRef<const Placement *> arguments,
                             ArrayRef<const Placement *> yields,
                             Distributor &out) {
  placeArguments(region, arguments, out);
  if (yields.empty())
    return out.distribute(region);
  Operation *terminator = region.front().getTerminator();
  castOperands(terminator, yields);
  out.distribute(region);
  resolveCasts(terminator, yields, out);
}

LogicalResult distaff::distribute(scf::ForOp op, Distributor &out) {
  auto placements = placementsOf(op.getResults(), out);

  OpBuilder b(op);
  SmallVector<const Placement *> arguments{nullptr}; // the counter
  for (auto [at, placement] : llvm::enumerate(placements)) {
    arguments.push_back(placement);
    if (!placement)
      continue;
    OpOperand &init = op.getInitArgsMutable()[at];
    init.set(out.get(b, init.get(), *placement));
  }
  distributeResults(op, placements, out);
  distributeBody(op.getRegion(), arguments, placements, out);
  return success();
}

/// Distributes ops whose regions have no arguments and yield the results.
static LogicalResult distributeBranches(Operation *op, Distributor &out) {
  auto placements = placementsOf(op->getResults(), out);
  distributeResults(op, placements, out);
  SmallVector<Operation *> terminators;
  for (Region &region : op->getRegions())
    if (!region.empty())
      terminators.push_back(region.front().getTerminator());
  // All terminators get the new types before any region is distributed.
  if (!placements.empty())
    for (Operation *terminator : terminators)
      castOperands(terminator, placements);
  for (Region &region : op->getRegions())
    out.distribute(region);
  if (!placements.empty())
    for (Operation *terminator : terminators)
      resolveCasts(terminator, placements, out);
  return success();
}

LogicalResult distaff::distribute(scf::IfOp op, Distributor &out) {
  return distributeBranches(op, out);
}

LogicalResult distaff::distribute(scf::IndexSwitchOp op, Distributor &out) {
  return distributeBranches(op, out);
}

LogicalResult distaff::distribute(scf::ExecuteRegionOp op, Distributor &out) {
  if (!op.getRegion().hasOneBlock())
    return out.refuse(op, "has several blocks; loops and branches are those of "
                          "scf");
  return distributeBranches(op, out);
}

LogicalResult distaff::distribute(scf::WhileOp op, Distributor &out) {
  auto carried = placementsOf(op.getBeforeArguments(), out);
  auto forwarded = placementsOf(op.getResults(), out);
  OpBuilder b(op);
  for (auto [init, placement] : llvm::zip_equal(op.getInitsMutable(), carried))
    if (placement)
      init.set(out.get(b, init.get(), *placement));
  distributeResults(op, forwarded, out);
  // The condition forwards its operands after the first.
  SmallVector<const Placement *> condition{nullptr};
  llvm::append_range(condition, forwarded);
  // Each region forwards values to the other, so both change before either is
  // distributed.
  placeArguments(op.getBefore(), carried, out);
  placeArguments(op.getAfter(), forwarded, out);
  castOperands(op.getConditionOp(), condition);
  castOperands(op.getYieldOp(), carried);
  out.distribute(op.getBefore());
  out.distribute(op.getAfter());
  resolveCasts(op.getConditionOp(), condition, out);
  resolveCasts(op.getYieldOp(), carried, out);
  return success();
}

LogicalResult distaff::distribute(vector::MaskOp op, Distributor &out) {
  Operation *masked = op.getMaskableOp();
  if (!masked)
    return out.refuse(op, "masks nothing; canonicalize it");
  if (failed(out.requirePlacements(masked)) ||
      failed(out.requirePlacements(op)))
    return failure();
  // The masked op is distributed before the mask, which then is empty.
  OpOperand &mask = op->getOpOperand(0);
  auto moveOut = [&] {
    op->replaceAllUsesWith(masked->getResults());
    masked->moveBefore(op);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(masked)
      .Case([&](vector::TransferReadOp inner) {
        moveOut();
        OpOperand *passthru = op.getPassthru() ? &op->getOpOperand(1) : nullptr;
        if (failed(distaff::distribute(inner, &mask, passthru, out)))
          out.note(inner, "cannot be distributed"); // if no reason yet
        else
          op->erase();
        return success();
      })
      .Case<vector::TransferWriteOp, vector::MultiDimReductionOp,
            vector::ReductionOp, vector::ContractionOp, vector::GatherOp,
            vector::OuterProductOp>([&](auto inner) {
        moveOut();
        if (failed(distaff::distribute(inner, &mask, out)))
          out.note(inner, "cannot be distributed"); // if no reason yet
        else
          op->erase();
        return success();
      })
      .Default([&](Operation *inner) {
        return out.refuseOwnMistake(
            op, "masks a '" + inner->getName().getStringRef() +
                    "', which has no masked distribution rule");
      });
}
