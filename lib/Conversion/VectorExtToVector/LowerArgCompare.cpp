//===- LowerArgCompare.cpp - Lowering of arg_compare ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers code that has no lanes. A region of elementwise ops is applied to
// whole slices, one per position along the dimension:
//
//   best = init;  for p = 0, 1, ...:
//     wins = region(x[.., p, ..], best)
//     best = select(wins, x[.., p, ..], best),  the same for the index
//
// Any other region, or a dimension that is too long to be unrolled, becomes
// loops over the elements of flat vectors, with scalars.
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/Passes.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_VECTOREXTLOWERARGCOMPARE
#include "distaff/Conversion/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using vector_ext::ArgCompareOp;

namespace {

/// The limit on positions along the dimension that are unrolled.
constexpr int64_t mostUnrolledComparisons = 256;

struct Best {
  Value value, index;
};

class ArgCompareLowering {
public:
  ArgCompareLowering(ArgCompareOp op, RewriterBase &b)
      : op(op), b(b), loc(op.getLoc()),
        input(cast<VectorType>(op.getInputValue().getType())),
        result(cast<VectorType>(op.getResultValue().getType())),
        indexType(getElementTypeOrSelf(op.getResultIndex().getType())) {}

  Best lower() {
    return isElementwise() && extent() <= mostUnrolledComparisons ? writeOut()
                                                                  : loop();
  }

private:
  int64_t extent() { return input.getDimSize(op.getDimension()); }
  Block &region() { return op.getRegion().front(); }

  /// Returns whether every op of the region takes vectors as it takes scalars.
  bool isElementwise() {
    return llvm::all_of(region().without_terminator(), [](Operation &inner) {
      auto isScalar = [](Type type) { return !isa<ShapedType>(type); };
      return (::mlir::OpTrait::hasElementwiseMappableTraits(&inner) ||
              inner.hasTrait<::mlir::OpTrait::ConstantLike>()) &&
             llvm::all_of(inner.getOperandTypes(), isScalar) &&
             llvm::all_of(inner.getResultTypes(), isScalar);
    });
  }

  //===--------------------------------------------------------------------===//
  // Slices
  //===--------------------------------------------------------------------===//

  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(b, loc, result.clone(scalar.getType()),
                                       scalar);
  }

  /// Transposes a value so that the dimension is the first.
  Value transposed(Value value) {
    SmallVector<int64_t> order = {int64_t(op.getDimension())};
    for (int64_t dim = 0; dim < input.getRank(); ++dim)
      if (dim != int64_t(op.getDimension()))
        order.push_back(dim);
    return llvm::is_sorted(order)
               ? value
               : vector::TransposeOp::create(b, loc, value, order);
  }

  Value slice(Value value, int64_t position) {
    Value part = vector::ExtractOp::create(b, loc, value, position);
    return isa<VectorType>(part.getType()) ? part : broadcast(part);
  }

  /// Emits the region on vectors; values from outside are broadcast.
  Value wins(Value candidate, Value best) {
    IRMapping map;
    map.map(region().getArguments(), ValueRange{candidate, best});
    auto mapped = [&](Value value) {
      return map.contains(value) ? map.lookup(value) : broadcast(value);
    };
    for (Operation &inner : region().without_terminator()) {
      if (inner.hasTrait<::mlir::OpTrait::ConstantLike>()) {
        map.map(inner.getResult(0), broadcast(b.clone(inner)->getResult(0)));
        continue;
      }
      OperationState state(inner.getLoc(), inner.getName());
      for (Value operand : inner.getOperands())
        state.operands.push_back(mapped(operand));
      for (Type type : inner.getResultTypes())
        state.types.push_back(result.clone(type));
      state.attributes.append(inner.getAttrs().begin(), inner.getAttrs().end());
      map.map(inner.getResults(), b.create(state)->getResults());
    }
    return mapped(region().getTerminator()->getOperand(0));
  }

  Best writeOut() {
    Value values = transposed(op.getInputValue());
    Value indices =
        op.getInputIndex() ? transposed(op.getInputIndex()) : Value();
    Best best = {op.getInitValue(), op.getInitIndex()};
    for (int64_t position = 0; position < extent(); ++position) {
      Value candidate = slice(values, position);
      Value index =
          indices ? slice(indices, position)
                  : broadcast(implicitIndex(
                        arith::ConstantIndexOp::create(b, loc, position)));
      Value isBetter = wins(candidate, best.value);
      best = {arith::SelectOp::create(b, loc, isBetter, candidate, best.value),
              arith::SelectOp::create(b, loc, isBetter, index, best.index)};
    }
    return best;
  }

  /// Returns the index of a position if no input gives it.
  Value implicitIndex(Value position) {
    if (op.getIndexBase())
      position =
          b.createOrFold<arith::AddIOp>(loc, op.getIndexBase(), position);
    return indexType.isIndex()
               ? position
               : b.createOrFold<arith::IndexCastOp>(loc, indexType, position);
  }

  //===--------------------------------------------------------------------===//
  // Scalars
  //===--------------------------------------------------------------------===//

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  VectorType flatType(VectorType type) {
    return VectorType::get({type.getNumElements()}, type.getElementType());
  }

  Value flat(Value value) {
    auto type = cast<VectorType>(value.getType());
    return type.getRank() == 1
               ? value
               : vector::ShapeCastOp::create(b, loc, flatType(type), value);
  }

  Value shaped(Value value, Type type) {
    return value.getType() == type
               ? value
               : vector::ShapeCastOp::create(b, loc, type, value);
  }

  Value extract(Value flat, Value at) {
    return vector::ExtractOp::create(b, loc, flat, at);
  }

  Best loop() {
    Value values = flat(op.getInputValue());
    Value indices = op.getInputIndex() ? flat(op.getInputIndex()) : Value();
    Value initValues = flat(op.getInitValue());
    Value initIndices = flat(op.getInitIndex());
    SmallVector<Value> empty = {
        ub::PoisonOp::create(b, loc, initValues.getType()),
        ub::PoisonOp::create(b, loc, initIndices.getType())};
    auto results = scf::ForOp::create(
        b, loc, constant(0), constant(result.getNumElements()), constant(1),
        empty, [&](OpBuilder &, Location, Value at, ValueRange all) {
          Best best =
              search(values, indices,
                     {extract(initValues, at), extract(initIndices, at)}, at);
          Value value =
              vector::InsertOp::create(b, loc, best.value, all[0], at);
          Value index =
              vector::InsertOp::create(b, loc, best.index, all[1], at);
          scf::YieldOp::create(b, loc, ValueRange{value, index});
        });
    return {shaped(results.getResult(0), op.getResultValue().getType()),
            shaped(results.getResult(1), op.getResultIndex().getType())};
  }

  /// Emits the search for the best of the elements of number `at` of the
  /// result.
  Best search(Value values, Value indices, Best init, Value at) {
    // Number (outer, inner) of the result is (outer, p, inner) of the input.
    int64_t inner =
        computeProduct(input.getShape().drop_front(op.getDimension() + 1));
    Value width = constant(inner);
    Value row = arith::DivUIOp::create(b, loc, at, width);
    Value column = arith::RemUIOp::create(b, loc, at, width);
    Value start = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, row, constant(inner * extent())),
        column);
    auto results = scf::ForOp::create(
        b, loc, constant(0), constant(extent()), constant(1),
        ValueRange{init.value, init.index},
        [&](OpBuilder &, Location, Value position, ValueRange best) {
          Value from = arith::AddIOp::create(
              b, loc, start, arith::MulIOp::create(b, loc, position, width));
          Value candidate = extract(values, from);
          Value index =
              indices ? extract(indices, from) : implicitIndex(position);
          IRMapping map;
          map.map(region().getArguments(), ValueRange{candidate, best[0]});
          for (Operation &op : region().without_terminator())
            b.clone(op, map);
          Value isBetter =
              map.lookupOrDefault(region().getTerminator()->getOperand(0));
          Value value =
              arith::SelectOp::create(b, loc, isBetter, candidate, best[0]);
          index = arith::SelectOp::create(b, loc, isBetter, index, best[1]);
          scf::YieldOp::create(b, loc, ValueRange{value, index});
        });
    return {results.getResult(0), results.getResult(1)};
  }

  ArgCompareOp op;
  RewriterBase &b;
  Location loc;
  VectorType input, result;
  Type indexType;
};

struct LowerArgComparePass final
    : distaff::impl::VectorExtLowerArgCompareBase<LowerArgComparePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](ArgCompareOp op) {
      rewriter.setInsertionPoint(op);
      Best best = ArgCompareLowering(op, rewriter).lower();
      rewriter.replaceOp(op, {best.value, best.index});
    });
  }
};

} // namespace
