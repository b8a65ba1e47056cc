//===- SliceFolds.cpp - Constants in the lists of slices ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets, sizes and strides that are constants become static, all three lists
// at once. A constant that the verifier would reject is undefined behaviour if
// the code is executed, and no error: it stays an operand.
//
//===----------------------------------------------------------------------===//
#include "Slices.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"
#include <utility>

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// The lists of a slice while constants are inserted.
struct FoldedSlice {
  explicit FoldedSlice(OffsetSizeAndStrideOpInterface op)
      : before(StaticSlice::of(op)), after(before) {
    fill(op.getMixedOffsets(), after.offsets, /*mayBeNegative=*/false);
    fill(op.getMixedSizes(), after.sizes, /*mayBeNegative=*/false);
    fill(op.getMixedStrides(), after.strides, /*mayBeNegative=*/true);
  }

  static void fill(ArrayRef<OpFoldResult> mixed, SmallVector<int64_t> &list,
                   bool mayBeNegative) {
    for (auto [entry, value] : llvm::zip(list, mixed)) {
      std::optional<int64_t> constant = getConstantIntValue(value);
      // The smallest integer means a dynamic value: such a constant stays an
      // operand.
      if (constant && (mayBeNegative || *constant >= 0))
        entry = *constant;
    }
  }

  /// Reverts a size to its operand; returns whether it was a folded constant.
  bool revertSize(unsigned dim) {
    return std::exchange(after.sizes[dim], before.sizes[dim]) !=
           before.sizes[dim];
  }
  bool revert(unsigned dim) {
    bool size = revertSize(dim);
    bool offset = std::exchange(after.offsets[dim], before.offsets[dim]) !=
                  before.offsets[dim];
    bool stride = std::exchange(after.strides[dim], before.strides[dim]) !=
                  before.strides[dim];
    return size || offset || stride;
  }

  bool changed() const {
    return before.offsets != after.offsets || before.sizes != after.sizes ||
           before.strides != after.strides;
  }

  StaticSlice before, after;
};
} // namespace

/// Returns the type of the sref that an op slices.
static SRefType getSlicedType(Operation *op) {
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return write.getRefType();
  return cast<SRefType>(op->getOperand(0).getType());
}

/// Returns the lists with every constant that the verifier accepts. Ops are
/// also folded before they are verified, so existing static entries may be
/// invalid.
static FoldedSlice computeFolded(OffsetSizeAndStrideOpInterface op,
                                 bool withSizes) {
  FoldedSlice folded(op);
  if (!withSizes)
    folded.after.sizes = folded.before.sizes;
  // A result tensor or memref follows the sizes, so it always matches.
  Value moved;
  if (auto write = dyn_cast<WriteSliceOp>(*op))
    moved = write.getSource();
  else if (isa<VectorType>(op->getResult(0).getType()))
    moved = op->getResult(0);
  std::optional<unsigned> dim;
  if (moved)
    do
      dim = findMisfit(cast<ShapedType>(moved.getType()), folded.after.sizes);
    while (dim && folded.revertSize(*dim));
  do
    dim = findExcess(folded.after, getSlicedType(op).getShape());
  while (dim && folded.revert(*dim));
  return folded;
}

bool pcf::foldSlice(OffsetSizeAndStrideOpInterface op, bool withSizes) {
  FoldedSlice folded = computeFolded(op, withSizes);
  if (!folded.changed())
    return false;
  auto keepDynamic = [](OperandRange operands, ArrayRef<int64_t> before,
                        ArrayRef<int64_t> after) {
    SmallVector<Value> kept;
    for (auto [was, is] : llvm::zip(before, after)) {
      if (!ShapedType::isDynamic(was))
        continue;
      if (ShapedType::isDynamic(is))
        kept.push_back(operands.front());
      operands = operands.drop_front();
    }
    return kept;
  };
  SmallVector<Value> offsets =
      keepDynamic(op.getOffsets(), folded.before.offsets, folded.after.offsets);
  SmallVector<Value> sizes =
      keepDynamic(op.getSizes(), folded.before.sizes, folded.after.sizes);
  SmallVector<Value> strides =
      keepDynamic(op.getStrides(), folded.before.strides, folded.after.strides);
  llvm::TypeSwitch<Operation *, void>(op)
      .Case<WriteSliceOp, ReadSliceOp, GetMemrefOp, SubviewOp>([&](auto slice) {
        slice.getOffsetsMutable().assign(offsets);
        slice.getSizesMutable().assign(sizes);
        slice.getStridesMutable().assign(strides);
        slice.setStaticOffsets(folded.after.offsets);
        slice.setStaticSizes(folded.after.sizes);
        slice.setStaticStrides(folded.after.strides);
      });
  return true;
}

SmallVector<OpFoldResult> pcf::foldSizes(OffsetSizeAndStrideOpInterface op) {
  FoldedSlice folded = computeFolded(op, /*withSizes=*/true);
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  Builder builder(op.getContext());
  for (auto [size, value] : llvm::zip(folded.after.sizes, sizes))
    if (!ShapedType::isDynamic(size))
      value = builder.getIndexAttr(size);
  return sizes;
}

LogicalResult WriteSliceOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  // A cast that only drops static extents is not needed for writing.
  auto cast = getSource().getDefiningOp<tensor::CastOp>();
  bool absorbs = cast && tensor::canFoldIntoConsumerOp(cast) &&
                 !findMisfit(cast.getSource().getType(), getStaticSizes());
  if (absorbs)
    getSourceMutable().assign(cast.getSource());
  return success(foldSlice(*this, /*withSizes=*/true) || absorbs);
}

OpFoldResult ReadSliceOp::fold(FoldAdaptor) {
  bool isVector = isa<VectorType>(getResult().getType());
  return foldSlice(*this, /*withSizes=*/isVector) ? getResult() : Value();
}

OpFoldResult GetMemrefOp::fold(FoldAdaptor) {
  return foldSlice(*this, /*withSizes=*/false) ? getResult() : Value();
}

namespace {
/// Makes sizes static, which changes the type of the result, and casts it back.
template <typename OpT, typename CastOp>
struct MakeSizesStatic final : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<ShapedType>(op.getResult().getType());
    if (isa<VectorType>(type))
      return rewriter.notifyMatchFailure(op, "a vector keeps its type");
    SmallVector<OpFoldResult> sizes = foldSizes(op);
    SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
    if (shape == type.getShape())
      return rewriter.notifyMatchFailure(op, "no size is a constant");
    auto read =
        OpT::create(rewriter, op.getLoc(), type.clone(shape), op.getSource(),
                    op.getMixedOffsets(), sizes, op.getMixedStrides());
    rewriter.replaceOpWithNewOp<CastOp>(op, type, read);
    return success();
  }
};
} // namespace

void ReadSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MakeSizesStatic<ReadSliceOp, tensor::CastOp>>(context);
}

void GetMemrefOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MakeSizesStatic<GetMemrefOp, memref::CastOp>>(context);
}
