//===- RecurrenceSteps.cpp - One step of a recurrence on vectors ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RecurrenceWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns the number that all elements of a tensor equal, in the launch; null
/// if there is none or it is not known.
Value RecurrenceWriter::constantOf(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return outside.lookup(fill.value());
  DenseElementsAttr data;
  if (isa<ShapedType>(value.getType()) &&
      matchPattern(value, m_Constant(&data)) && data.isSplat())
    return arith::ConstantOp::create(b, loc, data.getSplatValue<TypedAttr>());
  return nullptr;
}

/// Returns a scalar of the source, in the launch.
Value RecurrenceWriter::scalarOf(Value value) {
  if (Value own = values.lookup(value))
    return own;
  if (Operation *maker = value.getDefiningOp();
      isScalarLoop(maker) && !outside.contains(value))
    cloneScalarLoop(maker);
  return outside.lookup(value);
}

/// Clones a loop that counts iterations into the launch that uses the count.
void RecurrenceWriter::cloneScalarLoop(Operation *loop) {
  llvm::SetVector<Value> used;
  used.insert_range(loop->getOperands());
  getUsedValuesDefinedAbove(loop->getRegions(), used);
  for (Value value : used)
    (void)scalarOf(value);
  b.clone(*loop, outside);
}

OpFoldResult RecurrenceWriter::scalarOf(OpFoldResult value) {
  auto known = dyn_cast<Value>(value);
  return known ? getAsOpFoldResult(scalarOf(known)) : value;
}

/// Returns a scalar or tensor of the source as a scalar or a vector of the
/// channels.
Value RecurrenceWriter::numberOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return scalarOf(value);
  if (Value own = values.lookup(value))
    return own;
  if (Value number = constantOf(value))
    return number;
  if (Value memory = memoryOf(value)) {
    SmallVector<unsigned> dims = dimsOfChannels(type);
    return read(
        memory,
        {SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(0)), dims},
        isOwn(value));
  }
  // The tensor was never written.
  return arith::ConstantOp::create(b, loc,
                                   b.getZeroAttr(type.getElementType()));
}

Value RecurrenceWriter::spread(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(tile, value.getType()), value);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns a slice without the dims at a single position. In a workgroup's own
/// memory the channels are those of the workgroup.
Value RecurrenceWriter::slice(Value whole, const TensorPiece &piece,
                              bool isOwn) {
  auto type = cast<RankedTensorType>(whole.getType());
  SmallVector<OpFoldResult> at(piece.offsets),
      count(type.getRank(), b.getIndexAttr(1)),
      ones(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  AffineExpr x = b.getAffineSymbolExpr(0), y = b.getAffineSymbolExpr(1);
  for (auto [channel, dim] : llvm::enumerate(piece.channelDims)) {
    if (!isOwn)
      at[dim] = formula(x + y, {at[dim], offsets[channel]});
    count[dim] = sizes[channel];
    shape.push_back(
        getConstantIntValue(sizes[channel]).value_or(ShapedType::kDynamic));
  }
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), whole, at,
      count, ones);
}

static SmallVector<bool> fitsIn(Value tensor, ArrayRef<int64_t> shape) {
  SmallVector<bool> inBounds;
  for (auto [have, want] : llvm::zip_equal(
           cast<RankedTensorType>(tensor.getType()).getShape(), shape))
    inBounds.push_back(have == want);
  return inBounds;
}

Value RecurrenceWriter::read(Value whole, const TensorPiece &piece,
                             bool isOwn) {
  Value part = slice(whole, piece, isOwn);
  auto type = cast<RankedTensorType>(part.getType());
  Type element = type.getElementType();
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  SmallVector<int64_t> shape(piece.channelDims.empty() ? ArrayRef<int64_t>()
                                                       : ArrayRef(tile));
  SmallVector<Value> origin(shape.size(), Value());
  for (Value &at : origin)
    at = arith::ConstantIndexOp::create(b, loc, 0);
  Value vector =
      vector::TransferReadOp::create(b, loc, VectorType::get(shape, element),
                                     part, origin, none, fitsIn(part, shape));
  return shape.empty() ? vector::ExtractOp::create(b, loc, vector).getResult()
                       : vector;
}

/// Returns `part`, a slice as above, after the value is written to it.
Value RecurrenceWriter::writeInto(Value value, Value part) {
  bool isElement = cast<RankedTensorType>(part.getType()).getRank() == 0;
  Value vector = isElement
                     ? vector::BroadcastOp::create(
                           b, loc, VectorType::get({}, value.getType()), value)
                           .getResult()
                     : spread(value);
  ArrayRef<int64_t> shape = cast<VectorType>(vector.getType()).getShape();
  SmallVector<Value> origin(shape.size(), Value());
  for (Value &at : origin)
    at = arith::ConstantIndexOp::create(b, loc, 0);
  return vector::TransferWriteOp::create(b, loc, vector, part, origin,
                                         fitsIn(part, shape))
      .getResult();
}

/// Returns `whole` with a slice of it replaced.
Value RecurrenceWriter::writePiece(Value value, Value whole,
                                   const TensorPiece &piece) {
  Value part = slice(whole, piece, /*isOwn=*/true);
  auto from = part.getDefiningOp<tensor::ExtractSliceOp>();
  return tensor::InsertSliceOp::create(
      b, loc, writeInto(value, part), whole, from.getMixedOffsets(),
      from.getMixedSizes(), from.getMixedStrides());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

TensorPiece RecurrenceWriter::pieceOf(OffsetSizeAndStrideOpInterface slice) {
  TensorPiece piece;
  for (OpFoldResult offset : slice.getMixedOffsets())
    piece.offsets.push_back(scalarOf(offset));
  piece.channelDims = dimsOfChannels(slice);
  return piece;
}

TensorPiece RecurrenceWriter::elementOf(ValueRange indices) {
  TensorPiece piece;
  for (Value index : indices)
    piece.offsets.push_back(getAsOpFoldResult(scalarOf(index)));
  return piece;
}

/// Clones an op of scalars, or makes one of vectors where an operand is one.
Value RecurrenceWriter::compute(Operation &op, IRMapping &known) {
  SmallVector<Value> operands;
  bool isSpread = false;
  for (Value operand : op.getOperands()) {
    operands.push_back(known.contains(operand) ? known.lookup(operand)
                                               : numberOf(operand));
    isSpread |= isa<VectorType>(operands.back().getType());
  }
  if (isSpread)
    for (Value &operand : operands)
      operand = spread(operand);
  Type element = getElementTypeOrSelf(op.getResult(0).getType());
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(operands);
  state.addTypes(isSpread ? VectorType::get(tile, element) : element);
  state.addAttributes(op.getAttrs());
  return b.create(state)->getResult(0);
}

/// Returns the position of a point along an op's loop: only loops of channels
/// have others than 0.
Value RecurrenceWriter::positionOf(linalg::LinalgOp op, linalg::IndexOp index) {
  OpOperand *init = op.getDpsInitOperand(0);
  auto type = cast<ShapedType>(init->get().getType());
  for (auto [channel, dim] : llvm::enumerate(dimsOfChannels(type))) {
    auto loop =
        dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(init).getResult(dim));
    if (!loop || loop.getPosition() != index.getDim())
      continue;
    auto all = VectorType::get(tile, b.getIndexType());
    Value steps = vector::StepOp::create(
        b, loc, VectorType::get({tile[channel]}, b.getIndexType()));
    SmallVector<int64_t> ones(tile.size(), 1);
    ones[channel] = tile[channel];
    steps = vector::BroadcastOp::create(
        b, loc, all,
        vector::ShapeCastOp::create(
            b, loc, VectorType::get(ones, b.getIndexType()), steps));
    return arith::AddIOp::create(b, loc, steps,
                                 spread(indexOf(offsets[channel])));
  }
  return arith::ConstantIndexOp::create(b, loc, 0);
}

void RecurrenceWriter::writeElementwise(linalg::LinalgOp op) {
  IRMapping known;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument.use_empty())
      known.map(argument, numberOf(operand.get()));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    known.map(inner.getResult(0),
              index ? positionOf(op, index) : compute(inner, known));
  }
  for (auto [result, yielded] : llvm::zip_equal(
           op->getResults(), op.getBlock()->getTerminator()->getOperands()))
    values[result] =
        known.contains(yielded) ? known.lookup(yielded) : numberOf(yielded);
}

void RecurrenceWriter::writeStep(Operation &op) {
  if (auto take = dyn_cast<tensor::ExtractSliceOp>(op)) {
    values[take] = read(memoryOf(take.getSource()), pieceOf(take),
                        isOwn(take.getSource()));
  } else if (auto put = dyn_cast<tensor::InsertSliceOp>(op)) {
    memory[put] = writePiece(numberOf(put.getSource()), memoryOf(put.getDest()),
                             pieceOf(put));
  } else if (auto take = dyn_cast<tensor::ExtractOp>(op)) {
    Value whole = take.getTensor();
    values[take] =
        values.contains(whole)
            ? values.lookup(whole)
            : read(memoryOf(whole), elementOf(take.getIndices()), isOwn(whole));
  } else if (auto put = dyn_cast<tensor::InsertOp>(op)) {
    memory[put] = writePiece(scalarOf(put.getScalar()), memoryOf(put.getDest()),
                             elementOf(put.getIndices()));
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    writeElementwise(linalgOp);
  } else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                 tensor::CastOp>(op)) {
    values[op.getResult(0)] = numberOf(op.getOperand(0));
  } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    Value whole = dim.getSource();
    while (Operation *put = isOwn(whole) ? whole.getDefiningOp() : nullptr)
      whole = put->getOperand(1);
    if (isOwn(whole))
      whole =
          source.getInitArgs()[cast<BlockArgument>(whole).getArgNumber() - 1];
    values[dim] = indexOf(extentOf(whole, *dim.getConstantIndex()));
  } else if (DenseElementsAttr data;
             isa<ShapedType>(op.getResult(0).getType()) &&
             matchPattern(&op, m_Constant(&data))) {
    values[op.getResult(0)] =
        arith::ConstantOp::create(b, loc, data.getSplatValue<TypedAttr>());
  } else if (!isa<tensor::EmptyOp>(op)) {
    IRMapping none;
    values[op.getResult(0)] = compute(op, none);
  }
}
