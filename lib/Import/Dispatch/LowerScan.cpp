//===- LowerScan.cpp - iree_linalg_ext.scan as a loop ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan becomes the loop that defines it (VX-222); configure can compute it in
// parallel if its op has a neutral element:
//
//   for %j = 0 to n iter_args(%sum = %start, %out = empty) {
//     %x = extract_slice %in[.., %j, ..]
//     %next = region(%sum, %x)                    // inclusive: written
//     %out1 = insert_slice %next into %out[.., %j, ..]
//     yield %next, %out1
//   }
//
// An exclusive scan starts from its accumulator and writes %sum. An inclusive
// one starts from the neutral element of its region; without one, its first
// result is the first element, for any %start.
//
//===----------------------------------------------------------------------===//
#include "LinalgExtRegions.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
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
  scf::ForOp writeLoop(Value start, bool keepsFirst, bool keepsPrevious);
  Value withoutDim(Value piece);
  Value unlessEmpty(Value last);
  Value reduceAllButLast();

  ScanOp op;
  OpBuilder b;
  Location loc;
  Value source;
  RankedTensorType type, pieceType;
  unsigned dim;
  bool isInclusive;
  SmallVector<OpFoldResult> sizes, pieceSizes, strides;
  SmallVector<ReassociationIndices> groups; // dims of a slice, by result's dim
};
} // namespace

/// Maps the dims without `dim` to those of a slice, in which it has extent 1.
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

/// Returns the neutral element of a region that is one op, of its two
/// arguments.
static std::optional<TypedAttr> neutralOf(Block *region) {
  Operation *last = region->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last != &region->front() || last->getNumOperands() != 2 ||
      !llvm::is_contained(last->getOperands(), region->getArgument(0)) ||
      !llvm::is_contained(last->getOperands(), region->getArgument(1)))
    return std::nullopt;
  return neutralOfCombiner(last);
}

Value ScanLoopWriter::startOf(std::optional<TypedAttr> neutral) {
  Value empty = emptyTensor(b, loc, pieceSizes, type.getElementType());
  if (!isInclusive || !neutral)
    return linalg::BroadcastOp::create(b, loc, op.getOutputs()[1], empty,
                                       ArrayRef<int64_t>{int64_t(dim)})
        .getResult()[0];
  Value value = arith::ConstantOp::create(b, loc, *neutral);
  return linalg::FillOp::create(b, loc, value, empty).getResult(0);
}

scf::ForOp ScanLoopWriter::writeLoop(Value start, bool keepsFirst,
                                     bool keepsPrevious) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1),
        end = getValueOrCreateConstantIndexOp(b, loc, sizes[dim]);
  Value out = emptyTensor(b, loc, sizes, type.getElementType());
  SmallVector<Value> inits{start, out};
  if (keepsPrevious)
    inits.push_back(start);
  return scf::ForOp::create(
      b, loc, zero, end, one, inits,
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
        SmallVector<Value> yielded{next, put};
        if (keepsPrevious)
          yielded.push_back(carried[0]);
        scf::YieldOp::create(b, loc, yielded);
      });
}

Value ScanLoopWriter::withoutDim(Value piece) {
  return tensor::CollapseShapeOp::create(
      b, loc, cast<RankedTensorType>(op.getOutputs()[1].getType()), piece,
      groups);
}

/// Returns a last result, or the initial accumulator if there are no elements.
Value ScanLoopWriter::unlessEmpty(Value last) {
  Value before = op.getOutputs()[1];
  if (std::optional<int64_t> size = getConstantIntValue(sizes[dim]))
    return *size == 0 ? before : last;
  Value isEmpty =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            getValueOrCreateConstantIndexOp(b, loc, sizes[dim]),
                            arith::ConstantIndexOp::create(b, loc, 0));
  SmallVector<OpFoldResult> kept(sizes);
  kept.erase(kept.begin() + dim);
  SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(kept.size()));
  SmallVector<utils::IteratorType> iterators(kept.size(),
                                             utils::IteratorType::parallel);
  Value empty = emptyTensor(b, loc, kept, type.getElementType());
  return linalg::GenericOp::create(
             b, loc, empty.getType(), ValueRange{before, last}, empty, maps,
             iterators,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               Value chosen = arith::SelectOp::create(
                   b, loc, isEmpty, arguments[0], arguments[1]);
               linalg::YieldOp::create(b, loc, chosen);
             })
      .getResult(0);
}

/// Returns the accumulator combined with all elements but the last.
Value ScanLoopWriter::reduceAllButLast() {
  SmallVector<OpFoldResult> taken(sizes),
      offsets(sizes.size(), b.getIndexAttr(0));
  // With no elements there is no last one to leave out.
  taken[dim] = b.getIndexAttr(std::max<int64_t>(type.getDimSize(dim) - 1, 0));
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

void ScanLoopWriter::write() {
  std::optional<TypedAttr> neutral = neutralOf(regionOf(op));
  bool readsLast = !op.getResults()[1].use_empty();
  // The number of elements but the last is no formula of a launch.
  bool isReduced = neutral && !type.isDynamicDim(dim);
  scf::ForOp loop =
      writeLoop(startOf(neutral), /*keepsFirst=*/isInclusive && !neutral,
                /*keepsPrevious=*/readsLast && !isInclusive && !isReduced);
  op.getResults()[0].replaceAllUsesWith(loop.getResult(1));
  if (readsLast) {
    Value last = isInclusive ? withoutDim(loop.getResult(0))
                 : isReduced ? reduceAllButLast()
                             : withoutDim(loop.getResult(2));
    // Otherwise the accumulator is the loop's initial value.
    if (isInclusive && neutral)
      last = unlessEmpty(last);
    op.getResults()[1].replaceAllUsesWith(last);
  }
  op.erase();
}

/// Checks the types: the two outputs are the results so far and, without `dim`,
/// the last.
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
  ScanLoopWriter(op, *dim, inclusive.getValue()).write();
  return success();
}
