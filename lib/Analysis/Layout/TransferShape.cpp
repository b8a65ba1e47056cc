//===- TransferShape.cpp - Layouts through ops that move or rename dims ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// transpose, broadcast, shape_cast, bitcast, interleave, deinterleave, extract,
// insert.
//
//===----------------------------------------------------------------------===//

#include "TransferRules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vector_ext;

static LogicalResult infer(vector::TransposeOp op, Inference &inference) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> inverse = invertPermutationVector(permutation);
  return inference.relate(
      inference.operand(op.getVectorMutable()),
      inference.result(op.getResult()),
      [&](VectorLayoutInterface layout) { return layout.permute(permutation); },
      [&](VectorLayoutInterface layout) { return layout.permute(inverse); });
}

/// Returns the dims of a broadcast's source over those of its result: new
/// leading dims are absent, a stretched unit dim is the constant 0.
static AffineMap broadcastMap(VectorType source, VectorType result) {
  MLIRContext *context = result.getContext();
  int64_t added = result.getRank() - source.getRank();
  SmallVector<AffineExpr> dims;
  for (int64_t i = 0; i < source.getRank(); ++i) {
    bool stretched = source.getDimSize(i) != result.getDimSize(added + i);
    dims.push_back(stretched ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(added + i, context));
  }
  return AffineMap::get(result.getRank(), 0, dims, context);
}

static LogicalResult infer(vector::BroadcastOp op, Inference &inference) {
  auto source = dyn_cast<VectorType>(op.getSourceType());
  if (!source)
    return success();
  auto result = cast<VectorType>(op.getType());
  Slot sourceSlot = inference.operand(op.getSourceMutable());
  Slot resultSlot = inference.result(op.getResult());
  if (source.getShape() == result.getShape())
    return inference.equal(sourceSlot, resultSlot);
  // New dims of extent 1 leave nothing open.
  if (source.getNumElements() == result.getNumElements())
    return inference.relate(
        sourceSlot, resultSlot,
        [&](VectorLayoutInterface layout) {
          return layout.reshape(result.getShape());
        },
        [&](VectorLayoutInterface layout) {
          return layout.reshape(source.getShape());
        });
  AffineMap map = broadcastMap(source, result);
  return inference.determines(
      resultSlot, sourceSlot,
      [&](VectorLayoutInterface layout) { return layout.apply(map); });
}

static LogicalResult infer(vector::ShapeCastOp op, Inference &inference) {
  ArrayRef<int64_t> from = op.getSourceVectorType().getShape();
  ArrayRef<int64_t> to = op.getResultVectorType().getShape();
  return inference.relate(
      inference.operand(op.getSourceMutable()),
      inference.result(op.getResult()),
      [&](VectorLayoutInterface layout) { return layout.reshape(to); },
      [&](VectorLayoutInterface layout) { return layout.reshape(from); });
}

/// Returns the layout whose last dim ends in `from / to` times as many
/// registers, which hold neighbours; null if that is no whole number. The
/// strides of slower registers are scaled likewise.
static VectorLayoutInterface scaleDigits(VectorLayoutInterface layout,
                                         int64_t from, int64_t to) {
  SmallVector<SmallVector<Digit>> dims = getDigits(layout.getLayout());
  SmallVector<Digit> &last = dims.back();
  Digit innermost{Axis::Register, 1, 1};
  if (!last.empty() && last.back().axis == Axis::Register)
    innermost = last.pop_back_val();
  int64_t next = innermost.stride * innermost.size;
  innermost.size *= from;
  if (innermost.size % to != 0)
    return {};
  innermost.size /= to;
  for (SmallVector<Digit> &digits : dims)
    for (Digit &digit : digits)
      if (digit.axis == Axis::Register && digit.stride >= next)
        digit.stride = digit.stride * from / to;
  last.push_back(innermost);
  return getLayoutAttr(layout.getContext(), Layout::get(dims));
}

/// Returns the layout whose innermost element tile is `from / to` times larger;
/// null if that is no whole number.
static VectorLayoutInterface scaleLastElement(VectorLayoutInterface layout,
                                              int64_t from, int64_t to) {
  if (layout.getRank() == 0 || from == to)
    return from == to ? layout : VectorLayoutInterface();
  auto attr = dyn_cast<NestedLayoutAttr>(layout);
  if (!attr)
    return scaleDigits(layout, from, to);
  NestedLayout nested = attr.getNested();
  int64_t scaled = nested.dims.back().elementTile * from;
  if (scaled % to != 0)
    return {};
  nested.dims.back().elementTile = scaled / to;
  return NestedLayoutAttr::get(layout.getContext(), nested);
}

static LogicalResult scalesBy(Slot source, Slot result, int64_t from,
                              int64_t to, Inference &inference) {
  return inference.relate(
      source, result,
      [&](VectorLayoutInterface layout) {
        return scaleLastElement(layout, from, to);
      },
      [&](VectorLayoutInterface layout) {
        return scaleLastElement(layout, to, from);
      });
}

static LogicalResult infer(vector::BitCastOp op, Inference &inference) {
  return scalesBy(inference.operand(op.getSourceMutable()),
                  inference.result(op.getResult()),
                  op.getSourceVectorType().getElementTypeBitWidth(),
                  op.getResultVectorType().getElementTypeBitWidth(), inference);
}

/// Relates two vectors of rank 0, which all threads have, to two registers.
static LogicalResult infersPair(Slot source, Slot result, MLIRContext *context,
                                Inference &inference) {
  VectorLayoutInterface none = getLayoutAttr(context, Layout::get({}));
  VectorLayoutInterface pair =
      getLayoutAttr(context, Layout::get({{{Axis::Register, 2, 1}}}));
  return inference.relate(
      source, result, [&](VectorLayoutInterface) { return pair; },
      [&](VectorLayoutInterface layout) {
        return layout == pair ? none : VectorLayoutInterface();
      });
}

static LogicalResult infer(vector::InterleaveOp op, Inference &inference) {
  Slot result = inference.result(op.getResult());
  if (op.getSourceVectorType().getRank() == 0)
    return success(succeeded(infersPair(inference.operand(op.getLhsMutable()),
                                        result, op.getContext(), inference)) &&
                   succeeded(infersPair(inference.operand(op.getRhsMutable()),
                                        result, op.getContext(), inference)));
  if (failed(scalesBy(inference.operand(op.getLhsMutable()), result, 2, 1,
                      inference)))
    return failure();
  return scalesBy(inference.operand(op.getRhsMutable()), result, 2, 1,
                  inference);
}

static LogicalResult infer(vector::DeinterleaveOp op, Inference &inference) {
  Slot source = inference.operand(op.getSourceMutable());
  if (failed(scalesBy(source, inference.result(op.getRes1()), 1, 2, inference)))
    return failure();
  return scalesBy(source, inference.result(op.getRes2()), 1, 2, inference);
}

/// Returns the mask of the first `count` of `rank` dims.
static llvm::SmallBitVector leadingDims(int64_t rank, int64_t count) {
  llvm::SmallBitVector dims(rank);
  dims.set(0, count);
  return dims;
}

static LogicalResult infer(vector::ExtractOp op, Inference &inference) {
  return inference.projects(
      inference.operand(op.getSourceMutable()),
      leadingDims(op.getSourceVectorType().getRank(), op.getNumIndices()),
      inference.result(op.getResult()));
}

static LogicalResult infer(vector::InsertOp op, Inference &inference) {
  Slot dest = inference.operand(op.getDestMutable());
  if (failed(inference.equal(dest, inference.result(op.getResult()))))
    return failure();
  return inference.projects(
      dest, leadingDims(op.getDestVectorType().getRank(), op.getNumIndices()),
      inference.operand(op.getValueToStoreMutable()));
}

std::optional<LogicalResult> distaff::inferShapeOp(Operation *op,
                                                   Inference &inference) {
  return TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<vector::TransposeOp, vector::BroadcastOp, vector::ShapeCastOp,
            vector::BitCastOp, vector::InterleaveOp, vector::DeinterleaveOp,
            vector::ExtractOp, vector::InsertOp>(
          [&](auto shapeOp) { return infer(shapeOp, inference); })
      .Default(std::nullopt);
}
