//===- LowerMasks.cpp - Masked ops with their masks as operands -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is masked by its semantics: transfers by an operand of their own,
// reductions element by element, contractions point by point of their loops.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERMASKS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using vector::CombiningKind;

namespace {

/// Rewrites one vector.mask in front of it.
class Unmasking {
public:
  explicit Unmasking(vector::MaskOp op) : op(op), b(op.getLoc(), op) {}

  LogicalResult rewrite() {
    Operation *masked = op.getMaskableOp();
    if (!masked) { // the masked op has been folded
      auto yield = cast<vector::YieldOp>(op.getMaskBlock()->getTerminator());
      return finish(SmallVector<Value>(yield.getOperands()));
    }
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(masked))
      return finish(reduce(reduction.getKind(), reduction.getSource(),
                           reduction.getAcc(), reduction.getReductionMask()));
    if (auto reduction = dyn_cast<vector::ReductionOp>(masked))
      return finish(reduceRow(reduction));
    if (auto contraction = dyn_cast<vector::ContractionOp>(masked))
      return finish(contract(contraction));
    if (auto product = dyn_cast<vector::OuterProductOp>(masked);
        product && product.getAcc())
      return choose(product, product.getAcc());
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(masked))
      return move(transfer);
    if (auto gather = dyn_cast<vector::GatherOp>(masked))
      return take(gather);
    if (auto scatter = dyn_cast<vector::ScatterOp>(masked))
      return take(scatter);
    return masked->emitOpError("is masked by 'vector.mask', which only "
                               "reductions, contractions and accesses of "
                               "memory can be here");
  }

private:
  LogicalResult finish(ValueRange results) {
    op.replaceAllUsesWith(results);
    op.erase();
    return success();
  }

  Value splat(TypedAttr element, Value like) {
    auto type = cast<VectorType>(like.getType());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, element));
  }

  /// Converts a vector or a scalar to another float type.
  Value convert(Value value, Type element) {
    Type from = getElementTypeOrSelf(value), to = element;
    if (from == to)
      return value;
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      to = vector.clone(element);
    return from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth()
               ? Value(arith::ExtFOp::create(b, to, value))
               : Value(arith::TruncFOp::create(b, to, value));
  }

  /// Returns the source with the identity where the mask is false.
  Value counted(CombiningKind kind, Value source) {
    Value identity =
        splat(identityOf(kind, getElementTypeOrSelf(source)), source);
    return arith::SelectOp::create(b, op.getMask(), source, identity);
  }

  Value passed(Value result) {
    return op.hasPassthru() ? arith::SelectOp::create(b, op.getMask(), result,
                                                      op.getPassthru())
                            : result;
  }

  Value reduce(CombiningKind kind, Value source, Value acc,
               ArrayRef<bool> reduced) {
    Type element = getElementTypeOrSelf(source);
    Type combined = typeToCombineIn(kind, element);
    Value result = vector::MultiDimReductionOp::create(
        b, counted(kind, convert(source, combined)), convert(acc, combined),
        reduced, kind);
    return convert(result, element);
  }

  Value reduceRow(vector::ReductionOp reduction) {
    CombiningKind kind = reduction.getKind();
    Type element = getElementTypeOrSelf(reduction.getVector());
    Type combined = typeToCombineIn(kind, element);
    Value source = counted(kind, convert(reduction.getVector(), combined));
    Value acc = reduction.getAcc();
    Value result = acc ? vector::ReductionOp::create(b, kind, source,
                                                     convert(acc, combined),
                                                     reduction.getFastmath())
                       : vector::ReductionOp::create(b, kind, source,
                                                     reduction.getFastmath());
    return convert(result, element);
  }

  /// Returns the operand at each point of the loops.
  Value spread(Value operand, AffineMap map, ArrayRef<int64_t> bounds) {
    // Dims that it lacks come in front, then all in order.
    SmallVector<int64_t> shape, order;
    for (unsigned dim = 0; dim < bounds.size(); ++dim)
      if (!map.isFunctionOfDim(dim))
        order.push_back(dim);
    for (AffineExpr expr : map.getResults())
      order.push_back(cast<AffineDimExpr>(expr).getPosition());
    SmallVector<int64_t> back(order.size());
    for (auto [i, dim] : llvm::enumerate(order)) {
      shape.push_back(bounds[dim]);
      back[dim] = i;
    }
    Value wide = vector::BroadcastOp::create(
        b, VectorType::get(shape, getElementTypeOrSelf(operand)), operand);
    return vector::TransposeOp::create(b, wide, back);
  }

  Value contract(vector::ContractionOp product) {
    SmallVector<int64_t> bounds;
    product.getIterationBounds(bounds);
    auto maps = product.getIndexingMapsArray();
    Type element = getElementTypeOrSelf(product.getResultType());
    auto operand = [&](Value value, AffineMap map) {
      Value all = spread(value, map, bounds);
      auto type = cast<VectorType>(all.getType());
      if (type.getElementType() == element)
        return all;
      return isa<FloatType>(element)
                 ? Value(arith::ExtFOp::create(b, type.clone(element), all))
                 : Value(arith::ExtSIOp::create(b, type.clone(element), all));
    };
    Value lhs = operand(product.getLhs(), maps[0]),
          rhs = operand(product.getRhs(), maps[1]);
    Value points = isa<FloatType>(element)
                       ? Value(arith::MulFOp::create(b, lhs, rhs))
                       : Value(arith::MulIOp::create(b, lhs, rhs));
    SmallVector<bool> reduced;
    SmallVector<int64_t> keptDims;
    for (unsigned dim = 0; dim < bounds.size(); ++dim) {
      reduced.push_back(!maps[2].isFunctionOfDim(dim));
      if (!reduced.back())
        keptDims.push_back(dim);
    }
    // The reduction keeps the order of the loops, the result that of its map.
    SmallVector<int64_t> toLoops, toResult;
    for (AffineExpr expr : maps[2].getResults())
      toResult.push_back(
          llvm::find(keptDims, cast<AffineDimExpr>(expr).getPosition()) -
          keptDims.begin());
    toLoops.resize(toResult.size());
    for (auto [i, place] : llvm::enumerate(toResult))
      toLoops[place] = i;
    Value acc = product.getAcc();
    if (keptDims.empty())
      return reduce(product.getKind(), points, acc, reduced);
    acc = vector::TransposeOp::create(b, acc, toLoops);
    Value sums = reduce(product.getKind(), points, acc, reduced);
    return vector::TransposeOp::create(b, sums, toResult);
  }

  /// Replaces the op by its result where the mask is true, else by `otherwise`.
  LogicalResult choose(Operation *masked, Value otherwise) {
    masked->moveBefore(op);
    Value chosen = arith::SelectOp::create(b, op.getMask(),
                                           masked->getResult(0), otherwise);
    return finish(chosen);
  }

  LogicalResult move(VectorTransferOpInterface transfer) {
    Value mask = op.getMask();
    if (Value own = transfer.getMask())
      mask = arith::AndIOp::create(b, own, mask);
    transfer->moveBefore(op);
    auto read = dyn_cast<vector::TransferReadOp>(transfer.getOperation());
    if (read)
      read.getMaskMutable().assign(mask);
    else
      cast<vector::TransferWriteOp>(transfer.getOperation())
          .getMaskMutable()
          .assign(mask);
    if (!read)
      return finish(transfer->getResults());
    if (op.hasPassthru() && !read.getPermutationMap().isMinorIdentity())
      return read.emitOpError("is permuted and has a passthru under a mask; "
                              "give it the passthru by arith.select");
    b.setInsertionPointAfter(read);
    return finish(passed(read.getResult()));
  }

  template <typename Op> LogicalResult take(Op access) {
    access->moveBefore(op);
    b.setInsertionPoint(access);
    Value both = arith::AndIOp::create(b, access.getMask(), op.getMask());
    access.getMaskMutable().assign(both);
    if (access->getNumResults() == 0)
      return finish(ValueRange());
    b.setInsertionPointAfter(access);
    return finish(passed(access->getResult(0)));
  }

  vector::MaskOp op;
  ImplicitLocOpBuilder b;
};

struct LowerMasks final : distaff::impl::LowerMasksBase<LowerMasks> {
  void runOnOperation() override {
    SmallVector<vector::MaskOp> masks;
    getOperation()->walk([&](vector::MaskOp op) { masks.push_back(op); });
    for (vector::MaskOp op : masks)
      if (failed(Unmasking(op).rewrite()))
        return signalPassFailure();
  }
};

} // namespace
