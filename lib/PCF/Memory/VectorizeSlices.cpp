//===- VectorizeSlices.cpp - Slices of srefs as vectors -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After vectorization a tensor stands between a slice of an sref and a vector:
// it is read and then read again, or written and then written again. Srefs read
// and write vectors themselves: a read yields zeros past a slice, and a write
// ends with the slice. So the tensor is removed, and with it the padding. Parts
// of a tensor that is a vector are parts of the vector (WrittenVectors.h).
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"
#include "distaff/Rewrite/Guards.h"

#include "WrittenVectors.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_PCFVECTORIZESLICES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Returns the upper bound of a size.
static FailureOr<int64_t> getUpperBound(OpFoldResult size) {
  return ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, size, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
}

/// Returns whether a size is known to be no larger than an extent.
static bool isAtMost(OpFoldResult size, int64_t extent) {
  // Upstream has no value bounds for this op.
  auto value = dyn_cast<Value>(size);
  if (auto min = value ? value.getDefiningOp<arith::MinSIOp>() : nullptr)
    return isAtMost(min.getLhs(), extent) || isAtMost(min.getRhs(), extent);
  FailureOr<int64_t> bound = getUpperBound(size);
  return succeeded(bound) && *bound <= extent;
}

/// Returns the dynamic indices at which an op extracts a part of a vector.
static SmallVector<Value> getRunTimePlaces(Operation *op) {
  Value source;
  SmallVector<OpFoldResult> places;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    source = slice.getSource();
    places = slice.getMixedOffsets();
  } else if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    source = read.getBase();
    places = getAsOpFoldResult(read.getIndices());
  }
  SmallVector<Value> values;
  if (!source || !isa<RankedTensorType>(source.getType()) ||
      !isWrittenVector(source))
    return values;
  for (OpFoldResult place : places)
    if (!getConstantIntValue(place))
      values.push_back(cast<Value>(place));
  return values;
}

/// Unrolls the loops whose induction variables such indices depend on.
static LogicalResult unrollLoopsOfParts(Operation *root) {
  llvm::SetVector<Value> places;
  root->walk([&](Operation *op) {
    for (Value place : getRunTimePlaces(op))
      places.insert(place);
  });
  // Add the values that the indices are computed from.
  for (size_t i = 0; i < places.size(); ++i)
    if (Operation *op = places[i].getDefiningOp())
      places.insert_range(op->getOperands());
  // Inner loops come first, so their copies have no loops.
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) {
    if (places.contains(loop.getInductionVar()) && loop.getStaticTripCount())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (failed(loopUnrollFull(loop)))
      return failure();
  return success();
}

/// Returns whether a read at an op, which may be in a branch, yields the same
/// as the original read.
static bool mayReadAt(ReadSliceOp read, Operation *op) {
  if (op == read)
    return true;
  Operation *outermost = read->getBlock()->findAncestorOpInBlock(*op);
  if (!outermost)
    return false;
  auto isOther = [](Operation &between) {
    return !isMemoryEffectFree(&between) && !isa<ReadSliceOp>(between);
  };
  auto isChanged = [&](Block::iterator from, Operation *to) {
    return llvm::any_of(llvm::make_range(from, to->getIterator()), isOther);
  };
  for (Operation *at = op; at != outermost; at = at->getParentOp())
    if (!isa<scf::IfOp>(at->getParentOp()) ||
        isChanged(at->getBlock()->begin(), at))
      return false;
  return !isChanged(std::next(read->getIterator()), outermost);
}

/// Reads all of a slice as a vector for an op: at the op, to keep its live
/// range short, or else where the slice is read.
static Value readVector(PatternRewriter &rewriter, ReadSliceOp read,
                        VectorType type, Operation *op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(mayReadAt(read, op) ? op : read);
  return ReadSliceOp::create(rewriter, read.getLoc(), type, read.getSource(),
                             read.getMixedOffsets(), read.getMixedSizes(),
                             read.getMixedStrides());
}

/// Broadcasts and transposes a vector, whose dimensions are those of the tensor
/// in order, to the vector that the transfer reads.
static Value arrange(PatternRewriter &rewriter, vector::TransferReadOp op,
                     Value vector, ArrayRef<unsigned> dims) {
  SmallVector<int64_t> shape, permutation;
  AffineMap map = op.getPermutationMap();
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineDimExpr>(expr))
      shape.push_back(op.getVectorType().getDimSize(i));
  int64_t repeats = shape.size(), next = 0;
  llvm::append_range(shape, cast<VectorType>(vector.getType()).getShape());
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    permutation.push_back(
        dim ? repeats + (llvm::find(dims, dim.getPosition()) - dims.begin())
            : next++);
  }
  Location loc = op.getLoc();
  if (repeats)
    vector = vector::BroadcastOp::create(
        rewriter, loc,
        VectorType::get(shape, op.getVectorType().getElementType()), vector);
  if (!llvm::is_sorted(permutation))
    vector = vector::TransposeOp::create(rewriter, loc, vector, permutation);
  return vector;
}

namespace {
struct ReadVector final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    auto read = op.getBase().getDefiningOp<ReadSliceOp>();
    if (!read || op.getMask() ||
        !llvm::all_of(op.getIndices(),
                      [](Value index) { return isConstantIntValue(index, 0); }))
      return rewriter.notifyMatchFailure(op, "is no read of a whole slice");
    // The extent that is read along each dimension of the slice.
    SmallVector<int64_t> shape(op.getShapedType().getRank(), 0);
    for (auto [i, expr] : llvm::enumerate(op.getPermutationMap().getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        shape[dim.getPosition()] = op.getVectorType().getDimSize(i);
    if (llvm::is_contained(shape, 0))
      return rewriter.notifyMatchFailure(op, "reads a part of the slice");
    // A read past a slice yields +0.
    bool padsZero = matchPattern(op.getPadding(), m_PosZeroFloat()) ||
                    matchPattern(op.getPadding(), m_Zero());
    if (!padsZero && op.hasOutOfBoundsDim())
      return rewriter.notifyMatchFailure(op, "is padded with another number");
    for (auto [size, extent] : llvm::zip_equal(read.getMixedSizes(), shape))
      if (!isAtMost(size, extent))
        return rewriter.notifyMatchFailure(op, "may read a part of the slice");
    auto type = VectorType::get(shape, op.getVectorType().getElementType());
    Value vector = readVector(rewriter, read, type, op);
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, shape.size()));
    vector = arrange(rewriter, op, vector, dims);
    rewriter.replaceOp(op, vector);
    return success();
  }
};

/// Replaces a read of a tensor that was not written, which may have any
/// elements.
struct ReadNothing final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getBase().getDefiningOp<tensor::EmptyOp>() || op.getMask() ||
        op.hasOutOfBoundsDim())
      return rewriter.notifyMatchFailure(op, "may read what is written");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getZeroAttr(op.getVectorType()));
    return success();
  }
};

/// Replaces a read of a corner of a tensor that is a vector, and of the padding
/// after it: a mask selects between the vector and the padding.
struct ForwardCorner final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    auto corner = op.getBase().getDefiningOp<tensor::ExtractSliceOp>();
    if (!corner || !isWhole(op) || !corner.hasUnitStride() ||
        !isWrittenVector(corner.getSource()))
      return rewriter.notifyMatchFailure(op, "reads no corner of a vector");
    ArrayRef<int64_t> shape = op.getVectorType().getShape();
    llvm::SmallBitVector dropped = corner.getDroppedDims();
    VectorBox box;
    SmallVector<Value> sizes;
    for (auto [dim, offset, size] :
         llvm::enumerate(corner.getMixedOffsets(), corner.getMixedSizes())) {
      std::optional<int64_t> begin = getConstantIntValue(offset);
      int64_t extent = dropped.test(dim) ? 1 : shape[sizes.size()];
      if (!begin || *begin + extent > corner.getSourceType().getDimSize(dim))
        return rewriter.notifyMatchFailure(op, "reads beyond the vector");
      box.offsets.push_back(*begin);
      box.shape.push_back(extent);
      if (!dropped.test(dim))
        sizes.push_back(
            getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size));
    }
    Value vector = makeWrittenVector(rewriter, op.getLoc(), corner.getSource());
    vector = cutVector(rewriter, op.getLoc(), vector, box, shape);
    Value mask = vector::CreateMaskOp::create(
        rewriter, op.getLoc(), VectorType::get(shape, rewriter.getI1Type()),
        sizes);
    Value padding = vector::BroadcastOp::create(
        rewriter, op.getLoc(), op.getVectorType(), op.getPadding());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, mask, vector, padding);
    return success();
  }
};

/// Replaces a read of a tensor that is a vector by a part of the vector.
struct ForwardVector final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getMask() || op.hasOutOfBoundsDim() ||
        !isa<RankedTensorType>(op.getShapedType()) ||
        !isWrittenVector(op.getBase()))
      return rewriter.notifyMatchFailure(op, "reads no vector");
    VectorBox box;
    box.shape.assign(op.getShapedType().getRank(), 1);
    SmallVector<unsigned> dims; // of the tensor, of those that are not repeats
    for (auto [i, expr] :
         llvm::enumerate(op.getPermutationMap().getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      dims.push_back(dim.getPosition());
      box.shape[dim.getPosition()] = op.getVectorType().getDimSize(i);
    }
    for (Value index : op.getIndices()) {
      std::optional<int64_t> offset = getConstantIntValue(index);
      if (!offset)
        return rewriter.notifyMatchFailure(op, "reads at unknown indices");
      box.offsets.push_back(*offset);
    }
    SmallVector<unsigned> inOrder(dims);
    llvm::sort(inOrder);
    SmallVector<int64_t> shape;
    for (unsigned dim : inOrder)
      shape.push_back(box.shape[dim]);
    Value vector = makeWrittenVector(rewriter, op.getLoc(), op.getBase());
    vector = cutVector(rewriter, op.getLoc(), vector, box, shape);
    vector = arrange(rewriter, op, vector, inOrder);
    rewriter.replaceOp(op, vector);
    return success();
  }
};

/// Erases a write of an empty slice, for which there is no vector type
/// (PCF-27).
struct WriteNothing final : OpRewritePattern<WriteSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WriteSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (llvm::none_of(op.getMixedSizes(),
                      [](OpFoldResult size) { return isAtMost(size, 0); }))
      return rewriter.notifyMatchFailure(op, "may write elements");
    rewriter.eraseOp(op);
    return success();
  }
};

struct WriteVector final : OpRewritePattern<WriteSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WriteSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getSource().getType()))
      return rewriter.notifyMatchFailure(op, "writes no tensor");
    Value value;
    // A corner of a part is written by the slice's own sizes.
    auto corner = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    if (corner && isWrittenVector(corner.getSource()) &&
        getSizes(corner) == op.getMixedSizes())
      value = makeCorner(rewriter, corner);
    else if (isWrittenVector(op.getSource()))
      value = makeWrittenVector(rewriter, op.getLoc(), op.getSource());
    else if (auto read = op.getSource().getDefiningOp<ReadSliceOp>())
      value = makeCopy(rewriter, read, op);
    if (!value)
      return rewriter.notifyMatchFailure(op, "writes no vector");
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(value); });
    return success();
  }

private:
  /// Returns the sizes of the dimensions that a slice keeps.
  static SmallVector<OpFoldResult> getSizes(tensor::ExtractSliceOp slice) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(dim))
        sizes.push_back(size);
    return sizes;
  }

  /// Reads the vector of a slice that is only copied.
  static Value makeCopy(PatternRewriter &rewriter, ReadSliceOp read,
                        WriteSliceOp op) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : read.getMixedSizes()) {
      FailureOr<int64_t> bound = getUpperBound(size);
      if (failed(bound) || *bound <= 0)
        return {};
      shape.push_back(*bound);
    }
    Type element = getElementTypeOrSelf(read.getResult().getType());
    if (!VectorType::isValidElementType(element))
      return {};
    return readVector(rewriter, read, VectorType::get(shape, element), op);
  }

  /// Extracts the smallest part of the vector that is known to contain the
  /// slice.
  static Value makeCorner(PatternRewriter &rewriter,
                          tensor::ExtractSliceOp slice) {
    VectorBox box;
    SmallVector<int64_t> shape;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (!slice.hasUnitStride())
      return {};
    for (auto [dim, offset, size] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes())) {
      std::optional<int64_t> begin = getConstantIntValue(offset);
      if (!begin)
        return {};
      int64_t left = slice.getSourceType().getDimSize(dim) - *begin;
      FailureOr<int64_t> bound = getUpperBound(size);
      box.offsets.push_back(*begin);
      box.shape.push_back(succeeded(bound) ? std::min(*bound, left) : left);
      if (!dropped.test(dim))
        shape.push_back(box.shape.back());
    }
    // A vector has at least one element.
    if (llvm::is_contained(box.shape, 0))
      return {};
    Value vector =
        makeWrittenVector(rewriter, slice.getLoc(), slice.getSource());
    return cutVector(rewriter, slice.getLoc(), vector, box, shape);
  }
};

/// Reads all of a slice as a vector at the original read, if its size is known.
static Value readWhole(PatternRewriter &rewriter, Value tensor) {
  auto read = tensor.getDefiningOp<ReadSliceOp>();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!read || !type || !type.hasStaticShape() || type.getRank() == 0 ||
      !VectorType::isValidElementType(type.getElementType()) ||
      llvm::is_contained(type.getShape(), 0))
    return {};
  return readVector(rewriter, read,
                    VectorType::get(type.getShape(), type.getElementType()),
                    read);
}

/// Returns the tensor whose first elements a slice has, or the tensor itself: a
/// write of a larger vector leaves out elements past its size.
static Value skipCorner(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  bool isCorner = slice && slice.hasUnitStride() &&
                  slice.getDroppedDims().none() &&
                  llvm::all_of(slice.getMixedOffsets(), isZeroInteger);
  return isCorner ? slice.getSource() : tensor;
}

/// Converts a copy of a whole slice, or of a corner of it, to vectors.
struct CopyVector final : OpRewritePattern<WriteSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WriteSliceOp op,
                                PatternRewriter &rewriter) const override {
    Value vector = readWhole(rewriter, skipCorner(op.getSource()));
    if (!vector)
      return rewriter.notifyMatchFailure(op, "copies no slice of known size");
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(vector); });
    return success();
  }
};

/// Converts a reshape of a whole slice to vectors.
template <typename ReshapeOp>
struct ReshapeVector final : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Value vector = readWhole(rewriter, op.getSrc());
    if (!vector)
      return rewriter.notifyMatchFailure(op, "reshapes no slice of known size");
    Value tensor = writeVector(rewriter, op.getLoc(), vector);
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(tensor); });
    return success();
  }
};

struct VectorizeSlices final
    : distaff::impl::PCFVectorizeSlicesBase<VectorizeSlices> {
  // Bounds of sizes are computed by interfaces of the ops that compute them.
  void getDependentDialects(DialectRegistry &registry) const override {
    PCFVectorizeSlicesBase::getDependentDialects(registry);
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    carryVectors(rewriter, getOperation());
    if (failed(unrollLoopsOfParts(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<ReadVector, ReadNothing, ForwardCorner, ForwardVector,
                 WriteNothing, WriteVector, CopyVector,
                 ReshapeVector<tensor::CollapseShapeOp>,
                 ReshapeVector<tensor::ExpandShapeOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(),
                                     guarded(std::move(patterns)))))
      signalPassFailure();
  }
};
} // namespace
