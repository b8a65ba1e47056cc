//===- ClusterFrame.cpp - Bounds of clusters as values --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ClusterFrame.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether a bound of a cluster is the number 0.
static bool isZero(AffineExpr bound) {
  auto constant = dyn_cast<AffineConstantExpr>(bound);
  return constant && constant.getValue() == 0;
}

Value pcf::makeBound(OpBuilder &builder, Location loc, AffineExpr bound,
                     const ClusterFrame &frame, ValueRange ranges) {
  if (auto dim = dyn_cast<AffineDimExpr>(bound))
    return ranges[dim.getPosition()];
  if (auto count = dyn_cast<AffineSymbolExpr>(bound))
    return frame.counts[count.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(bound))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  SmallVector<Value> operands(ranges);
  llvm::append_range(operands, frame.counts);
  auto map = AffineMap::get(ranges.size(), frame.counts.size(), bound);
  affine::canonicalizeMapAndOperands(&map, &operands);
  return affine::AffineApplyOp::create(builder, loc, map, operands);
}

SmallVector<Value> pcf::makeLocalIds(OpBuilder &builder, Location loc,
                                     ClusterType cluster,
                                     const ClusterFrame &frame,
                                     ValueRange ranges) {
  SmallVector<Value> ids(frame.ids);
  for (auto [dim, id] : llvm::enumerate(ids)) {
    AffineExpr bound = cluster.getLowerBound(dim);
    if (isZero(bound))
      continue;
    Value lower = makeBound(builder, loc, bound, frame, ranges);
    id = arith::SubIOp::create(builder, loc, id, lower);
  }
  return ids;
}

Value pcf::countMembers(OpBuilder &builder, Location loc, ClusterType cluster,
                        const ClusterFrame &frame, ValueRange ranges) {
  Value members;
  for (int64_t dim : llvm::seq(cluster.getRank())) {
    Value extent =
        makeBound(builder, loc, cluster.getUpperBound(dim), frame, ranges);
    if (AffineExpr lower = cluster.getLowerBound(dim); !isZero(lower))
      extent = arith::SubIOp::create(
          builder, loc, extent, makeBound(builder, loc, lower, frame, ranges));
    members =
        members ? arith::MulIOp::create(builder, loc, members, extent) : extent;
  }
  return members;
}
