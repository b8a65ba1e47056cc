//===- TransferSlice.cpp - Layouts of slices and of single elements -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// extract_strided_slice and insert_strided_slice keep the lanes of a dim if the
// slice covers whole rounds of them, that is T * E elements; any other slice
// needs the dim in every lane's own registers. from_elements and to_elements
// access single elements and need that for all dims, shuffle for the first,
// whose slices it permutes.
//
//   dim of 64 as B[4] T[8] E[2], elements [16, 48)   ->  B[2] T[8] E[2]
//   dim of 64 as B[4] T[8] E[2], elements [3, 35)    ->  no layout
//   dim of 64 as E[64],          elements [3, 35)    ->  E[32]
//
//===----------------------------------------------------------------------===//

#include "TransferRules.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vector_ext;

namespace {

/// Elements [offset, offset + size) of one dim of the larger vector.
struct Interval {
  int64_t offset, size;
};

} // namespace

static void keepInRegisters(NestedLayout &layout, int64_t dim, int64_t extent) {
  layout[dim].batchTile = layout[dim].outerTile = 1;
  layout[dim].elementTile = extent;
}

/// Changes `dim` to hold `extent` elements in rounds of the same size, if the
/// interval consists of whole rounds. Returns false if no layout does that.
static bool resizeDim(NestedLayout &layout, int64_t dim, Interval interval,
                      int64_t extent) {
  if (layout[dim].subgroupTile != 1)
    return false;
  int64_t round = layout[dim].threadTile * layout[dim].elementTile;
  auto takesWhole = [&](int64_t count) {
    return interval.offset % count == 0 && interval.size % count == 0 &&
           extent % count == 0;
  };
  if (takesWhole(round * layout[dim].outerTile)) {
    layout[dim].batchTile = extent / (round * layout[dim].outerTile);
    return true;
  }
  if (layout[dim].threadTile == 1) {
    keepInRegisters(layout, dim, extent);
    return true;
  }
  if (!takesWhole(round))
    return false;
  layout[dim].outerTile = 1;
  layout[dim].batchTile = extent / round;
  return true;
}

/// Returns the layout with each dim resized to `shape`; null if a dim cannot
/// be.
static VectorLayoutInterface resize(VectorLayoutInterface layout,
                                    ArrayRef<Interval> intervals,
                                    ArrayRef<int64_t> shape) {
  auto attr = dyn_cast<NestedLayoutAttr>(layout);
  if (!attr)
    return {};
  NestedLayout nested = attr.getNested();
  SmallVector<int64_t> old = nested.shape();
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (old[dim] != extent && !resizeDim(nested, dim, intervals[dim], extent))
      return {};
  nested.normalize();
  return NestedLayoutAttr::get(layout.getContext(), nested);
}

/// Returns one interval per dim of `shape`.
/// \post dims that the op does not name are whole
static SmallVector<Interval> intervalsOf(ArrayAttr offsets,
                                         ArrayRef<int64_t> sizes,
                                         ArrayRef<int64_t> shape) {
  SmallVector<Interval> intervals;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    int64_t offset =
        dim < offsets.size() ? cast<IntegerAttr>(offsets[dim]).getInt() : 0;
    intervals.push_back({offset, dim < sizes.size() ? sizes[dim] : extent});
  }
  return intervals;
}

static LogicalResult infer(vector::ExtractStridedSliceOp op,
                           Inference &inference) {
  ArrayRef<int64_t> whole = op.getSourceVectorType().getShape();
  ArrayRef<int64_t> part = cast<VectorType>(op.getType()).getShape();
  SmallVector<Interval> intervals = intervalsOf(op.getOffsets(), part, whole);
  return inference.relate(
      inference.operand(op.getSourceMutable()),
      inference.result(op.getResult()),
      [&](VectorLayoutInterface l) { return resize(l, intervals, part); },
      [&](VectorLayoutInterface l) { return resize(l, intervals, whole); });
}

static LogicalResult infer(vector::InsertStridedSliceOp op,
                           Inference &inference) {
  Slot dest = inference.operand(op.getDestMutable());
  Slot part = inference.operand(op.getValueToStoreMutable());
  Slot result = inference.result(op.getResult());
  ArrayRef<int64_t> whole = op.getDestVectorType().getShape();
  ArrayRef<int64_t> inserted = op.getSourceVectorType().getShape();
  int64_t dropped = whole.size() - inserted.size();
  SmallVector<int64_t> sizes(dropped, 1);
  llvm::append_range(sizes, inserted);
  SmallVector<Interval> intervals = intervalsOf(op.getOffsets(), sizes, whole);
  if (failed(inference.equal(dest, result)))
    return failure();
  auto slice = [&](VectorLayoutInterface layout) {
    VectorLayoutInterface sliced = resize(layout, intervals, sizes);
    llvm::SmallBitVector leading(whole.size());
    leading.set(0, dropped);
    return sliced ? sliced.project(leading) : sliced;
  };
  // A part of lower rank does not determine the other dims.
  if (dropped != 0)
    return inference.determines(dest, part, slice);
  if (failed(inference.relate(dest, part, slice,
                              [&](VectorLayoutInterface layout) {
                                return resize(layout, intervals, whole);
                              })))
    return failure();
  return inference.equal(dest, result);
}

/// Requires that every vector of the op lies whole in each lane.
static LogicalResult inferWhole(Operation *op, Inference &inference) {
  auto settle = [&](Type type, VectorLayoutInterface &layout) {
    VectorLayoutInterface whole = registerLayout(cast<VectorType>(type));
    if (!layout)
      layout = whole;
    return inference.equal(&layout, &whole);
  };
  OpLayouts &slots = inference.slots;
  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts))
    if (failed(settle(operand->get().getType(), layout)))
      return failure();
  for (auto [result, layout] :
       llvm::zip_equal(slots.results, slots.resultLayouts))
    if (failed(settle(result.getType(), layout)))
      return failure();
  return success();
}

/// Returns the layout with the first dim whole in every lane; null if it is
/// not.
static VectorLayoutInterface withRows(VectorLayoutInterface layout,
                                      int64_t rows) {
  auto attr = dyn_cast<NestedLayoutAttr>(layout);
  if (!attr)
    return {};
  NestedLayout nested = attr.getNested();
  if (nested[0].subgroupTile != 1 || nested[0].threadTile != 1)
    return {};
  keepInRegisters(nested, 0, rows);
  nested.normalize();
  return NestedLayoutAttr::get(layout.getContext(), nested);
}

/// Requires all rows in every lane, with the same parts of each vector.
static LogicalResult infer(vector::ShuffleOp op, Inference &inference) {
  VectorType types[] = {op.getV1VectorType(), op.getV2VectorType(),
                        op.getResultVectorType()};
  if (types[0].getRank() < 2)
    return inferWhole(op, inference);
  Slot slots[] = {inference.operand(op.getV1Mutable()),
                  inference.operand(op.getV2Mutable()),
                  inference.result(op.getResult())};
  for (Slot slot : slots)
    if (*slot && !withRows(*slot, 1))
      return inference.contradiction(
          inference.describe(slot) + " is laid out as " + shortNotation(*slot) +
              ", where a lane has not all of dim 0, along which vector.shuffle "
              "picks",
          "convert it by an 'iree_vector_ext.to_layout' to a nested_layout "
          "with subgroup_tile and thread_tile 1 there");
  for (auto [a, b] :
       {std::pair(0, 2), std::pair(1, 2), std::pair(0, 1), std::pair(0, 2)}) {
    auto rowsOf = [&](int index) {
      return [rows = types[index].getDimSize(0)](VectorLayoutInterface layout) {
        return withRows(layout, rows);
      };
    };
    auto toB = rowsOf(b), toA = rowsOf(a);
    if (failed(inference.relate(slots[a], slots[b], toB, toA)))
      return failure();
  }
  return success();
}

std::optional<LogicalResult> distaff::inferSliceOp(Operation *op,
                                                   Inference &inference) {
  if (isa<vector::FromElementsOp, vector::ToElementsOp>(op))
    return inferWhole(op, inference);
  return TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
            vector::ShuffleOp>(
          [&](auto slice) { return infer(slice, inference); })
      .Default(std::nullopt);
}
