//===- LogSumExpScans.cpp - Log-sum-exp scans -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LogSumExpScans.h"
#include "../Normalize/LogSumExpValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

/// Positions of a row that are scanned at once; each computes as many
/// exponentials.
static constexpr int64_t partLength = 32;

namespace {
/// Emits scans along one dim; tensors are of the wide type.
class LogSumExpScanWriter {
public:
  LogSumExpScanWriter(OpBuilder &builder, Location loc, FloatType element)
      : b(loc, builder), own(element),
        wide(element.getWidth() < 32 ? FloatType(b.getF32Type()) : element) {}

  Scanned write(Value source, Value start, unsigned dim, bool isExclusive);

private:
  using Body = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  /// Computes a tensor of `sizes`; inputs are indexed by `maps`.
  Value elementwise(ValueRange inputs, ArrayRef<AffineMap> maps,
                    ArrayRef<OpFoldResult> sizes, Type element, Body body);
  Value cast(Value value, FloatType to);
  /// Reduces all elements up to and including a position into `init`; `beside`
  /// has the positions.
  Value reduceBefore(
      Value source, Value init, ValueRange beside, unsigned dim, double neutral,
      llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> term,
      llvm::function_ref<Value(ImplicitLocOpBuilder &, Value, Value)> combine);
  Value scanAll(Value source, Value start, unsigned dim);
  Value scanShort(Value source, Value start, unsigned dim);
  Value scanParts(Value source, Value start, unsigned dim);
  /// Returns the source shifted by one position; the first one is none.
  Value moved(Value source, unsigned dim);
  Value padded(Value source, unsigned dim, int64_t low, int64_t high);
  /// Returns positions from `offset` on; `drops` returns one of them, without
  /// the dim.
  Value slice(Value source, unsigned dim, int64_t offset, int64_t count,
              bool drops = false);
  SmallVector<OpFoldResult> sizesOf(Value tensor) {
    return tensor::getMixedSizes(b, b.getLoc(), tensor);
  }
  Value constant(double number) {
    return arith::ConstantOp::create(b, b.getFloatAttr(wide, number));
  }
  AffineMap identity(unsigned rank) { return b.getMultiDimIdentityMap(rank); }
  Value combineBeside(Value before, AffineMap map, Value all);

  ImplicitLocOpBuilder b;
  FloatType own, wide;
};
} // namespace

static int64_t lengthOf(Value tensor, unsigned dim) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
}

static unsigned rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

static constexpr double none = -std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value LogSumExpScanWriter::elementwise(ValueRange inputs,
                                       ArrayRef<AffineMap> maps,
                                       ArrayRef<OpFoldResult> sizes,
                                       Type element, Body body) {
  Value out = tensor::EmptyOp::create(b, sizes, element);
  SmallVector<AffineMap> all(maps);
  all.push_back(identity(sizes.size()));
  auto made = linalg::GenericOp::create(
      b, out.getType(), inputs, out, all,
      SmallVector(sizes.size(), utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inside(loc, nested);
        linalg::YieldOp::create(inside, body(inside, elements.drop_back()));
      });
  return made.getResult(0);
}

Value LogSumExpScanWriter::cast(Value value, FloatType to) {
  if (getElementTypeOrSelf(value.getType()) == to)
    return value;
  auto ofElement = [&](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
    return to.getWidth() > own.getWidth()
               ? arith::ExtFOp::create(b, to, x[0]).getResult()
               : arith::TruncFOp::create(b, to, x[0]).getResult();
  };
  if (!isa<RankedTensorType>(value.getType()))
    return ofElement(b, value);
  return elementwise(value, identity(rankOf(value)), sizesOf(value), to,
                     ofElement);
}

Value LogSumExpScanWriter::padded(Value source, unsigned dim, int64_t low,
                                  int64_t high) {
  if (low == 0 && high == 0)
    return source;
  SmallVector<OpFoldResult> before(rankOf(source), b.getIndexAttr(0)),
      behind = before;
  before[dim] = b.getIndexAttr(low);
  behind[dim] = b.getIndexAttr(high);
  return tensor::PadOp::create(b, Type(), source, before, behind,
                               constant(none));
}

Value LogSumExpScanWriter::slice(Value source, unsigned dim, int64_t offset,
                                 int64_t count, bool drops) {
  SmallVector<OpFoldResult> sizes = sizesOf(source),
                            offsets(sizes.size(), b.getIndexAttr(0)),
                            ones(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = b.getIndexAttr(offset);
  sizes[dim] = b.getIndexAttr(count);
  SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
  if (drops)
    shape.erase(shape.begin() + dim);
  return tensor::ExtractSliceOp::create(b, RankedTensorType::get(shape, wide),
                                        source, offsets, sizes, ones);
}

Value LogSumExpScanWriter::moved(Value source, unsigned dim) {
  if (lengthOf(source, dim) == 1)
    return linalg::FillOp::create(
               b, constant(none),
               tensor::EmptyOp::create(b, sizesOf(source), wide).getResult())
        .getResult(0);
  return padded(slice(source, dim, 0, lengthOf(source, dim) - 1), dim, 1, 0);
}

/// Combines the result before, indexed by `map`, with a scan from nothing.
Value LogSumExpScanWriter::combineBeside(Value before, AffineMap map,
                                         Value all) {
  return elementwise({before, all}, {map, identity(rankOf(all))}, sizesOf(all),
                     wide, [](ImplicitLocOpBuilder &b, ValueRange x) {
                       return log_sum_exp::combine(b, x[0], x[1]);
                     });
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

Value LogSumExpScanWriter::reduceBefore(
    Value source, Value init, ValueRange beside, unsigned dim, double neutral,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> term,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, Value, Value)> combine) {
  unsigned rank = rankOf(source);
  SmallVector<AffineExpr> places, results;
  for (unsigned at = 0; at < rank; ++at) {
    results.push_back(b.getAffineDimExpr(at));
    places.push_back(b.getAffineDimExpr(at == dim ? rank : at));
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  SmallVector<Value> inputs = {source};
  llvm::append_range(inputs, beside);
  SmallVector<AffineMap> maps(
      inputs.size() + 1, AffineMap::get(rank + 1, 0, results, b.getContext()));
  maps[0] = AffineMap::get(rank + 1, 0, places, b.getContext());
  auto made = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inside(loc, nested);
        Value counts =
            arith::CmpIOp::create(inside, arith::CmpIPredicate::sle,
                                  linalg::IndexOp::create(inside, rank),
                                  linalg::IndexOp::create(inside, dim));
        Value nothing = arith::ConstantOp::create(
            inside, inside.getFloatAttr(wide, neutral));
        Value counted = arith::SelectOp::create(
            inside, counts, term(inside, elements.drop_back()), nothing);
        linalg::YieldOp::create(inside,
                                combine(inside, elements.back(), counted));
      });
  return made.getResult(0);
}

/// Scans each position from the first one on.
Value LogSumExpScanWriter::scanShort(Value source, Value start, unsigned dim) {
  AffineMap all = identity(rankOf(source));
  SmallVector<OpFoldResult> sizes = sizesOf(source);
  bool isScalar = !isa<RankedTensorType>(start.getType());
  AffineMap kept = isScalar
                       ? AffineMap::get(all.getNumDims(), 0, b.getContext())
                       : all.dropResult(dim);
  auto copy = [](ImplicitLocOpBuilder &, ValueRange x) { return x[0]; };
  Value first = elementwise(start, kept, sizes, wide, copy);
  Value largest = reduceBefore(
      source, first, {}, dim, none,
      [](ImplicitLocOpBuilder &, ValueRange x) { return x[0]; },
      [](ImplicitLocOpBuilder &b, Value soFar, Value term) -> Value {
        return arith::MaximumFOp::create(b, soFar, term);
      });
  Value shift = elementwise(largest, all, sizes, wide,
                            [](ImplicitLocOpBuilder &b, ValueRange x) {
                              return log_sum_exp::ifFinite(b, x[0], x[0]);
                            });
  Value begun = elementwise({start, shift}, {kept, all}, sizes, wide,
                            [](ImplicitLocOpBuilder &b, ValueRange x) {
                              return log_sum_exp::exponential(b, x[0], x[1]);
                            });
  Value sum = reduceBefore(
      source, begun, shift, dim, 0,
      [](ImplicitLocOpBuilder &b, ValueRange x) {
        return log_sum_exp::exponential(b, x[0], x[1]);
      },
      [](ImplicitLocOpBuilder &b, Value soFar, Value term) -> Value {
        return arith::AddFOp::create(b, soFar, term);
      });
  return elementwise({sum, shift}, {all, all}, sizes, wide,
                     [](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
                       Value log = math::LogOp::create(b, x[0]);
                       return arith::AddFOp::create(b, x[1], log);
                     });
}

/// Scans the parts of a row at the same time, and then the results before each.
Value LogSumExpScanWriter::scanParts(Value source, Value start, unsigned dim) {
  int64_t length = lengthOf(source, dim),
          count = llvm::divideCeil(length, partLength);
  unsigned rank = rankOf(source);
  Value whole = padded(source, dim, 0, count * partLength - length);
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes = sizesOf(whole);
  sizes[dim] = b.getIndexAttr(partLength);
  sizes.insert(sizes.begin() + dim, b.getIndexAttr(count));
  for (unsigned at = 0; at <= rank; ++at)
    if (at == dim + 1)
      groups.back().push_back(at);
    else
      groups.push_back({int64_t(at)});
  auto type = RankedTensorType::get(decomposeMixedValues(sizes).first, wide);
  Value parts = tensor::ExpandShapeOp::create(b, type, whole, groups, sizes);
  Value scanned = scanShort(parts, constant(none), dim + 1);
  Value ends = slice(scanned, dim + 1, partLength - 1, 1, /*drops=*/true);
  Value before = scanAll(moved(ends, dim), start, dim);
  Value all =
      combineBeside(before, identity(rank + 1).dropResult(dim + 1), scanned);
  Value joined = tensor::CollapseShapeOp::create(b, all, groups);
  return slice(joined, dim, 0, length);
}

Value LogSumExpScanWriter::scanAll(Value source, Value start, unsigned dim) {
  return lengthOf(source, dim) <= 2 * partLength
             ? scanShort(source, start, dim)
             : scanParts(source, start, dim);
}

Scanned LogSumExpScanWriter::write(Value source, Value start, unsigned dim,
                                   bool isExclusive) {
  source = cast(source, wide);
  start = cast(start, wide);
  int64_t length = lengthOf(source, dim);
  Value all = scanAll(isExclusive ? moved(source, dim) : source, start, dim);
  Value last = slice(all, dim, length - 1, 1, /*drops=*/true);
  if (isExclusive)
    last = combineBeside(last, identity(rankOf(last)),
                         slice(source, dim, length - 1, 1, /*drops=*/true));
  return {cast(all, own), cast(last, own)};
}

Scanned distaff::scanByLogSumExp(OpBuilder &b, Location loc, Value source,
                                 Value start, unsigned dim, bool isExclusive) {
  auto element = cast<FloatType>(getElementTypeOrSelf(source.getType()));
  return LogSumExpScanWriter(b, loc, element)
      .write(source, start, dim, isExclusive);
}
