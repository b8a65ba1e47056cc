//===- SliceGroups.cpp - Slices of interleaves and bitcasts ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vector.interleave, deinterleave and bitcast make a *group* of neighbours from
// one element each, or one element from a group (VX-196). Tiles make slices
// begin and end at groups; a slice that does not, for example at an odd offset,
// is extracted from the groups around it.
//
//===----------------------------------------------------------------------===//
#include "SliceGroups.h"
#include "Slicer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace distaff;
using namespace distaff::vectortiles;

std::optional<ElementGroups> vectortiles::groupsOf(Operation *op) {
  if (auto interleave = dyn_cast<vector::InterleaveOp>(op);
      interleave && interleave.getSourceVectorType().getRank() > 0)
    return ElementGroups{1, 2};
  if (isa<vector::DeinterleaveOp>(op))
    return ElementGroups{2, 1};
  auto cast = dyn_cast<vector::BitCastOp>(op);
  if (!cast || cast.getResultVectorType().getRank() == 0)
    return std::nullopt;
  int64_t source = cast.getSourceVectorType().getElementTypeBitWidth();
  int64_t result = cast.getResultVectorType().getElementTypeBitWidth();
  int64_t bits = std::lcm(source, result);
  return ElementGroups{bits / source, bits / result};
}

/// Returns the slice of a source that a slice of a result is computed from.
Slice Slicer::groupsOfSource(const ElementGroups &groups, const Slice &part) {
  Slice of = part;
  of.offsets.back() =
      over(times(part.offsets.back(), groups.source), groups.result);
  of.sizes.back() = part.sizes.back() * groups.source / groups.result;
  return of;
}

/// Returns `size` elements of a slice along the row, from `first` on.
static Value rowPart(OpBuilder &b, Location loc, Value vector, int64_t first,
                     int64_t size) {
  SmallVector<int64_t> sizes(cast<VectorType>(vector.getType()).getShape());
  SmallVector<int64_t> offsets(sizes.size(), 0), strides(sizes.size(), 1);
  if (sizes.back() == size)
    return vector;
  offsets.back() = first;
  sizes.back() = size;
  return vector::ExtractStridedSliceOp::create(b, loc, vector, offsets, sizes,
                                               strides);
}

/// Returns the element of each group at a place that is not constant.
static Value memberOf(OpBuilder &b, Location loc, Value group, Value place) {
  int64_t size = cast<VectorType>(group.getType()).getShape().back();
  Value member = rowPart(b, loc, group, 0, 1);
  for (int64_t i = 1; i < size; ++i) {
    Value isHere =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place,
                              arith::ConstantIndexOp::create(b, loc, i));
    member = arith::SelectOp::create(b, loc, isHere,
                                     rowPart(b, loc, group, i, 1), member);
  }
  return member;
}

/// Computes a slice that begins or ends within a group.
Value Slicer::ofGroups(Value vector, int64_t group, const Slice &part) {
  Location loc = vector.getLoc();
  Offset first = part.offsets.back();
  int64_t size = part.sizes.back();
  Slice around = part;
  if (alignmentOf({first.base, 0}) % group == 0) {
    int64_t lead = first.constant % group;
    around.offsets.back() = first + -lead;
    around.sizes.back() = llvm::alignTo(lead + size, group);
    return rowPart(builder, loc, slice(vector, around), lead, size);
  }
  // The place of an element in its group is known at run time only.
  around.sizes.back() = group;
  SmallVector<int64_t> offsets(part.sizes.size(), 0);
  SmallVector<int64_t> strides(part.sizes.size(), 1);
  Value all;
  for (int64_t i = 0; i < size; ++i) {
    around.offsets.back() = groupAround(first + i, group);
    Value place = arith::SubIOp::create(builder, loc, valueOf(first + i),
                                        valueOf(around.offsets.back()));
    Value member = memberOf(builder, loc, slice(vector, around), place);
    if (size == 1)
      return member;
    if (!all)
      all = vector::BroadcastOp::create(builder, loc, typeOf(vector, part),
                                        member);
    offsets.back() = i;
    all = vector::InsertStridedSliceOp::create(builder, loc, member, all,
                                               offsets, strides);
  }
  return all;
}

/// Computes a slice with elements past the end of the row: the elements inside,
/// followed by zeros.
Value Slicer::groupsInside(Value vector, const Slice &part) {
  Slice inside = part;
  inside.sizes.back() -= part.offsets.back().outside;
  inside.offsets.back().outside = 0;
  VectorType type = typeOf(vector, part);
  Value zeros = arith::ConstantOp::create(builder, vector.getLoc(),
                                          builder.getZeroAttr(type));
  return vector::InsertStridedSliceOp::create(
      builder, vector.getLoc(), slice(vector, inside), zeros,
      SmallVector<int64_t>(part.sizes.size(), 0),
      SmallVector<int64_t>(part.sizes.size(), 1));
}

Value Slicer::computeGroups(Operation *op, Value vector, const Slice &part) {
  ElementGroups groups = *groupsOf(op);
  if (part.offsets.back().outside > 0)
    return groupsInside(vector, part);
  if (alignmentOf(part.offsets.back()) % groups.result != 0 ||
      part.sizes.back() % groups.result != 0)
    return ofGroups(vector, groups.result, part);
  Slice of = groupsOfSource(groups, part);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(slice(operand, of));
  return recreate(op, vector, operands, part);
}
