//===- VectorizeEdges.cpp - Vectorization of boundary tiles ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes are bounded by a slice, the workgroup's part of the tensor.
// Read:
//
//   %a = tensor.extract_slice %A[%i, %k] [%m, %n] [1, 1]
//   %p = tensor.pad %a high[..] { zero }  : to tensor<64x16xf16>
//   =>
//   %v = vector.transfer_read %a[0, 0], %zero
//       : tensor<?x?xf16>, vector<64x16xf16>
//   %p = vector.transfer_write %v, %empty[0, 0]
//
// Written:
//
//   %s = tensor.extract_slice %t[0, 0] [%m, %n] [1, 1]
//   tensor.parallel_insert_slice %s into %out[%i, %j] [%m, %n] [1, 1]
//   =>
//   %o = tensor.extract_slice %out[%i, %j] [%m, %n] [1, 1]
//   %s = vector.transfer_write %v, %o[0, 0]
//   tensor.parallel_insert_slice %s into %out[%i, %j] [%m, %n] [1, 1]
//
//===----------------------------------------------------------------------===//
#include "VectorizeEdges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

static SmallVector<Value> zeros(RewriterBase &rewriter, Location loc,
                                int64_t rank) {
  return SmallVector<Value>(rank,
                            arith::ConstantIndexOp::create(rewriter, loc, 0));
}

/// Returns the dims along which `part` has the whole extent of a tile.
static SmallVector<bool> wholeDims(RankedTensorType part,
                                   RankedTensorType tile) {
  return llvm::map_to_vector(
      llvm::zip_equal(part.getShape(), tile.getShape()), [](auto extents) {
        return std::get<0>(extents) == std::get<1>(extents);
      });
}

static VectorType vectorOf(RankedTensorType type) {
  return VectorType::get(type.getShape(), type.getElementType());
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

static LogicalResult readPadded(RewriterBase &rewriter, tensor::PadOp pad) {
  Value padding = pad.getConstantPaddingValue();
  RankedTensorType type = pad.getResultType();
  if (!padding || !pad.hasZeroLowPad() || !type.hasStaticShape())
    return pad.emitOpError("has no vector form; tiles are padded with a scalar "
                           "behind their last elements, to a static size");
  rewriter.setInsertionPoint(pad);
  Location loc = pad.getLoc();
  SmallVector<Value> origin = zeros(rewriter, loc, type.getRank());
  Value vector = vector::TransferReadOp::create(
      rewriter, loc, vectorOf(type), pad.getSource(), origin, padding,
      wholeDims(pad.getSourceType(), type));
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  auto write =
      vector::TransferWriteOp::create(rewriter, loc, vector, empty, origin,
                                      SmallVector<bool>(type.getRank(), true));
  rewriter.replaceOp(pad, write.getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// Returns the tile whose first elements `slice` has; null for other slices.
static Value cutTile(tensor::ExtractSliceOp slice) {
  auto isConstant = [](ArrayRef<OpFoldResult> values, int64_t wanted) {
    return llvm::all_of(values, [&](OpFoldResult value) {
      return getConstantIntValue(value) == wanted;
    });
  };
  bool isFirst = slice.getSourceType().hasStaticShape() &&
                 slice.getSourceType() != slice.getType() &&
                 slice.getSourceType().getRank() == slice.getType().getRank() &&
                 isConstant(slice.getMixedOffsets(), 0) &&
                 isConstant(slice.getMixedStrides(), 1);
  return isFirst ? slice.getSource() : Value();
}

/// Writes the vector of a clipped tile directly. `insert` is
/// tensor.insert_slice, or its form for workgroups, which stands after all
/// other ops.
template <typename InsertOp>
static void writeCut(RewriterBase &rewriter, InsertOp insert) {
  auto slice =
      insert.getSource().template getDefiningOp<tensor::ExtractSliceOp>();
  Value tile = slice ? cutTile(slice) : Value();
  if (!tile)
    return;
  if constexpr (std::is_same_v<InsertOp, tensor::ParallelInsertSliceOp>)
    rewriter.setInsertionPoint(insert->getParentOp());
  else
    rewriter.setInsertionPoint(insert);
  Location loc = insert.getLoc();
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<Value> origin = zeros(rewriter, loc, type.getRank());
  // The read of the tile has no elements out of bounds.
  Value unused = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value vector = vector::TransferReadOp::create(
      rewriter, loc, vectorOf(type), tile, origin, unused,
      SmallVector<bool>(type.getRank(), true));
  Value out = tensor::ExtractSliceOp::create(
      rewriter, loc, cast<RankedTensorType>(insert.getSourceType()),
      insert.getDest(), insert.getMixedOffsets(), insert.getMixedSizes(),
      insert.getMixedStrides());
  auto write = vector::TransferWriteOp::create(
      rewriter, loc, vector, out, origin,
      wholeDims(cast<RankedTensorType>(insert.getSourceType()), type));
  rewriter.modifyOpInPlace(
      insert, [&] { insert.getSourceMutable().assign(write.getResult()); });
}

LogicalResult distaff::vectorizeEdges(RewriterBase &rewriter,
                                      func::FuncOp kernel) {
  SmallVector<tensor::PadOp> pads;
  SmallVector<Operation *> inserts;
  kernel.walk([&](Operation *op) {
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      pads.push_back(pad);
    else if (isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(op))
      inserts.push_back(op);
  });
  for (tensor::PadOp pad : pads)
    if (failed(readPadded(rewriter, pad)))
      return failure();
  for (Operation *insert : inserts) {
    if (auto parallel = dyn_cast<tensor::ParallelInsertSliceOp>(insert))
      writeCut(rewriter, parallel);
    else
      writeCut(rewriter, cast<tensor::InsertSliceOp>(insert));
  }
  return success();
}
