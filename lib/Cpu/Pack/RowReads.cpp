//===- RowReads.cpp - Reads along a row of memory -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowReads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

namespace {
/// Describes values that move with a loop's counter.
struct Movement {
  Value counter;
  function_ref<bool(Value)> isFixed;

  bool isStill(OpFoldResult value) const {
    auto operand = dyn_cast<Value>(value);
    return !operand || isFixed(operand);
  }
  /// Returns the dim whose index is the counter, if all others are
  /// loop-invariant.
  std::optional<unsigned> dimOf(ArrayRef<OpFoldResult> indices) const {
    std::optional<unsigned> found;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      if (dyn_cast<Value>(index) == counter && !found)
        found = dim;
      else if (!isStill(index))
        return std::nullopt;
    }
    return found;
  }
};
} // namespace

std::optional<RowRead>
distaff::matchRowRead(vector::TransferReadOp read, scf::ForOp loop,
                      function_ref<bool(Value)> isFixed) {
  Movement movement{loop.getInductionVar(), isFixed};
  auto memref = dyn_cast<MemRefType>(read.getBase().getType());
  if (!memref || read.getMask() || !movement.isStill(read.getPadding()) ||
      !isOneInteger(getAsOpFoldResult(loop.getStep())))
    return std::nullopt;
  RowRead row{read, nullptr, 0, 0};
  SmallVector<OpFoldResult> indices =
      getAsOpFoldResult(SmallVector<Value>(read.getIndices()));
  std::optional<unsigned> dim;
  if (isFixed(read.getBase())) {
    dim = movement.dimOf(indices);
  } else if (auto view = read.getBase().getDefiningOp<memref::SubViewOp>()) {
    if (!isFixed(view.getSource()) || view.getDroppedDims().any() ||
        !llvm::all_of(
            indices, [](OpFoldResult index) { return isZeroInteger(index); }) ||
        !llvm::all_of(view.getMixedStrides(),
                      [](OpFoldResult step) { return isOneInteger(step); }) ||
        !llvm::all_of(view.getMixedSizes(), [&](OpFoldResult size) {
          return movement.isStill(size);
        }))
      return std::nullopt;
    dim = movement.dimOf(view.getMixedOffsets());
    if (dim && !isOneInteger(view.getMixedSizes()[*dim]))
      return std::nullopt;
    row.view = view;
    memref = view.getSourceType();
  }
  if (!dim)
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) || strides[*dim] != 1)
    return std::nullopt;
  row.memrefDim = *dim;
  for (auto [i, expr] : llvm::enumerate(read.getPermutationMap().getResults()))
    if (auto position = dyn_cast<AffineDimExpr>(expr);
        position && position.getPosition() == *dim) {
      row.vectorDim = i;
      bool isInside = cast<BoolAttr>(read.getInBounds()[i]).getValue();
      if (read.getVectorType().getDimSize(i) == 1 && isInside)
        return row;
    }
  return std::nullopt;
}

SmallVector<int64_t> RowRead::shapeOf(int64_t steps) const {
  SmallVector<int64_t> shape(
      vector::TransferReadOp(read).getVectorType().getShape());
  shape[vectorDim] = steps;
  return shape;
}

/// Reads with the dims of the vector in another order.
Value RowRead::readInOrder(OpBuilder &b, Value at, int64_t steps,
                           ArrayRef<int64_t> dims, const IRMapping &map) const {
  assert(steps > 0 && "what is read of a row has steps");
  vector::TransferReadOp op = read;
  Location loc = op.getLoc();
  auto mapped = [&](Value value) { return map.lookupOrDefault(value); };
  Value base;
  SmallVector<Value> indices;
  if (memref::SubViewOp part = view) {
    auto mappedAll = [&](SmallVector<OpFoldResult> values) {
      for (OpFoldResult &value : values)
        if (auto operand = dyn_cast<Value>(value))
          value = mapped(operand);
      return values;
    };
    SmallVector<OpFoldResult> offsets = mappedAll(part.getMixedOffsets()),
                              sizes = mappedAll(part.getMixedSizes());
    offsets[memrefDim] = at;
    sizes[memrefDim] = b.getIndexAttr(steps);
    base = memref::SubViewOp::create(b, loc, mapped(part.getSource()), offsets,
                                     sizes, part.getMixedStrides());
    // The indices are zeros, which the loop may have created.
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    indices.assign(op.getIndices().size(), zero);
  } else {
    base = mapped(op.getBase());
    llvm::append_range(indices, llvm::map_range(op.getIndices(), mapped));
    indices[memrefDim] = at;
  }
  SmallVector<int64_t> all = shapeOf(steps), shape;
  SmallVector<AffineExpr> ofMemory;
  SmallVector<bool> inBounds;
  for (int64_t dim : dims) {
    shape.push_back(all[dim]);
    ofMemory.push_back(op.getPermutationMap().getResult(dim));
    inBounds.push_back(op.isDimInBounds(dim));
  }
  auto order = AffineMap::get(op.getPermutationMap().getNumDims(), 0, ofMemory,
                              b.getContext());
  return vector::TransferReadOp::create(
      b, loc, VectorType::get(shape, getElementTypeOrSelf(op)), base, indices,
      mapped(op.getPadding()), AffineMapAttr::get(order),
      b.getBoolArrayAttr(inBounds));
}

/// Returns the dims of a part, the one of the steps last.
SmallVector<int64_t> RowRead::stepsLast() const {
  int64_t rank = vector::TransferReadOp(read).getVectorType().getRank();
  SmallVector<int64_t> dims;
  for (int64_t dim : llvm::seq(rank))
    if (dim != vectorDim)
      dims.push_back(dim);
  dims.push_back(vectorDim);
  return dims;
}

Value RowRead::readSteps(OpBuilder &b, Value at, int64_t steps,
                         const IRMapping &map) const {
  int64_t rank = vector::TransferReadOp(read).getVectorType().getRank();
  return readInOrder(b, at, steps, llvm::to_vector(llvm::seq(rank)), map);
}

Value RowRead::readStepsLast(OpBuilder &b, Value at, int64_t steps,
                             const IRMapping &map) const {
  return readInOrder(b, at, steps, stepsLast(), map);
}

Value distaff::forSeveralSteps(
    OpBuilder &b, Location loc, Value from, Value to, ArrayRef<int64_t> widths,
    function_ref<void(OpBuilder &, Value, int64_t)> body) {
  assert(llvm::is_sorted(widths, std::greater<>()) &&
         llvm::all_of(widths, llvm::isPowerOf2_64) &&
         "widths are powers of two, the widest first");
  // A loop may begin after its end.
  Value span =
      arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, to, from),
                             arith::ConstantIndexOp::create(b, loc, 0));
  Value first = from;
  for (int64_t width : widths) {
    Value whole = arith::AndIOp::create(
        b, loc, span, arith::ConstantIndexOp::create(b, loc, -width));
    Value last = width == 1
                     ? to
                     : arith::AddIOp::create(b, loc, from, whole).getResult();
    scf::ForOp::create(
        b, loc, first, last, arith::ConstantIndexOp::create(b, loc, width),
        ValueRange(), [&](OpBuilder &in, Location, Value at, ValueRange) {
          body(in, at, width);
          scf::YieldOp::create(in, loc);
        });
    first = last;
  }
  return first;
}
