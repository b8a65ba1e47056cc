//===- NumberBounds.cpp - Upper bounds of integer values ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/NumberBounds.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace distaff;

struct NumberBounds::Ranges {
  DataFlowSolver solver;
};

NumberBounds::NumberBounds(Operation *function)
    : ranges(std::make_unique<Ranges>()) {
  DataFlowSolver &solver = ranges->solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(function)))
    ranges.reset();
}

NumberBounds::~NumberBounds() = default;

std::optional<int64_t> NumberBounds::get(OpFoldResult number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return std::max<int64_t>(*known, 0);
  std::optional<int64_t> most;
  auto add = [&](int64_t bound) {
    most = std::max<int64_t>(std::min(most.value_or(bound), bound), 0);
  };
  const auto *range =
      ranges ? ranges->solver.lookupState<dataflow::IntegerValueRangeLattice>(
                   cast<Value>(number))
             : nullptr;
  if (range && !range->getValue().isUninitialized()) {
    // Both the signed and the unsigned bound hold for a number that is not
    // negative.
    const ConstantIntRanges &found = range->getValue().getValue();
    if (found.umax().isNonNegative() && !found.umax().isMaxSignedValue())
      add(found.umax().getSExtValue());
    if (!found.smax().isMaxSignedValue())
      add(found.smax().getSExtValue());
  }
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, number, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  if (succeeded(bound))
    add(*bound);
  return most;
}
