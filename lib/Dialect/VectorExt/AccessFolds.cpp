//===- AccessFolds.cpp - Folds of gather and scatter ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folds G1 to G10 of the specification, section 2.6, as far as they are the
// same for gather and scatter. Each simplifies the computation of index values
// or the mask, and keeps the set of base dims whose addresses are checked: a
// dim that no longer determines an address must not be the only reason for its
// check.
//
//===----------------------------------------------------------------------===//
#include "IndexedAccess.h"
#include "distaff/Dialect/VectorExt/Folds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace distaff;
using namespace distaff::vector_ext;

//===----------------------------------------------------------------------===//
// Masks (G1, G2)
//===----------------------------------------------------------------------===//

/// Returns whether a mask is known to be all true (or all false).
static bool isConstantMask(Value mask, bool value) {
  DenseElementsAttr elements;
  if (matchPattern(mask, m_Constant(&elements)))
    return elements.isSplat() && elements.getSplatValue<bool>() == value;
  auto constant = mask.getDefiningOp<vector::ConstantMaskOp>();
  if (!constant)
    return false;
  if (value)
    return constant.isAllOnesMask();
  return llvm::is_contained(constant.getMaskDimSizes(), 0);
}

//===----------------------------------------------------------------------===//
// Index values (G3 to G7, G9)
//===----------------------------------------------------------------------===//

/// Casts an integer to index; index values of integer type are signed.
static Value castToIndex(Value value, OpBuilder &builder, Location loc) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

/// Returns the only element of a vector of extent-1 dims, as an index.
static Value extractOnlyElement(Value vector, OpBuilder &builder,
                                Location loc) {
  int64_t rank = cast<VectorType>(vector.getType()).getRank();
  Value element = vector::ExtractOp::create(builder, loc, vector,
                                            SmallVector<int64_t>(rank, 0));
  return castToIndex(element, builder, loc);
}

/// Adds `scalar` to the offset of each base dim that `baseMap` addresses by
/// index value `index`.
static void addToOffsets(IndexedAccess &access, AffineMap baseMap,
                         unsigned index, Value scalar, OpBuilder &builder,
                         Location loc) {
  AffineExpr symbol = getAffineSymbolExpr(index, access.getContext());
  for (auto [offset, expr] :
       llvm::zip_equal(access.offsets, baseMap.getResults()))
    if (expr == symbol)
      offset = arith::AddIOp::create(builder, loc, offset, scalar);
}

/// Returns the constant of a vector that is a splat constant.
static std::optional<int64_t> getSplatConstant(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

namespace {
/// The plan of a rewrite of an index value, made before any op is created.
struct IndexRewrite {
  /// The access after the rewrite, except values that have to be created.
  IndexedAccess access;
  /// Creates these values.
  std::function<void(IndexedAccess &, OpBuilder &, Location)> emit =
      [](IndexedAccess &, OpBuilder &, Location) {};
};
} // namespace

/// G3: replaces a broadcast by its source.
static std::optional<IndexRewrite> planBroadcast(IndexedAccess access,
                                                 unsigned index) {
  auto broadcast = access.indices[index].getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || !broadcast.computeBroadcastedUnitDims().empty())
    return std::nullopt;
  AffineMap &map = access.indexMap(index);
  auto source = dyn_cast<VectorType>(broadcast.getSourceType());
  unsigned rank = source ? source.getRank() : 0;
  if (rank == map.getNumResults())
    return std::nullopt;
  map = rank == 0 ? AffineMap::get(map.getNumDims(), map.getNumSymbols(),
                                   map.getContext())
                  : map.getMinorSubMap(rank);
  Value value = broadcast.getSource();
  if (rank != 0) {
    access.indices[index] = value;
    return IndexRewrite{access};
  }
  return IndexRewrite{
      access, [=](IndexedAccess &access, OpBuilder &builder, Location loc) {
        access.indices[index] = source ? extractOnlyElement(value, builder, loc)
                                       : castToIndex(value, builder, loc);
      }};
}

/// G4: replaces a transpose by its source.
static std::optional<IndexRewrite> planTranspose(IndexedAccess access,
                                                 unsigned index) {
  auto transpose = access.indices[index].getDefiningOp<vector::TransposeOp>();
  if (!transpose)
    return std::nullopt;
  AffineMap &map = access.indexMap(index);
  SmallVector<AffineExpr> results(map.getNumResults());
  for (auto [position, sourceDim] : llvm::enumerate(transpose.getPermutation()))
    results[sourceDim] = map.getResult(position);
  map = AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                       map.getContext());
  access.indices[index] = transpose.getVector();
  return IndexRewrite{access};
}

/// G5: replaces 0, 1, 2, ... by a contiguous dim.
static std::optional<IndexRewrite> planStep(IndexedAccess access,
                                            unsigned index) {
  if (!access.indices[index].getDefiningOp<vector::StepOp>())
    return std::nullopt;
  AffineExpr dim = access.indexMap(index).getResult(0);
  access.dropIndex(index, dim);
  return IndexRewrite{access};
}

/// G6: moves one index for all elements to the offset.
static std::optional<IndexRewrite> planUniform(IndexedAccess access,
                                               unsigned index) {
  Value value = access.indices[index];
  auto vector = dyn_cast<VectorType>(value.getType());
  std::optional<int64_t> splat = getSplatConstant(value);
  if (vector && !splat && vector.getNumElements() != 1)
    return std::nullopt;
  AffineMap baseMap = access.maps[0];
  access.dropIndex(index, getAffineConstantExpr(0, access.getContext()));
  return IndexRewrite{
      access, [=](IndexedAccess &access, OpBuilder &builder, Location loc) {
        Value scalar =
            splat    ? arith::ConstantIndexOp::create(builder, loc, *splat)
                           .getResult()
            : vector ? extractOnlyElement(value, builder, loc)
                     : value;
        addToOffsets(access, baseMap, index, scalar, builder, loc);
      }};
}

/// G7: moves a summand of all indices to the offset. Only for type index:
/// narrower additions may wrap.
static std::optional<IndexRewrite> planAdd(IndexedAccess access,
                                           unsigned index) {
  auto add = access.indices[index].getDefiningOp<arith::AddIOp>();
  if (!add || !getElementTypeOrSelf(add.getType()).isIndex())
    return std::nullopt;
  for (auto [uniform, other] : {std::pair(add.getRhs(), add.getLhs()),
                                std::pair(add.getLhs(), add.getRhs())}) {
    std::optional<int64_t> splat = getSplatConstant(uniform);
    auto broadcast = uniform.getDefiningOp<vector::BroadcastOp>();
    bool isScalar = broadcast && !isa<VectorType>(broadcast.getSourceType());
    if (!splat && !isScalar)
      continue;
    access.indices[index] = other;
    Value scalar = isScalar ? broadcast.getSource() : Value();
    return IndexRewrite{
        access, [=](IndexedAccess &access, OpBuilder &builder, Location loc) {
          Value value =
              scalar ? scalar
                     : arith::ConstantIndexOp::create(builder, loc, *splat)
                           .getResult();
          addToOffsets(access, access.maps[0], index, value, builder, loc);
        }};
  }
  return std::nullopt;
}

/// G9: uses one operand for two equal ones.
static std::optional<IndexRewrite> planDuplicate(IndexedAccess access,
                                                 unsigned index) {
  for (unsigned first = 0; first < index; ++first) {
    if (access.indices[first] != access.indices[index] ||
        access.indexMap(first) != access.indexMap(index))
      continue;
    access.dropIndex(index, getAffineSymbolExpr(first, access.getContext()));
    return IndexRewrite{access};
  }
  return std::nullopt;
}

/// Casts a vector to the dims whose map result is not constant, and updates the
/// map.
static Value dropUnitDims(Value value, AffineMap &map, OpBuilder &builder,
                          Location loc) {
  auto vector = dyn_cast<VectorType>(value.getType());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    shape.push_back(vector.getDimSize(position));
    results.push_back(expr);
  }
  if (results.size() == map.getNumResults())
    return value;
  map = AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                       map.getContext());
  return vector::ShapeCastOp::create(
      builder, loc, VectorType::get(shape, vector.getElementType()), value);
}

/// Casts index values and mask to the positions that the maps still address,
/// once unit dims were removed: constant results are removed, with their dims.
static void dropConstantResults(IndexedAccess &access, OpBuilder &builder,
                                Location loc) {
  for (auto [index, value] : llvm::enumerate(access.indices)) {
    AffineMap &map = access.indexMap(index);
    bool hadResults = map.getNumResults() != 0;
    value = dropUnitDims(value, map, builder, loc);
    // An empty map addresses a scalar.
    if (hadResults && map.getNumResults() == 0)
      value = extractOnlyElement(value, builder, loc);
  }
  if (access.mask)
    access.mask = dropUnitDims(access.mask, access.maps.back(), builder, loc);
}

/// Drops unit dims of the classic form's slice that no vector dim addresses.
static std::optional<IndexRewrite> planUnitDims(IndexedAccess access,
                                                unsigned index) {
  if (llvm::none_of(access.indexMap(index).getResults(),
                    llvm::IsaPred<AffineConstantExpr>))
    return std::nullopt;
  return IndexRewrite{access, dropConstantResults};
}

//===----------------------------------------------------------------------===//
// Contiguous accesses (G8)
//===----------------------------------------------------------------------===//

/// Returns the permutation map of a vector.transfer_read or transfer_write with
/// this access; null if there is none.
static AffineMap getTransferMap(const IndexedAccess &access) {
  MLIRContext *context = access.getContext();
  unsigned baseRank = access.base.getRank();
  SmallVector<AffineExpr> results(access.vector.getRank(),
                                  getAffineConstantExpr(0, context));
  SmallVector<AffineExpr> used;
  for (auto [position, expr] : llvm::enumerate(access.maps[0].getResults())) {
    if (expr == 0)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    // A dim used twice reads a diagonal.
    if (!dim || llvm::is_contained(used, expr))
      return {};
    results[dim.getPosition()] = getAffineDimExpr(position, context);
    used.push_back(expr);
  }
  if (!access.indices.empty())
    return {};
  // The mask of a transfer has the used dims, in the order of the base.
  if (access.mask && (used.empty() || access.maps.back().getResults() !=
                                          ArrayRef<AffineExpr>(used)))
    return {};
  return AffineMap::get(baseRank, 0, results, context);
}

/// Returns whether a transfer checks every address that the access checks:
/// upstream's folds and lowerings treat an address below 0 as inside.
static bool startsInside(const IndexedAccess &access) {
  using Bounds = ValueBoundsConstraintSet;
  return llvm::all_of(access.getCheckedDims().set_bits(), [&](unsigned dim) {
    Builder builder(access.getContext());
    return Bounds::compare(Bounds::Variable(access.offsets[dim]),
                           Bounds::ComparisonOperator::GE,
                           Bounds::Variable(builder.getIndexAttr(0)));
  });
}

/// Returns in_bounds of that transfer: its broadcast dims must be true.
static SmallVector<bool> getTransferInBounds(const IndexedAccess &access,
                                             AffineMap transferMap) {
  SmallVector<bool> inBounds = access.inBounds;
  for (auto [value, expr] : llvm::zip_equal(inBounds, transferMap.getResults()))
    value |= isa<AffineConstantExpr>(expr);
  return inBounds;
}

//===----------------------------------------------------------------------===//
// Unit dims (G10)
//===----------------------------------------------------------------------===//

/// Returns a dim of extent 1 that can be dropped from the vector.
static std::optional<unsigned> findDroppableDim(const IndexedAccess &access) {
  for (auto [dim, extent] : llvm::enumerate(access.vector.getShape())) {
    if (extent != 1)
      continue;
    IndexedAccess smaller = access;
    smaller.dropUnitDim(dim);
    if (smaller.getCheckedDims() == access.getCheckedDims())
      return dim;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy> struct FoldMask final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || !isConstantMask(op.getMask(), true))
      return rewriter.notifyMatchFailure(op, "no mask that is all true");
    IndexedAccess access = getAccess(op);
    access.mask = {};
    access.maps.pop_back();
    update(op, access, rewriter);
    return success();
  }
};

template <typename OpTy> struct FoldIndexValue final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    IndexedAccess access = getAccess(op);
    for (unsigned index = 0; index < access.indices.size(); ++index) {
      for (auto plan : {planUnitDims, planDuplicate, planUniform, planBroadcast,
                        planTranspose, planStep, planAdd}) {
        std::optional<IndexRewrite> rewrite = plan(access, index);
        if (!rewrite ||
            rewrite->access.getCheckedDims() != access.getCheckedDims())
          continue;
        rewrite->emit(rewrite->access, rewriter, op.getLoc());
        update(op, rewrite->access, rewriter);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no index value is simpler");
  }
};

template <typename OpTy> struct FoldFalseMask final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || !isConstantMask(op.getMask(), false))
      return rewriter.notifyMatchFailure(op, "no mask that is all false");
    replaceMasked(op, rewriter);
    return success();
  }
};

/// G8: replaces an access without index values by a transfer.
template <typename OpTy> struct ToTransfer final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    IndexedAccess access = getAccess(op);
    AffineMap map = getTransferMap(access);
    if (!map)
      return rewriter.notifyMatchFailure(op, "needs more than a transfer");
    if (!startsInside(access))
      return rewriter.notifyMatchFailure(op, "may start below its base");
    return replaceByTransfer(
        op, map, rewriter.getBoolArrayAttr(getTransferInBounds(access, map)),
        rewriter);
  }
};

template <typename OpTy> struct DropUnitDim final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    IndexedAccess access = getAccess(op);
    std::optional<unsigned> dim = findDroppableDim(access);
    if (!dim)
      return rewriter.notifyMatchFailure(op, "no unit dim to drop");
    access.dropUnitDim(*dim);
    dropConstantResults(access, rewriter, op.getLoc());
    replaceByAccess(op, access, rewriter);
    return success();
  }
};
} // namespace

template <typename OpTy> static void populate(RewritePatternSet &patterns) {
  patterns.add<FoldMask<OpTy>, FoldFalseMask<OpTy>, FoldIndexValue<OpTy>,
               ToTransfer<OpTy>, DropUnitDim<OpTy>>(patterns.getContext());
}

void vector_ext::populateAccessFolds(RewritePatternSet &patterns,
                                     TransferGatherOp) {
  populate<TransferGatherOp>(patterns);
}

void vector_ext::populateAccessFolds(RewritePatternSet &patterns,
                                     TransferScatterOp) {
  populate<TransferScatterOp>(patterns);
}

void vector_ext::populateUnitDimFolds(RewritePatternSet &patterns) {
  patterns.add<DropUnitDim<TransferGatherOp>, DropUnitDim<TransferScatterOp>>(
      patterns.getContext());
}
