//===- StoreToLoadForwarding.cpp - Store-to-load forwarding ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that is smaller than its layout is moved through vectors of the
// layout's extents, and through vectors of its own extents on both sides:
//
//   %t = transfer_write %v : vector<13x16xf32>, tensor<13x16xf32>
//   %m = create_mask 13, 16
//   %r = transfer_read %t, %pad, %m : vector<16x16xf32>
// becomes
//   %p = vector.broadcast %pad : vector<16x16xf32>
//   %r = vector.insert_strided_slice %v, %p
//
// and in the other direction a vector.extract_strided_slice, so that no value
// between them stays in memory.
//
//===----------------------------------------------------------------------===//
#include "StoreToLoadForwarding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace distaff;

/// Returns whether a mask is set exactly for the elements of the tensor.
static bool covers(Value mask, ArrayRef<int64_t> extents) {
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return constant.getMaskDimSizes() == extents;
  auto created = mask.getDefiningOp<vector::CreateMaskOp>();
  return created && llvm::equal(created.getOperands(), extents,
                                [](Value bound, int64_t extent) {
                                  return isConstantIntValue(bound, extent);
                                });
}

/// Returns whether the access moves every element of the tensor, and other
/// elements only past its ends.
static bool movesWhole(VectorTransferOpInterface transfer) {
  auto type = dyn_cast<RankedTensorType>(transfer.getShapedType());
  if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
      !transfer.getPermutationMap().isIdentity() ||
      !llvm::all_of(transfer.getIndices(), isZeroInteger))
    return false;
  ArrayRef<int64_t> extents = type.getShape();
  if (Value mask = transfer.getMask())
    return covers(mask, extents);
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    int64_t length = transfer.getVectorType().getDimSize(dim);
    if (length < extent || (length > extent && transfer.isDimInBounds(dim)))
      return false;
  }
  return true;
}

namespace {
struct ForwardWholeWrite final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
    if (!write || !movesWhole(read) || !movesWhole(write))
      return rewriter.notifyMatchFailure(read, "is of no whole write");
    ArrayRef<int64_t> extents = read.getShapedType().getShape();
    ArrayRef<int64_t> wanted = read.getVectorType().getShape();
    Value value = write.getValueToStore();
    ArrayRef<int64_t> given = write.getVectorType().getShape();
    if (wanted == extents && given == extents)
      return rewriter.notifyMatchFailure(read, "is forwarded as it is");

    Location loc = read.getLoc();
    SmallVector<int64_t> zeros(extents.size(), 0), ones(extents.size(), 1);
    auto padding = [&]() -> Value {
      return vector::BroadcastOp::create(rewriter, loc, read.getVectorType(),
                                         read.getPadding());
    };
    if (given == wanted) {
      Value inside = vector::ConstantMaskOp::create(
          rewriter, loc, VectorType::get(wanted, rewriter.getI1Type()),
          extents);
      rewriter.replaceOpWithNewOp<arith::SelectOp>(read, inside, value,
                                                   padding());
      return success();
    }
    if (given != extents)
      value = vector::ExtractStridedSliceOp::create(rewriter, loc, value, zeros,
                                                    extents, ones);
    if (wanted != extents)
      value = vector::InsertStridedSliceOp::create(rewriter, loc, value,
                                                   padding(), zeros, ones);
    rewriter.replaceOp(read, value);
    return success();
  }
};

/// Replaces a read that broadcasts or permutes a whole written vector by a
/// broadcast and a transpose.
struct ForwardSpreadRead final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
    if (!write || !movesWhole(write) || write.getMask() ||
        write.getVectorType().getShape() != write.getShapedType().getShape() ||
        read.getPermutationMap().isIdentity() || !spreadsWhole(read))
      return rewriter.notifyMatchFailure(read, "is of no whole write");
    // Vector dims that are no dims of the tensor come first, then the others in
    // the tensor's order.
    SmallVector<int64_t> places, kept(read.getShapedType().getRank(), -1);
    for (auto [at, expr] :
         llvm::enumerate(read.getPermutationMap().getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        kept[dim.getPosition()] = at;
      else
        places.push_back(at);
    SmallVector<int64_t> small;
    for (int64_t at : kept)
      if (at >= 0) {
        places.push_back(at);
        small.push_back(read.getVectorType().getDimSize(at));
      }
    SmallVector<int64_t> spread, order(places.size());
    for (auto [from, to] : llvm::enumerate(places)) {
      spread.push_back(read.getVectorType().getDimSize(to));
      order[to] = from;
    }
    Location loc = read.getLoc();
    Type element = read.getVectorType().getElementType();
    Value value = vector::ShapeCastOp::create(rewriter, loc,
                                              VectorType::get(small, element),
                                              write.getValueToStore());
    value = vector::BroadcastOp::create(
        rewriter, loc, VectorType::get(spread, element), value);
    rewriter.replaceOpWithNewOp<vector::TransposeOp>(read, value, order);
    return success();
  }

private:
  /// Returns whether each dim of the tensor that is longer than 1 is read
  /// whole, once.
  static bool spreadsWhole(vector::TransferReadOp read) {
    ArrayRef<int64_t> extents = read.getShapedType().getShape();
    llvm::SmallBitVector isRead(extents.size());
    if (read.getMask() || !llvm::all_of(read.getIndices(), isZeroInteger))
      return false;
    for (auto [at, expr] :
         llvm::enumerate(read.getPermutationMap().getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      if (read.getVectorType().getDimSize(at) != extents[dim.getPosition()])
        return false;
      isRead.set(dim.getPosition());
    }
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (!isRead.test(dim) && extent != 1)
        return false;
    return true;
  }
};
} // namespace

void distaff::populateForwardWholeWrites(RewritePatternSet &patterns) {
  patterns.add<ForwardWholeWrite, ForwardSpreadRead>(patterns.getContext());
}
