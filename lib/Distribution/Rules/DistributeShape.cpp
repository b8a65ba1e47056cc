//===- DistributeShape.cpp - vector.broadcast, transpose, shape_cast ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These ops rename indices. If the layouts correspond, which propagation
// ensures, every lane already holds what it needs and renames registers
// (VX-69).
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "distaff/Layout/Conversion.h"

using namespace distaff;

static LogicalResult
renamed(Operation *op, const Placement *from, const Placement *to,
        Distributor &out,
        function_ref<std::optional<SmallVector<int64_t>>()> sources) {
  std::optional<SmallVector<int64_t>> sourceOf = sources();
  if (!sourceOf)
    return out.refuseOwnMistake(
        op,
        "would have to move data between lanes: the source "
        "is laid out as " +
            toString(from->layout) + ", the result as " + toString(to->layout),
        from);
  OpBuilder b(op);
  Value source = out.get(b, op->getOpOperand(0));
  out.replace(op,
              renameRegisters(b, op->getLoc(), source, *sourceOf, to->shape()));
  return success();
}

LogicalResult distaff::distribute(vector::TransposeOp op, Distributor &out) {
  const Placement *from = out.placementOf(op.getVectorMutable());
  const Placement *to = out.placementOf(op.getResult());
  return renamed(op, from, to, out, [&] {
    // Result dim i is source dim p[i], so source dim p[i] is read at i.
    DimMap map(to->rank(), SmallVector<int64_t>(to->rank()));
    for (auto [at, dim] : llvm::enumerate(op.getPermutation()))
      map.results[dim] = at;
    return registerSource(from->layout, to->layout, map, out.hardware());
  });
}

LogicalResult distaff::distribute(vector::BroadcastOp op, Distributor &out) {
  auto sourceType = cast<VectorType>(op.getSourceType());
  const Placement *from = out.placementOf(op.getSourceMutable());
  const Placement *to = out.placementOf(op.getResult());
  return renamed(op, from, to, out, [&] {
    int64_t rank = to->rank(), added = rank - from->rank();
    DimMap map(rank, {});
    for (int64_t dim = 0; dim < from->rank(); ++dim) {
      bool stretched = sourceType.getDimSize(dim) == 1 &&
                       op.getResultVectorType().getDimSize(added + dim) != 1;
      map.results.push_back(stretched ? DimMap::Zero : added + dim);
    }
    return registerSource(from->layout, to->layout, map, out.hardware());
  });
}

LogicalResult distaff::distribute(vector::ShapeCastOp op, Distributor &out) {
  const Placement *from = out.placementOf(op.getSourceMutable());
  const Placement *to = out.placementOf(op.getResult());
  return renamed(op, from, to, out, [&] {
    return registerSourceByPosition(from->layout, to->layout, out.hardware());
  });
}
