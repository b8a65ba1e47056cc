//===- WrittenVectors.cpp - Tensors whose elements are vectors ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WrittenVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns the box of a slice, if it is constant and has unit strides.
template <typename SliceOp>
static std::optional<VectorBox> getBox(SliceOp slice) {
  if (!slice.hasUnitStride() ||
      llvm::any_of(slice.getStaticSizes(), ShapedType::isDynamic))
    return std::nullopt;
  VectorBox box{{}, llvm::to_vector(slice.getStaticSizes())};
  for (OpFoldResult offset : slice.getMixedOffsets()) {
    std::optional<int64_t> number = getConstantIntValue(offset);
    if (!number)
      return std::nullopt;
    box.offsets.push_back(*number);
  }
  return box;
}

static bool isWhole(const VectorBox &box, ArrayRef<int64_t> shape) {
  return llvm::all_of(box.offsets, [](int64_t o) { return o == 0; }) &&
         ArrayRef(box.shape) == shape;
}

/// Returns the box that a write writes, if it is known and in bounds; along
/// dimensions that the vector lacks it is one element.
static std::optional<VectorBox> getBox(vector::TransferWriteOp write) {
  auto type = dyn_cast<RankedTensorType>(write.getShapedType());
  if (!type || write.getMask() || write.hasOutOfBoundsDim() ||
      !write.getPermutationMap().isProjectedPermutation())
    return std::nullopt;
  VectorBox box;
  for (Value index : write.getIndices()) {
    std::optional<int64_t> offset = getConstantIntValue(index);
    if (!offset)
      return std::nullopt;
    box.offsets.push_back(*offset);
  }
  box.shape.assign(type.getRank(), 1);
  for (auto [dim, extent] :
       llvm::zip_equal(write.getPermutationMap().getResults(),
                       write.getVectorType().getShape()))
    box.shape[cast<AffineDimExpr>(dim).getPosition()] = extent;
  return box;
}

/// Returns the written vector with its dimensions in the order of the tensor's.
static Value getInOrder(OpBuilder &builder, Location loc,
                        vector::TransferWriteOp write) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, write.getVectorType().getRank()));
  AffineMap map = write.getPermutationMap();
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return map.getDimPosition(a) < map.getDimPosition(b);
  });
  if (llvm::is_sorted(order))
    return write.getVector();
  return vector::TransposeOp::create(builder, loc, write.getVector(), order);
}

/// Returns the numbers of a constant, null for other values.
static DenseElementsAttr getNumbers(Value tensor) {
  DenseElementsAttr numbers;
  matchPattern(tensor, m_Constant(&numbers));
  return numbers;
}

bool pcf::isWrittenVector(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Operation *op = tensor.getDefiningOp();
  if (!op || !type.hasStaticShape() || type.getNumElements() == 0)
    return false;
  if (getNumbers(tensor))
    return true;
  auto isBase = [](Value base) {
    return base.getDefiningOp<tensor::EmptyOp>() || isWrittenVector(base);
  };
  if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
    std::optional<VectorBox> box = getBox(write);
    return box && (::isWhole(*box, type.getShape()) || isBase(write.getBase()));
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return getBox(insert) && isWrittenVector(insert.getSource()) &&
           isBase(insert.getDest());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return getBox(slice) && isWrittenVector(slice.getSource());
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) &&
         isWrittenVector(op->getOperand(0));
}

static VectorType getVectorType(Value tensor, ArrayRef<int64_t> shape) {
  return VectorType::get(shape, getElementTypeOrSelf(tensor.getType()));
}

static Value reshape(OpBuilder &builder, Location loc, Value vector,
                     ArrayRef<int64_t> shape) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getShape() == shape)
    return vector;
  return vector::ShapeCastOp::create(
      builder, loc, VectorType::get(shape, type.getElementType()), vector);
}

Value pcf::cutVector(OpBuilder &builder, Location loc, Value vector,
                     const VectorBox &box, ArrayRef<int64_t> shape) {
  auto type = cast<VectorType>(vector.getType());
  if (!::isWhole(box, type.getShape()))
    vector = vector::ExtractStridedSliceOp::create(
        builder, loc, vector, box.offsets, box.shape,
        SmallVector<int64_t>(box.shape.size(), 1));
  return reshape(builder, loc, vector, shape);
}

Value pcf::makeWrittenVector(OpBuilder &builder, Location loc, Value tensor) {
  Operation *op = tensor.getDefiningOp();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  auto putIn = [&](Value part, Value base, const VectorBox &box) -> Value {
    part = reshape(builder, loc, part, box.shape);
    if (::isWhole(box, shape))
      return part;
    // An empty tensor may have any elements: zeros.
    Value whole = isWrittenVector(base)
                      ? makeWrittenVector(builder, loc, base)
                      : arith::ConstantOp::create(
                            builder, loc,
                            builder.getZeroAttr(getVectorType(base, shape)));
    return vector::InsertStridedSliceOp::create(
        builder, loc, part, whole, box.offsets,
        SmallVector<int64_t>(box.shape.size(), 1));
  };
  if (DenseElementsAttr numbers = getNumbers(tensor))
    return arith::ConstantOp::create(
        builder, loc, numbers.reshape(getVectorType(tensor, shape)));
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return putIn(getInOrder(builder, loc, write), write.getBase(),
                 *getBox(write));
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return putIn(makeWrittenVector(builder, loc, insert.getSource()),
                 insert.getDest(), *getBox(insert));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return cutVector(builder, loc,
                     makeWrittenVector(builder, loc, slice.getSource()),
                     *getBox(slice), shape);
  return reshape(builder, loc,
                 makeWrittenVector(builder, loc, op->getOperand(0)), shape);
}

/// Returns index zero for each dimension.
static SmallVector<Value> makeOriginIndices(OpBuilder &builder, Location loc,
                                            int64_t rank) {
  SmallVector<Value> zeros(rank);
  for (Value &zero : zeros)
    zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return zeros;
}

Value pcf::readTensor(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  // The padding is not used: the read is in bounds.
  Value padding = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      builder, loc, getVectorType(tensor, type.getShape()), tensor,
      makeOriginIndices(builder, loc, rank), padding,
      SmallVector<bool>(rank, true));
}

Value pcf::writeVector(OpBuilder &builder, Location loc, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  return vector::TransferWriteOp::create(
             builder, loc, vector, empty,
             makeOriginIndices(builder, loc, type.getRank()),
             SmallVector<bool>(type.getRank(), true))
      .getResult();
}
