//===- TileGrid.cpp - Grid function of a kernel ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid is the trip count of each loop of the kernel's `scf.forall`, at the
// place that its mapping names, or the counts of its `pcf.loop` over
// workgroups, the first of which is x.
//
//===----------------------------------------------------------------------===//
#include "TileGrid.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;

/// The formulas of the counts along x, y and z.
using Formulas = std::array<AffineExpr, 3>;

/// Returns the workgroups along x, y and z. Fails with a diagnostic where a
/// loop is not mapped to them, or one of its bounds is no formula of the
/// dynamic extents.
static FailureOr<Formulas> countOf(scf::ForallOp forall,
                                   const ExtentFormulas &formulas) {
  std::optional<ArrayAttr> mapping = forall.getMapping();
  if (!mapping || mapping->size() != size_t(forall.getRank()))
    return forall.emitOpError("has no mapping to workgroups; write {mapping = "
                              "[#gpu.block<x>]} or so after its body");
  AffineExpr one = getAffineConstantExpr(1, forall.getContext());
  Formulas counts = {one, one, one};
  for (auto [loop, attribute] : llvm::enumerate(*mapping)) {
    auto block = dyn_cast<gpu::GPUBlockMappingAttr>(attribute);
    if (!block || block.isLinearMapping())
      return forall.emitOpError("is mapped to ")
             << attribute << "; a kernel's loop is mapped to #gpu.block<x>, "
             << "<y> and <z>";
    AffineExpr lower = formulas.indexOf(forall.getMixedLowerBound()[loop]);
    AffineExpr upper = formulas.indexOf(forall.getMixedUpperBound()[loop]);
    std::optional<int64_t> step =
        getConstantIntValue(forall.getMixedStep()[loop]);
    if (!lower || !upper || !step || *step <= 0)
      return forall.emitOpError("upper bound along ")
             << attribute << " is not an affine function of the extents of the "
             << "kernel's arguments";
    counts[size_t(block.getMappingId())] = (upper - lower).ceilDiv(*step);
  }
  return counts;
}

/// Returns the workgroups of a loop whose counts are ordered fastest first.
/// Counts beyond the ids of the hardware are multiplied into the last id.
static FailureOr<Formulas> countOf(pcf::LoopOp loop,
                                   const ExtentFormulas &formulas) {
  AffineExpr one = getAffineConstantExpr(1, loop.getContext());
  Formulas counts = {one, one, one};
  size_t ids =
      cast<pcf::ScopeAttrInterface>(loop.getScope()).getNativeNumProcessorIds();
  for (auto [i, value] : llvm::enumerate(loop.getCounts())) {
    AffineExpr count = formulas.indexOf(value);
    if (!count)
      return loop.emitOpError("has a count, number ")
             << i << ", that is no constant, sum, product or quotient of the "
             << "extents of its arguments";
    AffineExpr &place = counts[std::min(i, ids - 1)];
    place = place * count;
  }
  return counts;
}

/// Returns the workgroups of the first loop over workgroups in the kernel; 1,
/// 1, 1 without a loop.
static FailureOr<Formulas> countOf(func::FuncOp kernel,
                                   const ExtentFormulas &formulas) {
  for (Operation &op : kernel.getBody().front()) {
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      return countOf(forall, formulas);
    if (auto loop = dyn_cast<pcf::LoopOp>(op);
        loop && isa<iree::WorkgroupScopeAttr>(loop.getScope()))
      return countOf(loop, formulas);
  }
  AffineExpr one = getAffineConstantExpr(1, kernel.getContext());
  return Formulas{one, one, one};
}

/// Checks that the target can launch so many workgroups, along x at most
/// `most`.
static LogicalResult verifyGrid(func::FuncOp kernel, Formulas &counts,
                                const Target &target,
                                std::optional<int64_t> most) {
  for (auto [at, formula] : llvm::enumerate(counts)) {
    auto count = dyn_cast<AffineConstantExpr>(formula);
    if (!count)
      continue; // the launch checks
    // A loop with an empty range has no workgroups.
    int64_t number = std::max<int64_t>(0, count.getValue());
    if (at == 0 && most)
      number = std::min(number, *most);
    formula = getAffineConstantExpr(number, kernel.getContext());
    if (number > target.maxGrid[at])
      return kernel.emitOpError("has ")
             << number << " workgroups along " << "xyz"[at] << ", "
             << target.name << " launches up to " << target.maxGrid[at]
             << "; give each more of the work";
  }
  return success();
}

static Value emitFormula(OpBuilder &builder, Location loc, AffineExpr formula,
                         ValueRange extents) {
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(
          builder, loc, AffineMap::get(0, extents.size(), formula),
          getAsOpFoldResult(extents)));
}

LogicalResult
distaff::createGridFunction(func::FuncOp kernel, const Target &target,
                            ArrayRef<ExtentRequirement> requirements,
                            std::optional<int64_t> most) {
  std::string name = gridFunctionName(kernel.getName());
  if (failed(verifyGridName(kernel)))
    return failure();
  if (findGridFunction(kernel))
    return success();
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return failure();
  FailureOr<Formulas> counts = countOf(kernel, *formulas);
  if (failed(counts) || failed(verifyGrid(kernel, *counts, target, most)))
    return failure();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  Type index = builder.getIndexType();
  SmallVector<Type> extents(formulas->size(), index);
  auto grid = func::FuncOp::create(
      builder, kernel.getLoc(), name,
      builder.getFunctionType(extents, {index, index, index}));
  grid->setAttr(hostAttributeName, builder.getUnitAttr());
  builder.setInsertionPointToStart(grid.addEntryBlock());
  Location loc = grid.getLoc();
  for (const ExtentRequirement &requirement : requirements) {
    Value same = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        emitFormula(builder, loc, requirement.lhs, grid.getArguments()),
        emitFormula(builder, loc, requirement.rhs, grid.getArguments()));
    cf::AssertOp::create(builder, loc, same, requirement.message);
  }
  SmallVector<Value> values;
  for (AffineExpr count : *counts) {
    Value value = emitFormula(builder, loc, count, grid.getArguments());
    // A loop with an empty range has no workgroups.
    if (!isNeverNegative(count))
      value = arith::MaxSIOp::create(
          builder, loc, value, arith::ConstantIndexOp::create(builder, loc, 0));
    if (values.empty() && most && !isa<AffineConstantExpr>(count))
      value = arith::MinSIOp::create(
          builder, loc, value,
          arith::ConstantIndexOp::create(builder, loc, *most));
    values.push_back(value);
  }
  func::ReturnOp::create(builder, loc, values);
  return success();
}
