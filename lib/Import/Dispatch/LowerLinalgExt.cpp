//===- LowerLinalgExt.cpp - Ops of iree_linalg_ext as ops of linalg -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attention is two contractions with a softmax between:
//
//   S = Q K, in f32, times the scale     b m k1, b k2 k1 -> b m k2
//   S = region(S); S + mask, or -inf where it is false
//   P = softmax(S) along k2
//   O = P V                              b m k2, b k2 n -> b m n
//
// online_attention leaves out the division of P: its results are sums of
// powers, and their maxima, in units that only the code that combines several
// partial results may use. arg_compare is a reduction of pairs, gather a map
// that reads its source. Scans are in LowerScan.cpp, sorts in LowerSort.cpp.
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "LinalgExtRegions.h"
#include "distaff/Dialect/Dispatch/LinalgExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::dispatch;

namespace {
/// A tensor, with the dimensions of an op that it has.
struct Indexed {
  Value tensor;
  SmallVector<unsigned> dims;
};

using BodyBuilder = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// Builds ops of linalg whose dimensions are those of an attention.
class AttentionWriter {
public:
  AttentionWriter(Operation *op, ArrayRef<AffineMap> maps, ValueRange operands)
      : op(op), b(op), loc(op->getLoc()), rank(maps.front().getNumDims()) {
    for (auto [map, operand] : llvm::zip(maps, operands)) {
      SmallVector<unsigned> dims;
      for (AffineExpr result : map.getResults())
        dims.push_back(cast<AffineDimExpr>(result).getPosition());
      values.push_back({operand, dims});
    }
  }

  const Indexed &value(unsigned number) const { return values[number]; }

  /// Returns the extents of dimensions, from any operand that has them.
  SmallVector<OpFoldResult> extentsOf(ArrayRef<unsigned> dims);

  Indexed fill(ArrayRef<unsigned> dims, double number);
  Indexed empty(ArrayRef<unsigned> dims, Type element);

  /// Returns `out` combined with the inputs; dimensions that it lacks are
  /// reduced.
  Indexed generic(ArrayRef<Indexed> inputs, Indexed out, BodyBuilder body);

  Indexed contract(const Indexed &lhs, const Indexed &rhs,
                   ArrayRef<unsigned> dims);
  Indexed scores(Block *region, Value scale, const Indexed *mask);
  Indexed cast(const Indexed &from, Type element);

  Operation *op;
  OpBuilder b;
  Location loc;

private:
  unsigned rank;
  SmallVector<Indexed> values;
};
} // namespace

/// Extends a float of an op to f32.
static Value widen(OpBuilder &b, Location loc, Value value) {
  return value.getType().getIntOrFloatBitWidth() < 32
             ? arith::ExtFOp::create(b, loc, b.getF32Type(), value).getResult()
             : value;
}

SmallVector<OpFoldResult> AttentionWriter::extentsOf(ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(dims, [&](unsigned dim) {
    for (const Indexed &value : values)
      for (auto [position, own] : llvm::enumerate(value.dims))
        if (own == dim)
          return tensor::getMixedSize(b, loc, value.tensor, position);
    llvm_unreachable("every dimension is one of an operand");
  });
}

Indexed AttentionWriter::empty(ArrayRef<unsigned> dims, Type element) {
  return {tensor::EmptyOp::create(b, loc, extentsOf(dims), element),
          llvm::to_vector(dims)};
}

Indexed AttentionWriter::fill(ArrayRef<unsigned> dims, double number) {
  Value value = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(number));
  Indexed init = empty(dims, b.getF32Type());
  return {linalg::FillOp::create(b, loc, value, init.tensor).getResult(0),
          init.dims};
}

Indexed AttentionWriter::generic(ArrayRef<Indexed> inputs, Indexed out,
                                 BodyBuilder body) {
  // Its loops are the dimensions that occur, in the order of the op's.
  llvm::SmallBitVector used(rank), parallel(rank);
  auto mark = [](llvm::SmallBitVector &bits, const Indexed &value) {
    for (unsigned dim : value.dims)
      bits.set(dim);
  };
  for (const Indexed &input : inputs)
    mark(used, input);
  mark(used, out);
  mark(parallel, out);
  SmallVector<unsigned> loops(used.set_bits());
  auto mapOf = [&](const Indexed &value) {
    SmallVector<AffineExpr> results;
    for (unsigned dim : value.dims)
      results.push_back(
          b.getAffineDimExpr(llvm::find(loops, dim) - loops.begin()));
    return AffineMap::get(loops.size(), 0, results, b.getContext());
  };
  SmallVector<AffineMap> maps(llvm::map_range(inputs, mapOf));
  maps.push_back(mapOf(out));
  auto iterators = llvm::map_to_vector(loops, [&](unsigned dim) {
    return parallel.test(dim) ? utils::IteratorType::parallel
                              : utils::IteratorType::reduction;
  });
  auto tensors = llvm::map_to_vector(
      inputs, [](const Indexed &input) { return input.tensor; });
  auto made = linalg::GenericOp::create(
      b, loc, TypeRange(out.tensor.getType()), tensors, ValueRange(out.tensor),
      maps, iterators,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        linalg::YieldOp::create(inner, at, body(inner, at, arguments));
      });
  return {made.getResult(0), out.dims};
}

Indexed AttentionWriter::contract(const Indexed &lhs, const Indexed &rhs,
                                  ArrayRef<unsigned> dims) {
  return generic({lhs, rhs}, fill(dims, 0.0),
                 [](OpBuilder &b, Location loc, ValueRange values) -> Value {
                   Value x = widen(b, loc, values[0]),
                         y = widen(b, loc, values[1]);
                   Value product = arith::MulFOp::create(b, loc, x, y);
                   return arith::AddFOp::create(b, loc, values[2], product);
                 });
}

Indexed AttentionWriter::cast(const Indexed &from, Type element) {
  if (getElementTypeOrSelf(from.tensor.getType()) == element)
    return from;
  return generic(from, empty(from.dims, element),
                 [&](OpBuilder &b, Location loc, ValueRange values) -> Value {
                   return arith::TruncFOp::create(b, loc, element, values[0]);
                 });
}

/// Returns the region's result for a score at the loops of an op of linalg.
static Value inlineScoreRegion(OpBuilder &b, Block *region, Value score,
                               ArrayRef<unsigned> loops) {
  if (!region)
    return score;
  IRMapping map;
  map.map(region->getArgument(0), score);
  for (Operation &inner : region->without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(inner)) {
      unsigned loop = llvm::find(loops, index.getDim()) - loops.begin();
      map.map(index.getResult(),
              linalg::IndexOp::create(b, index.getLoc(), loop).getResult());
      continue;
    }
    b.clone(inner, map);
  }
  return map.lookupOrDefault(region->getTerminator()->getOperand(0));
}

Indexed AttentionWriter::scores(Block *region, Value scale,
                                const Indexed *mask) {
  SmallVector<unsigned> dims;
  auto has = [](const Indexed &value, unsigned dim) {
    return llvm::is_contained(value.dims, dim);
  };
  const Indexed &query = values[0], &key = values[1], &value = values[2];
  for (unsigned dim = 0; dim < rank; ++dim) {
    bool isReduced = has(query, dim) && has(key, dim) && !has(value, dim);
    if ((has(query, dim) || has(key, dim)) && !isReduced)
      dims.push_back(dim);
  }
  Indexed products = contract(query, key, dims);
  SmallVector<Indexed> inputs = {products};
  if (mask)
    inputs.push_back(*mask);
  return generic(
      inputs, empty(dims, b.getF32Type()),
      [&](OpBuilder &b, Location loc, ValueRange arguments) -> Value {
        Value score =
            arith::MulFOp::create(b, loc, arguments[0], widen(b, loc, scale));
        score = inlineScoreRegion(b, region, score, dims);
        if (!mask)
          return score;
        if (!arguments[1].getType().isInteger(1))
          return arith::AddFOp::create(b, loc, score,
                                       widen(b, loc, arguments[1]));
        Value none = arith::ConstantOp::create(
            b, loc,
            b.getFloatAttr(b.getF32Type(),
                           APFloat::getInf(APFloat::IEEEsingle(), true)));
        return arith::SelectOp::create(b, loc, arguments[1], score, none);
      });
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

static SmallVector<AffineMap> mapsOf(Operation *op) {
  auto maps = op->getAttrOfType<ArrayAttr>("indexing_maps");
  return maps ? llvm::to_vector(maps.getAsValueRange<AffineMapAttr>())
              : SmallVector<AffineMap>();
}

/// Checks that the operands of an attention have the form that this file
/// supports.
static LogicalResult checkAttention(Operation *op, ValueRange inputs,
                                    size_t numOutputs) {
  SmallVector<AffineMap> maps = mapsOf(op);
  if (inputs.size() < 4 || inputs.size() > 5 ||
      maps.size() != inputs.size() + numOutputs ||
      !isa<FloatType>(inputs[3].getType()) ||
      !llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op->emitOpError(
        "is read with queries, keys, values, a scale that is a float, perhaps "
        "a "
        "mask, and as many projected permutations in indexing_maps");
  return success();
}

/// Returns the dimension of the keys.
static FailureOr<unsigned> keyDimOf(Operation *op, const Indexed &query,
                                    const Indexed &key) {
  SmallVector<unsigned> found;
  SmallVector<AffineMap> maps = mapsOf(op);
  for (unsigned dim : key.dims)
    if (!llvm::is_contained(query.dims, dim) && maps[2].isFunctionOfDim(dim))
      found.push_back(dim);
  if (found.size() == 1)
    return found.front();
  return op->emitOpError("has keys along ")
         << found.size() << " dimensions; one is read";
}

static LogicalResult lowerAttention(AttentionOp op) {
  if (failed(checkAttention(op, op.getInputs(), 1)))
    return failure();
  SmallVector<Value> operands(op->getOperands());
  AttentionWriter writer(op, mapsOf(op), operands);
  FailureOr<unsigned> keyDim = keyDimOf(op, writer.value(0), writer.value(1));
  if (failed(keyDim))
    return failure();
  bool isMasked = op.getInputs().size() == 5;
  Indexed scores = writer.scores(regionOf(op), op.getInputs()[3],
                                 isMasked ? &writer.value(4) : nullptr);
  unsigned position = llvm::find(scores.dims, *keyDim) - scores.dims.begin();
  Indexed powers = writer.empty(scores.dims, writer.b.getF32Type());
  powers.tensor =
      linalg::SoftmaxOp::create(writer.b, writer.loc, powers.tensor.getType(),
                                scores.tensor, powers.tensor, position)
          .getResult()[0];
  Type element = getElementTypeOrSelf(op.getInputs()[2].getType());
  const Indexed &out = writer.value(operands.size() - 1);
  Indexed result =
      writer.contract(writer.cast(powers, element), writer.value(2), out.dims);
  result = writer.cast(result, getElementTypeOrSelf(out.tensor.getType()));
  op->replaceAllUsesWith(ValueRange(result.tensor));
  op->erase();
  return success();
}

static bool isFilledWith(Value tensor, double number) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  FloatAttr value;
  return fill && matchPattern(fill.getInputs()[0], m_Constant(&value)) &&
         value.getValueAsDouble() == number;
}

static LogicalResult lowerOnlineAttention(OnlineAttentionOp op) {
  if (failed(checkAttention(op, op.getInputs(), 3)))
    return failure();
  if (!op.getResults()[1].use_empty() || !isFilledWith(op.getOutputs()[0], 0) ||
      !isFilledWith(op.getOutputs()[2], 0))
    return op.emitOpError("goes on from the sums of another, or its maxima are "
                          "used; a whole attention is read");
  SmallVector<Value> operands(op->getOperands());
  AttentionWriter writer(op, mapsOf(op), operands);
  if (failed(keyDimOf(op, writer.value(0), writer.value(1))))
    return failure();
  bool isMasked = op.getInputs().size() == 5;
  Indexed scores = writer.scores(regionOf(op), op.getInputs()[3],
                                 isMasked ? &writer.value(4) : nullptr);
  const Indexed &out = writer.value(op.getInputs().size()),
                &best = writer.value(op.getInputs().size() + 1);
  Indexed maxima = writer.generic(
      scores, best, [](OpBuilder &b, Location loc, ValueRange values) -> Value {
        return arith::MaximumFOp::create(b, loc, values[0], values[1]);
      });
  Indexed powers = writer.generic(
      {scores, maxima}, writer.empty(scores.dims, writer.b.getF32Type()),
      [](OpBuilder &b, Location loc, ValueRange values) -> Value {
        Value less = arith::SubFOp::create(b, loc, values[0], values[1]);
        return math::ExpOp::create(b, loc, less);
      });
  Indexed sums = writer.generic(
      powers, writer.fill(best.dims, 0.0),
      [](OpBuilder &b, Location loc, ValueRange values) -> Value {
        return arith::AddFOp::create(b, loc, values[0], values[1]);
      });
  Type element = getElementTypeOrSelf(op.getInputs()[2].getType());
  Indexed result =
      writer.contract(writer.cast(powers, element), writer.value(2), out.dims);
  op->replaceAllUsesWith(ValueRange{result.tensor, maxima.tensor, sums.tensor});
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// arg_compare
//===----------------------------------------------------------------------===//

static LogicalResult lowerArgCompare(ArgCompareOp op) {
  auto dimension = op->getAttrOfType<IntegerAttr>("dimension");
  auto type = op.getInputs().empty()
                  ? RankedTensorType()
                  : dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  if (!dimension || !type || op.getInputs().size() != 1 ||
      op.getOutputs().size() != 2 || !regionOf(op))
    return op.emitOpError(
        "is read with one input, two outputs, a dimension and "
        "a region that compares");
  OpBuilder b(op);
  unsigned rank = type.getRank(), reduced = dimension.getInt();
  AffineMap all = b.getMultiDimIdentityMap(rank);
  AffineMap kept = all.dropResult(reduced);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[reduced] = utils::IteratorType::reduction;
  Block *region = regionOf(op);
  auto made = linalg::GenericOp::create(
      b, op.getLoc(), ValueRange(op.getOutputs()).getTypes(), op.getInputs(),
      op.getOutputs(), ArrayRef<AffineMap>{all, kept, kept}, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange values) {
        IRMapping map;
        map.map(region->getArgument(0), values[0]);
        map.map(region->getArgument(1), values[1]);
        for (Operation &each : region->without_terminator())
          inner.clone(each, map);
        Value wins =
            map.lookupOrDefault(region->getTerminator()->getOperand(0));
        Value place = linalg::IndexOp::create(inner, loc, reduced);
        if (place.getType() != values[2].getType())
          place = arith::IndexCastOp::create(inner, loc, values[2].getType(),
                                             place);
        Value best =
            arith::SelectOp::create(inner, loc, wins, values[0], values[1]);
        Value where =
            arith::SelectOp::create(inner, loc, wins, place, values[2]);
        linalg::YieldOp::create(inner, loc, ValueRange{best, where});
      });
  op->replaceAllUsesWith(made);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

static LogicalResult lowerGather(GatherOp op) {
  auto dimensionMap = op->getAttrOfType<DenseI64ArrayAttr>("dimension_map");
  SmallVector<int64_t> gathered;
  if (dimensionMap)
    gathered = llvm::to_vector(dimensionMap.asArrayRef());
  else if (auto array = op->getAttrOfType<ArrayAttr>("dimension_map"))
    for (IntegerAttr each : array.getAsRange<IntegerAttr>())
      gathered.push_back(each.getInt());
  if (gathered.empty() || op.getInputs().size() != 2 ||
      op.getOutputs().size() != 1)
    return op.emitOpError("is read with a source, indices, one output and a "
                          "dimension_map");
  OpBuilder b(op);
  Value source = op.getInputs()[0], indices = op.getInputs()[1];
  auto indicesType = cast<RankedTensorType>(indices.getType());
  unsigned rank =
               cast<RankedTensorType>(op.getResults()[0].getType()).getRank(),
           sourceRank = cast<RankedTensorType>(source.getType()).getRank(),
           batch = rank - (sourceRank - gathered.size());
  bool hasDepth = indicesType.getRank() != int64_t(batch);
  AffineMap all = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), /*inputs=*/ValueRange(),
      op.getOutputs(), ArrayRef<AffineMap>{all}, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange) {
        SmallVector<Value> loops, places;
        for (unsigned dim = 0; dim < rank; ++dim)
          loops.push_back(linalg::IndexOp::create(inner, loc, dim));
        SmallVector<Value> at(ArrayRef(loops).take_front(batch));
        places.resize(sourceRank);
        for (auto [number, dim] : llvm::enumerate(gathered)) {
          SmallVector<Value> word(at);
          if (hasDepth)
            word.push_back(arith::ConstantIndexOp::create(inner, loc, number));
          Value place = tensor::ExtractOp::create(inner, loc, indices, word);
          if (!place.getType().isIndex())
            place = arith::IndexCastOp::create(inner, loc, inner.getIndexType(),
                                               place);
          places[dim] = place;
        }
        unsigned next = batch;
        for (Value &place : places)
          if (!place)
            place = loops[next++];
        Value element = tensor::ExtractOp::create(inner, loc, source, places);
        linalg::YieldOp::create(inner, loc, element);
      });
  op->replaceAllUsesWith(made);
  op->erase();
  return success();
}

static LogicalResult lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](AttentionOp op) { return lowerAttention(op); })
      .Case([](OnlineAttentionOp op) { return lowerOnlineAttention(op); })
      .Case([](ArgCompareOp op) { return lowerArgCompare(op); })
      .Case([](GatherOp op) { return lowerGather(op); })
      .Case([](Im2colOp op) { return lowerIm2col(op); })
      .Case([](MapStoreOp op) { return lowerMapStore(op); })
      .Case([](ScanOp op) { return lowerScan(op); })
      .Case([](SortOp op) { return lowerSort(op); })
      .Case<TopkOp, TopkV2Op>([](auto op) {
        return lowerTopk(op, op.getInputs(), op.getOutputs());
      })
      .Default([](Operation *) -> LogicalResult {
        llvm_unreachable("all ops that are in no other's region are listed");
      });
}

LogicalResult distaff::lowerLinalgExt(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<LinalgExtDialect>(op->getDialect()) &&
        !isa<IndexOp, YieldOp>(op))
      ops.push_back(op);
  });
  if (!ops.empty())
    module.getContext()
        ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                      math::MathDialect, scf::SCFDialect,
                      tensor::TensorDialect>();
  for (Operation *op : ops)
    if (failed(lower(op)))
      return failure();
  return success();
}
