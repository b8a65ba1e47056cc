//===- IndexDomain.cpp - Constraints that hold at an op -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IndexDomain.h"

#include "../Distribute/WorkerGrids.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

std::optional<int64_t> pcf::getConstantTripCount(scf::ForOp loop) {
  std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound()),
                         high = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  return *high <= *low ? 0 : llvm::divideCeil(*high - *low, *step);
}

/// Returns the number of iterations: a constant if the loop's bounds fix it,
/// else a variable.
AffineExpr IndexDomain::getTripCount(scf::ForOp loop) {
  if (std::optional<int64_t> count = getConstantTripCount(loop))
    return terms.constant(*count);
  auto [it, isNew] = tripCounts.try_emplace(loop);
  if (isNew)
    it->second = terms.addVariable(/*isNonNegative=*/true);
  return it->second;
}

/// Returns the number of iterations before this one, as a term of the loop's
/// variable; null if the step is not known.
AffineExpr IndexDomain::getIteration(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  AffineExpr low = terms.of(loop.getLowerBound());
  AffineExpr variable = terms.of(loop.getInductionVar());
  if (!step || *step <= 0)
    return {};
  return *step == 1 ? variable - low : (variable - low).floorDiv(*step);
}

/// Adds the constraints on a member's ids, which are counted from 0.
void IndexDomain::addMembers(RunThreadOp phase,
                             SmallVectorImpl<IndexConstraint> &constraints) {
  for (auto [id, size] :
       llvm::zip_equal(phase.getIds(), getWorkerGrid(phase).counts))
    if (std::optional<int64_t> count =
            size ? getConstantIntValue(size) : std::nullopt)
      constraints.push_back({*count - 1 - terms.of(id)});
}

void IndexDomain::addConstraints(
    Operation *op, scf::ForOp pastEnd,
    SmallVectorImpl<IndexConstraint> &constraints) {
  for (Operation *child = op, *parent = op->getParentOp(); parent != root;
       child = parent, parent = parent->getParentOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      bool isThen = child->getParentRegion() == &branch.getThenRegion();
      SmallVector<IndexConstraint> implied;
      terms.addCondition(branch.getCondition(), isThen, implied);
      llvm::append_range(constraints, implied);
      continue;
    }
    if (auto phase = dyn_cast<RunThreadOp>(parent)) {
      addMembers(phase, constraints);
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || loop.getUnsignedCmp())
      continue;
    AffineExpr low = terms.of(loop.getLowerBound());
    AffineExpr high = terms.of(loop.getUpperBound());
    AffineExpr variable = terms.of(loop.getInductionVar());
    AffineExpr iteration = getIteration(loop);
    if (!iteration)
      continue;
    int64_t step = *getConstantIntValue(loop.getStep());
    constraints.push_back({variable - low});
    if (step != 1)
      constraints.push_back({(variable - low) % step, /*isEquality=*/true});
    AffineExpr count = getTripCount(loop);
    if (loop == pastEnd) {
      // The first value that is not below the bound.
      constraints.push_back({variable - high});
      continue;
    }
    constraints.push_back({high - variable - 1});
    constraints.push_back({count - iteration - 1});
  }
}

bool IndexDomain::isNever(Value condition, Operation *at, scf::ForOp pastEnd) {
  SmallVector<IndexConstraint> constraints;
  addConstraints(at, pastEnd, constraints);
  terms.addCondition(condition, /*isTrue=*/true, constraints);
  return terms.haveNoSolution(constraints);
}

bool IndexDomain::isAlways(Value condition, Operation *at) {
  SmallVector<IndexConstraint> constraints;
  addConstraints(at, {}, constraints);
  SmallVector<IndexConstraint> negated;
  // Only a complete negation proves something by having no solution.
  if (!terms.addCondition(condition, /*isTrue=*/false, negated))
    return false;
  llvm::append_range(constraints, negated);
  return terms.haveNoSolution(constraints);
}
