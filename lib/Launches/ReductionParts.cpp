//===- ReductionParts.cpp - Split-K reductions ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReductionParts.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;

namespace {
/// The extents of the split loop: of the whole, of a part, of all parts, and
/// their number.
struct Extents {
  OpFoldResult whole, part, even, count;
};

/// Emits the parts of one op. The loops of each new op are the parts, then
/// those of the op.
class PartsWriter {
public:
  PartsWriter(RewriterBase &b, const Splittable &found, int64_t parts);

  linalg::GenericOp write();
  Value restAlone();

private:
  std::optional<unsigned> splitDim(OpOperand *input) const;
  Extents extentsIn(Value operand, unsigned dim) const;
  OpFoldResult compute(AffineExpr expr, ArrayRef<OpFoldResult> operands) const {
    return affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, operands.size(), expr), operands);
  }
  Value sliceAlong(Value operand, unsigned dim, OpFoldResult offset,
                   OpFoldResult size) const;
  Value expand(Value operand, unsigned dim) const;
  AffineMap resultMap() const;
  Value empty(ArrayRef<OpFoldResult> sizes, Type type) const {
    return tensor::EmptyOp::create(b, loc, sizes, type);
  }
  SmallVector<OpFoldResult> sizesOfLoops() const;
  Value emptyParts() const;
  Value neutralParts() const;
  Value firstElements() const;
  Value placeOfFirst(OpBuilder &inside) const;
  Value readFirst(OpBuilder &inside, OpOperand *input, Value place,
                  Value isThere) const;
  SmallVector<utils::IteratorType> iterators() const;

  RewriterBase &b;
  const Splittable &found;
  mutable linalg::LinalgOp op;
  Location loc;
  int64_t parts;
  Extents extents; // extents of the first operand that has the loop
};
} // namespace

PartsWriter::PartsWriter(RewriterBase &b, const Splittable &found,
                         int64_t parts)
    : b(b), found(found), op(found.op), loc(op.getLoc()), parts(parts) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (std::optional<unsigned> dim = splitDim(input); dim && !extents.whole)
      extents = extentsIn(input->get(), *dim);
}

Extents PartsWriter::extentsIn(Value operand, unsigned dim) const {
  if (extents.whole && found.hasOneExtent)
    return extents;
  AffineExpr extent = b.getAffineSymbolExpr(0);
  int64_t granule = found.isEvenIn(parts) ? 1 : found.granule;
  Extents result;
  result.whole = tensor::getMixedSize(b, loc, operand, dim);
  if (ShapedType::isDynamic(found.extent)) {
    int64_t length = found.lengthOfPart(parts);
    result.part = b.getIndexAttr(length);
    result.count = compute(extent.floorDiv(length), {result.whole});
    result.even = compute(extent * length, {result.count});
    return result;
  }
  result.count = b.getIndexAttr(parts);
  result.part =
      compute(extent.floorDiv(granule * parts) * granule, {result.whole});
  result.even = compute(extent * parts, {result.part});
  return result;
}

std::optional<unsigned> PartsWriter::splitDim(OpOperand *input) const {
  return op.getMatchingIndexingMap(input).getResultPosition(
      b.getAffineDimExpr(found.loop));
}

SmallVector<utils::IteratorType> PartsWriter::iterators() const {
  SmallVector<utils::IteratorType> result = {utils::IteratorType::parallel};
  llvm::append_range(result, op.getIteratorTypesArray());
  return result;
}

Value PartsWriter::sliceAlong(Value operand, unsigned dim, OpFoldResult offset,
                              OpFoldResult size) const {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, operand);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  return tensor::ExtractSliceOp::create(b, loc, operand, offsets, sizes,
                                        strides);
}

/// Returns the operand's even part, with the dim of the split loop as parts and
/// steps.
Value PartsWriter::expand(Value operand, unsigned dim) const {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, operand);
  Extents split = extentsIn(operand, dim);
  if (!found.isEvenIn(parts)) {
    operand = sliceAlong(operand, dim, b.getIndexAttr(0), split.even);
    sizes[dim] = split.even;
  }
  SmallVector<OpFoldResult> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [at, size] : llvm::enumerate(sizes)) {
    groups.push_back({int64_t(shape.size())});
    if (at == dim) {
      groups.back().push_back(shape.size() + 1);
      shape.append({split.count, split.part});
    } else {
      shape.push_back(size);
    }
  }
  SmallVector<int64_t> extents = decomposeMixedValues(shape).first;
  return tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get(extents, getElementTypeOrSelf(operand.getType())),
      operand, groups, shape);
}

AffineMap PartsWriter::resultMap() const {
  AffineMap shifted =
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)).shiftDims(1);
  return shifted.insertResult(b.getAffineDimExpr(0), 0);
}

Value PartsWriter::emptyParts() const {
  Value init = op.getDpsInitOperand(0)->get();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, init);
  sizes.insert(sizes.begin(), extents.count);
  return empty(sizes, getElementTypeOrSelf(init.getType()));
}

Value PartsWriter::neutralParts() const {
  Value neutral = arith::ConstantOp::create(b, loc, found.neutral);
  return linalg::FillOp::create(b, loc, neutral, emptyParts()).getResult(0);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// Returns the extents of the loops that compute a part's start value.
SmallVector<OpFoldResult> PartsWriter::sizesOfLoops() const {
  SmallVector<OpFoldResult> sizes(op.getNumLoops() + 1);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        if (OpFoldResult &size = sizes[loop.getPosition() + 1]; !size)
          size = tensor::getMixedSize(b, loc, operand.get(), dim);
  sizes[0] = b.getIndexAttr(parts);
  sizes[found.loop + 1] = b.getIndexAttr(found.granule);
  return sizes;
}

/// Returns the position of a part's element in the remainder: of each row with
/// as many elements as parts, every part takes one.
Value PartsWriter::placeOfFirst(OpBuilder &inside) const {
  AffineExpr part, row, begin;
  bindDims(b.getContext(), part, row);
  bindSymbols(b.getContext(), begin);
  return affine::makeComposedAffineApply(
      inside, loc, AffineMap::get(2, 1, begin + row * parts + part),
      {linalg::IndexOp::create(inside, loc, 0).getResult(),
       linalg::IndexOp::create(inside, loc, found.loop + 1).getResult(),
       extents.even});
}

Value PartsWriter::readFirst(OpBuilder &inside, OpOperand *input, Value place,
                             Value isThere) const {
  Value none = arith::ConstantIndexOp::create(inside, loc, 0);
  SmallVector<Value> positions;
  for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    Value position =
        !loop ? none
        : loop.getPosition() == found.loop
            ? place
            : linalg::IndexOp::create(inside, loc, loop.getPosition() + 1)
                  .getResult();
    positions.push_back(
        arith::SelectOp::create(inside, loc, isThere, position, none));
  }
  Value read = tensor::ExtractOp::create(inside, loc, input->get(), positions);
  Value zero =
      arith::ConstantOp::create(inside, loc, b.getZeroAttr(read.getType()));
  return arith::SelectOp::create(inside, loc, isThere, read, zero);
}

/// Returns each part's start value: its share of the remainder.
Value PartsWriter::firstElements() const {
  unsigned loops = op.getNumLoops() + 1;
  SmallVector<Value> inputs = {empty(sizesOfLoops(), b.getI32Type())};
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(loops)};
  SmallVector<OpOperand *> kept;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!splitDim(input)) {
      kept.push_back(input);
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input).shiftDims(1));
    }
  maps.push_back(resultMap());
  Value start = neutralParts();
  auto fill = [&](OpBuilder &inside, Location, ValueRange arguments) {
    IRMapping map;
    Value place = placeOfFirst(inside);
    Value isThere = arith::CmpIOp::create(
        inside, loc, arith::CmpIPredicate::slt, place,
        getValueOrCreateConstantIndexOp(inside, loc, extents.whole));
    for (auto [input, argument] :
         llvm::zip_equal(kept, arguments.drop_front().drop_back()))
      map.map(op.getMatchingBlockArgument(input), argument);
    for (OpOperand *input : op.getDpsInputOperands())
      if (splitDim(input) && op.payloadUsesValueFromOperand(input))
        map.map(op.getMatchingBlockArgument(input),
                readFirst(inside, input, place, isThere));
    map.map(op.getRegionOutputArgs().front(), arguments.back());
    for (Operation &inner : op.getBlock()->without_terminator()) {
      auto index = dyn_cast<linalg::IndexOp>(inner);
      if (index && index.getDim() == found.loop) {
        map.map(index.getResult(), place);
        continue;
      }
      Operation *copy = inside.clone(inner, map);
      if (index)
        cast<linalg::IndexOp>(copy).setDim(index.getDim() + 1);
      if (&inner != found.combiner)
        continue;
      OpBuilder::InsertionGuard guard(inside);
      inside.setInsertionPoint(copy);
      Value neutral = arith::ConstantOp::create(inside, loc, found.neutral);
      for (OpOperand &operand : copy->getOpOperands())
        if (operand.get() != arguments.back())
          operand.set(arith::SelectOp::create(inside, loc, isThere,
                                              operand.get(), neutral));
    }
    linalg::YieldOp::create(
        inside, loc, map.lookup(op.getBlock()->getTerminator()->getOperand(0)));
  };
  return linalg::GenericOp::create(b, loc, start.getType(), inputs, start, maps,
                                   iterators(), fill)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// The parts and the whole
//===----------------------------------------------------------------------===//

linalg::GenericOp PartsWriter::write() {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap shifted = op.getMatchingIndexingMap(input).shiftDims(1);
    std::optional<unsigned> dim = splitDim(input);
    inputs.push_back(dim ? expand(input->get(), *dim) : input->get());
    maps.push_back(dim ? shifted.insertResult(b.getAffineDimExpr(0), *dim)
                       : shifted);
  }
  maps.push_back(resultMap());
  bool takesRest = !found.isEvenIn(parts) && !found.hasRestApart(parts);
  Value start = takesRest ? firstElements() : neutralParts();
  auto result = linalg::GenericOp::create(b, loc, start.getType(), inputs,
                                          start, maps, iterators());
  IRMapping mapping;
  op->getRegion(0).cloneInto(&result.getRegion(), mapping);
  // Positions along the split loop are those of the whole.
  for (auto index :
       llvm::to_vector(result.getBody()->getOps<linalg::IndexOp>())) {
    unsigned loop = index.getDim();
    OpBuilder inside(index);
    Value moved = linalg::IndexOp::create(inside, loc, loop + 1);
    if (loop == found.loop) {
      Value begin = arith::MulIOp::create(
          inside, loc, linalg::IndexOp::create(inside, loc, 0),
          getValueOrCreateConstantIndexOp(inside, loc, extents.part));
      moved = arith::AddIOp::create(inside, loc, begin, moved);
    }
    index.replaceAllUsesWith(moved);
    index.erase();
  }
  return result;
}

/// Emits the op on the remainder.
Value PartsWriter::restAlone() {
  AffineExpr extent, before;
  bindSymbols(b.getContext(), extent, before);
  SmallVector<Value> operands(op->getOperands());
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<unsigned> dim = splitDim(input);
    if (!dim)
      continue;
    Extents split = extentsIn(input->get(), *dim);
    OpFoldResult left = compute(extent - before, {split.whole, split.even});
    operands[input->getOperandNumber()] =
        sliceAlong(input->get(), *dim, split.even, left);
  }
  Operation *rest = clone(b, op, op->getResultTypes(), operands);
  for (auto index : llvm::to_vector(
           cast<linalg::LinalgOp>(rest).getBlock()->getOps<linalg::IndexOp>()))
    if (index.getDim() == found.loop) {
      OpBuilder inside(index->getNextNode());
      auto moved = arith::AddIOp::create(
          inside, loc, index,
          getValueOrCreateConstantIndexOp(b, loc, extents.even));
      index.getResult().replaceAllUsesExcept(moved, moved);
    }
  return rest->getResult(0);
}

linalg::GenericOp distaff::createParts(RewriterBase &b, const Splittable &found,
                                       int64_t parts) {
  assert(parts > 1 && (found.isEvenIn(parts) || found.mayLeaveRest) &&
         "parts divide what leaves no rest");
  return PartsWriter(b, found, parts).write();
}

Value distaff::createStart(RewriterBase &b, const Splittable &found,
                           int64_t parts) {
  linalg::LinalgOp op = found.op;
  if (!found.hasRestApart(parts))
    return op.getDpsInitOperand(0)->get();
  return PartsWriter(b, found, parts).restAlone();
}

linalg::GenericOp distaff::createWhole(OpBuilder &b, const Splittable &found,
                                       Value parts, Value start) {
  linalg::LinalgOp op = found.op;
  Location loc = op.getLoc();
  int64_t rank = cast<RankedTensorType>(parts.getType()).getRank();
  SmallVector<AffineExpr> read, written;
  SmallVector<utils::IteratorType> iterators(rank - 1,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  read.push_back(b.getAffineDimExpr(rank - 1));
  for (int64_t dim = 0; dim < rank - 1; ++dim) {
    read.push_back(b.getAffineDimExpr(dim));
    written.push_back(b.getAffineDimExpr(dim));
  }
  bool isLhs =
      found.combiner->getOperand(0) == Value(op.getRegionOutputArgs().front());
  return linalg::GenericOp::create(
      b, loc, start.getType(), parts, start,
      {AffineMap::get(rank, 0, read, b.getContext()),
       AffineMap::get(rank, 0, written, b.getContext())},
      iterators, [&](OpBuilder &inside, Location, ValueRange args) {
        Operation *combined = inside.clone(*found.combiner);
        combined->setOperand(isLhs ? 0 : 1, args[1]);
        combined->setOperand(isLhs ? 1 : 0, args[0]);
        linalg::YieldOp::create(inside, loc, combined->getResult(0));
      });
}
