//===- LowerScan.cpp - iree_linalg_ext.scan as a loop ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan becomes the loop that defines it (VX-222), which configure knows how
// to compute in parallel where its op has a neutral element:
//
//   for %j = 0 to n iter_args(%sum = %start, %out = empty) {
//     %x = extract_slice %in[.., %j, ..]
//     %next = region(%sum, %x)                    // inclusive: written
//     %out1 = insert_slice %next into %out[.., %j, ..]
//     yield %next, %out1
//   }
//
// An exclusive scan starts from its accumulator and writes %sum. An inclusive
// one starts from the neutral element of its region; where there is none, its
// first result is the first element, whatever %start is. Of no elements the
// last result is the accumulator (VX-239).
//
//===----------------------------------------------------------------------===//
#include "LinalgExtRegions.h"
#include "distaff/Analysis/ContractionBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::dispatch;

namespace {
/// Writes the loop of one scan.
class ScanLoopWriter {
public:
  ScanLoopWriter(ScanOp op, unsigned dim, bool isInclusive);

  void write();

private:
  Value combine(OpBuilder &b, Value sum, Value piece, Value isFirst);
  Value startOf(std::optional<TypedAttr> neutral);
  scf::ForOp writeLoop(Value start, bool keepsFirst);
  Value withoutDim(Value piece);
  bool mayBeEmpty() const { return type.isDynamicDim(dim); }
  Value alongDim(Value kept);
  Value
  writeLast(ValueRange tensors,
            function_ref<Value(OpBuilder &, ValueRange elements)> element);
  Value readLast(Value all);
  Value sumOrStart(Value sum);
  Value reduceAllButLast(TypedAttr neutral);
  Value reduceWithoutLast(TypedAttr neutral);

  ScanOp op;
  OpBuilder b;
  Location loc;
  Value source;
  RankedTensorType type, pieceType;
  unsigned dim;
  bool isInclusive;
  SmallVector<OpFoldResult> sizes, pieceSizes, strides;
  SmallVector<ReassociationIndices> groups; // dims of a piece, by result's dim
};
} // namespace

/// How dims without `dim` are those of a piece, in which it has extent 1.
static SmallVector<ReassociationIndices> groupsOf(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t other = 0; other < rank; ++other)
    if (other != dim)
      groups.push_back({other});
  if (!groups.empty() && dim > 0)
    groups[dim - 1].push_back(dim);
  else if (!groups.empty())
    groups.front().insert(groups.front().begin(), dim);
  return groups;
}

ScanLoopWriter::ScanLoopWriter(ScanOp op, unsigned dim, bool isInclusive)
    : op(op), b(op), loc(op.getLoc()), source(op.getInputs()[0]),
      type(cast<RankedTensorType>(source.getType())), dim(dim),
      isInclusive(isInclusive), sizes(tensor::getMixedSizes(b, loc, source)),
      pieceSizes(sizes), strides(sizes.size(), b.getIndexAttr(1)),
      groups(groupsOf(type.getRank(), dim)) {
  pieceSizes[dim] = b.getIndexAttr(1);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 1;
  pieceType = type.clone(shape);
}

Value ScanLoopWriter::combine(OpBuilder &b, Value sum, Value piece,
                              Value isFirst) {
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Value empty = emptyTensor(b, loc, pieceSizes, type.getElementType());
  return linalg::GenericOp::create(
             b, loc, pieceType, ValueRange{sum, piece}, empty, maps, iterators,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               Value next =
                   inlineRegion(b, regionOf(op), arguments.take_front(2));
               if (isFirst)
                 next = arith::SelectOp::create(b, loc, isFirst, arguments[1],
                                                next);
               linalg::YieldOp::create(b, loc, next);
             })
      .getResult(0);
}

/// The neutral element of a region that is one op, of its two arguments.
static std::optional<TypedAttr> neutralOf(Block *region) {
  Operation *last = region->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last != &region->front() || last->getNumOperands() != 2 ||
      !llvm::is_contained(last->getOperands(), region->getArgument(0)) ||
      !llvm::is_contained(last->getOperands(), region->getArgument(1)))
    return std::nullopt;
  return neutralOfCombiner(last);
}

/// A tensor like the accumulator with `dim`, of extent 1.
Value ScanLoopWriter::alongDim(Value kept) {
  Value empty = emptyTensor(b, loc, pieceSizes, type.getElementType());
  return linalg::BroadcastOp::create(b, loc, kept, empty,
                                     ArrayRef<int64_t>{int64_t(dim)})
      .getResult()[0];
}

Value ScanLoopWriter::startOf(std::optional<TypedAttr> neutral) {
  if (!isInclusive || !neutral)
    return alongDim(op.getOutputs()[1]);
  Value empty = emptyTensor(b, loc, pieceSizes, type.getElementType());
  Value value = arith::ConstantOp::create(b, loc, *neutral);
  return linalg::FillOp::create(b, loc, value, empty).getResult(0);
}

scf::ForOp ScanLoopWriter::writeLoop(Value start, bool keepsFirst) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1),
        end = getValueOrCreateConstantIndexOp(b, loc, sizes[dim]);
  Value out = emptyTensor(b, loc, sizes, type.getElementType());
  return scf::ForOp::create(
      b, loc, zero, end, one, ValueRange{start, out},
      [&](OpBuilder &b, Location loc, Value place, ValueRange carried) {
        SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
        offsets[dim] = place;
        Value piece = tensor::ExtractSliceOp::create(
            b, loc, pieceType, source, offsets, pieceSizes, strides);
        Value isFirst =
            keepsFirst ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                               place, zero)
                       : Value();
        Value next = combine(b, carried[0], piece, isFirst);
        Value put = tensor::InsertSliceOp::create(
            b, loc, isInclusive ? next : carried[0], carried[1], offsets,
            pieceSizes, strides);
        scf::YieldOp::create(b, loc, ValueRange{next, put});
      });
}

Value ScanLoopWriter::withoutDim(Value piece) {
  return tensor::CollapseShapeOp::create(
      b, loc, cast<RankedTensorType>(op.getOutputs()[1].getType()), piece,
      groups);
}

/// A tensor like the accumulator, of what `element` makes of the elements of
/// `tensors` at a place.
Value ScanLoopWriter::writeLast(
    ValueRange tensors,
    function_ref<Value(OpBuilder &, ValueRange elements)> element) {
  SmallVector<OpFoldResult> kept(sizes);
  kept.erase(kept.begin() + dim);
  Value empty = emptyTensor(b, loc, kept, type.getElementType());
  SmallVector<AffineMap> maps(tensors.size() + 1,
                              b.getMultiDimIdentityMap(kept.size()));
  SmallVector<utils::IteratorType> iterators(kept.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), tensors, empty, maps, iterators,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               linalg::YieldOp::create(b, loc,
                                       element(b, arguments.drop_back()));
             })
      .getResult(0);
}

/// What `all` holds at its last place; the accumulator where there is none.
Value ScanLoopWriter::readLast(Value all) {
  if (mayBeEmpty())
    all = tensor::ConcatOp::create(
        b, loc, dim, ValueRange{alongDim(op.getOutputs()[1]), all});
  Value end = getValueOrCreateConstantIndexOp(
      b, loc, tensor::getMixedSize(b, loc, all, dim));
  Value one = arith::ConstantIndexOp::create(b, loc, 1),
        last = b.createOrFold<arith::SubIOp>(loc, end, one);
  return writeLast({}, [&](OpBuilder &b, ValueRange) -> Value {
    SmallVector<Value> at;
    for (int64_t loop = 0; loop + 1 < type.getRank(); ++loop)
      at.push_back(linalg::IndexOp::create(b, loc, loop));
    at.insert(at.begin() + dim, last);
    return tensor::ExtractOp::create(b, loc, all, at);
  });
}

/// What the loop has combined; the accumulator where that is nothing.
Value ScanLoopWriter::sumOrStart(Value sum) {
  Value last = withoutDim(sum);
  if (!mayBeEmpty())
    return last;
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizes[dim]),
        zero = arith::ConstantIndexOp::create(b, loc, 0);
  return writeLast({op.getOutputs()[1], last}, [&](OpBuilder &b,
                                                   ValueRange elements) {
    Value isEmpty =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, end, zero);
    return arith::SelectOp::create(b, loc, isEmpty, elements[0], elements[1])
        .getResult();
  });
}

/// The accumulator combined with all elements but the last.
Value ScanLoopWriter::reduceAllButLast(TypedAttr neutral) {
  // Of no elements no part is one shorter.
  if (mayBeEmpty())
    return reduceWithoutLast(neutral);
  SmallVector<OpFoldResult> taken(sizes),
      offsets(sizes.size(), b.getIndexAttr(0));
  taken[dim] = b.getIndexAttr(type.getDimSize(dim) - 1);
  Value slice =
      tensor::ExtractSliceOp::create(b, loc, source, offsets, taken, strides);
  return linalg::ReduceOp::create(
             b, loc, slice, op.getOutputs()[1], ArrayRef<int64_t>{int64_t(dim)},
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               Value next =
                   inlineRegion(b, regionOf(op), {arguments[1], arguments[0]});
               linalg::YieldOp::create(b, loc, next);
             })
      .getResult(0);
}

/// The same, with the neutral element in place of the last.
Value ScanLoopWriter::reduceWithoutLast(TypedAttr neutral) {
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizes[dim]),
        one = arith::ConstantIndexOp::create(b, loc, 1),
        last = b.createOrFold<arith::SubIOp>(loc, end, one);
  unsigned rank = type.getRank();
  AffineMap whole = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[dim] = utils::IteratorType::reduction;
  Value start = op.getOutputs()[1];
  return linalg::GenericOp::create(
             b, loc, start.getType(), source, start,
             ArrayRef<AffineMap>{whole, whole.dropResult(dim)}, iterators,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               Value place = linalg::IndexOp::create(b, loc, dim);
               Value isLast = arith::CmpIOp::create(
                   b, loc, arith::CmpIPredicate::eq, place, last);
               Value none = arith::ConstantOp::create(b, loc, neutral);
               Value term =
                   arith::SelectOp::create(b, loc, isLast, none, arguments[0]);
               Value next = inlineRegion(b, regionOf(op), {arguments[1], term});
               linalg::YieldOp::create(b, loc, next);
             })
      .getResult(0);
}

void ScanLoopWriter::write() {
  std::optional<TypedAttr> neutral = neutralOf(regionOf(op));
  scf::ForOp loop =
      writeLoop(startOf(neutral), /*keepsFirst=*/isInclusive && !neutral);
  Value sum = loop.getResult(0), all = loop.getResult(1);
  op.getResults()[0].replaceAllUsesWith(all);
  if (!op.getResults()[1].use_empty()) {
    Value last = !neutral      ? readLast(all)
                 : isInclusive ? sumOrStart(sum)
                               : reduceAllButLast(*neutral);
    op.getResults()[1].replaceAllUsesWith(last);
  }
  op.erase();
}

/// The two outputs are the results so far and, without `dim`, the last.
static bool hasScanTypes(ScanOp op, RankedTensorType type, unsigned dim) {
  SmallVector<int64_t> kept(type.getShape());
  kept.erase(kept.begin() + dim);
  return op.getOutputs()[0].getType() == type &&
         op.getOutputs()[1].getType() == type.clone(kept);
}

LogicalResult distaff::lowerScan(ScanOp op) {
  auto inclusive = op->getAttrOfType<BoolAttr>("inclusive");
  auto type = op.getInputs().size() == 1
                  ? dyn_cast<RankedTensorType>(op.getInputs()[0].getType())
                  : RankedTensorType();
  std::optional<unsigned> dim = dimensionOf(op, type);
  if (!inclusive || !dim || op.getOutputs().size() != 2 ||
      op->getNumResults() != 2 || !hasScanTypes(op, type, *dim) ||
      !takesPairs(regionOf(op), type.getElementType(), type.getElementType()))
    return op.emitOpError(
        "is read with one input, a dimension of it, `inclusive`, the results "
        "so far and, without the dimension, the last one as outputs, and a "
        "region that combines two elements");
  if (type.getDimSize(*dim) == 0) {
    op->replaceAllUsesWith(op.getOutputs());
    op.erase();
    return success();
  }
  ScanLoopWriter(op, *dim, inclusive.getValue()).write();
  return success();
}
