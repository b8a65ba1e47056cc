//===- WorkerGrids.cpp - Number of members of a group ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WorkerGrids.h"

#include "../Order/IndexTerms.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

std::optional<int64_t> pcf::getLaunchCount(Operation *op, Attribute scope) {
  if (isa<SequentialAttr>(scope))
    return 1;
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto launch = function ? function->getAttrOfType<iree::TranslationInfoAttr>(
                               iree::TranslationInfoAttr::attributeName)
                         : iree::TranslationInfoAttr();
  // The last subgroup may have fewer lanes.
  if (!launch || launch.getSubgroupSize() <= 0 ||
      launch.getNumThreads() % launch.getSubgroupSize())
    return std::nullopt;
  if (isa<iree::LaneScopeAttr>(scope))
    return launch.getSubgroupSize();
  if (isa<iree::SubgroupScopeAttr>(scope) && launch.getNumThreads() > 0)
    return launch.getNumThreads() / launch.getSubgroupSize();
  return std::nullopt;
}

/// Evaluates a number that is computed from the number of all subgroups, which
/// the launch fixes.
static std::optional<int64_t> evaluate(Value value) {
  IndexTerms terms(value.getContext());
  auto bindCounts = [&](gpu::NumSubgroupsOp all) {
    auto scope = iree::SubgroupScopeAttr::get(all.getContext());
    if (std::optional<int64_t> count = getLaunchCount(all, scope))
      terms.bind(all, terms.constant(*count));
  };
  Operation *op = value.getDefiningOp();
  if (auto function = op ? op->getParentOfType<FunctionOpInterface>()
                         : FunctionOpInterface())
    function->walk(bindCounts);
  auto number = dyn_cast<AffineConstantExpr>(terms.of(value));
  return number ? std::optional(number.getValue()) : std::nullopt;
}

/// Evaluates a bound of a cluster; none if a range or the count is not known.
static std::optional<int64_t> evaluate(AffineExpr bound, ValueRange ranges,
                                       std::optional<int64_t> count) {
  MLIRContext *context = bound.getContext();
  DenseMap<AffineExpr, AffineExpr> known;
  bound.walk([&](AffineExpr part) {
    std::optional<int64_t> number;
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      number = evaluate(ranges[dim.getPosition()]);
    else if (isa<AffineSymbolExpr>(part))
      number = count;
    if (number)
      known[part] = getAffineConstantExpr(*number, context);
  });
  auto constant = dyn_cast<AffineConstantExpr>(bound.replace(known));
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// Computes the grid of a collective phase, or of one that members run.
template <typename PhaseOp> static WorkerGrid computeGrid(PhaseOp op) {
  WorkerGrid grid{op.getScope(), {}};
  auto scope = cast<ScopeAttrInterface>(grid.scope);
  Builder builder(op.getContext());
  auto cluster = dyn_cast<ClusterType>(op.getGroupType());
  bool isLinear = scope.getNativeNumProcessorIds() == 1;
  for (unsigned dim :
       llvm::seq<unsigned>(0, scope.getNativeNumProcessorIds())) {
    std::optional<int64_t> count =
        isLinear ? getLaunchCount(op, grid.scope) : std::nullopt;
    if (cluster) {
      std::optional<int64_t> lower =
          evaluate(cluster.getLowerBound(dim), op.getRanges(), count);
      std::optional<int64_t> upper =
          evaluate(cluster.getUpperBound(dim), op.getRanges(), count);
      count = lower && upper ? std::optional(*upper - *lower) : std::nullopt;
    }
    grid.counts.push_back(count ? OpFoldResult(builder.getIndexAttr(*count))
                                : OpFoldResult());
  }
  return grid;
}

WorkerGrid pcf::getWorkerGrid(RunClusterOp op) { return computeGrid(op); }

WorkerGrid pcf::getWorkerGrid(RunThreadOp op) { return computeGrid(op); }
