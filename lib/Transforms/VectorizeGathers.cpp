//===- VectorizeGathers.cpp - Reads at computed positions -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One tensor.extract at a time, the first one first: what a later one is
// positioned by may be what an earlier one has read.
//
//===----------------------------------------------------------------------===//
#include "VectorizeGathers.h"
#include "BodyParts.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace distaff;

namespace {
/// Where an element lies along one dim of the tensor.
struct Position {
  Value offset;                 // of outside, null: 0
  std::optional<unsigned> loop; // contiguous along it
  Value computed;               // in the body, null where the two say it
};

class GatherSeparator {
public:
  GatherSeparator(RewriterBase &rewriter, linalg::GenericOp generic)
      : rewriter(rewriter), op(generic), parts(rewriter, generic),
        loc(generic.getLoc()), extents(generic.getStaticLoopRanges()) {}

  /// Takes one read out; returns the ops that take its place.
  SmallVector<linalg::LinalgOp> separate(tensor::ExtractOp extract);

private:
  bool isOutside(Value value) const { return parts.isOutside(value); }
  Value takeCondition(Value position, ArrayRef<Value> guards,
                      SmallVectorImpl<Value> &conditions) const;
  Position match(Value position) const;
  Value vectorOf(Value computed, llvm::SmallBitVector &loops);
  AffineMap mapOf(const llvm::SmallBitVector &inner,
                  const llvm::SmallBitVector &outer, unsigned symbols) const;

  RewriterBase &rewriter;
  mutable linalg::GenericOp op;
  BodyParts parts;
  Location loc;
  SmallVector<int64_t> extents;
  SmallVector<linalg::LinalgOp> made;
};
} // namespace

/// Conditions without which nobody wants what has been read.
static SmallVector<Value> guardsOf(tensor::ExtractOp extract) {
  SmallVector<Value> guards;
  Value value = extract;
  while (value.hasOneUse()) {
    auto select = dyn_cast<arith::SelectOp>(*value.user_begin());
    if (!select || select.getTrueValue() != value ||
        select.getFalseValue() == value)
      break;
    guards.push_back(select.getCondition());
    value = select;
  }
  return guards;
}

/// Strips `select(c, position, 0)` where c guards what is read: where it is
/// false nothing need be.
Value GatherSeparator::takeCondition(Value position, ArrayRef<Value> guards,
                                     SmallVectorImpl<Value> &conditions) const {
  while (auto select = position.getDefiningOp<arith::SelectOp>()) {
    if (isOutside(position) || !isConstantIntValue(select.getFalseValue(), 0) ||
        !llvm::is_contained(guards, select.getCondition()))
      break;
    if (!llvm::is_contained(conditions, select.getCondition()))
      conditions.push_back(select.getCondition());
    position = select.getTrueValue();
  }
  return position;
}

Position GatherSeparator::match(Value position) const {
  if (isOutside(position))
    return {position, std::nullopt, {}};
  if (parts.isUniform(position)) {
    OpBuilder b(op);
    IRMapping map;
    SmallVector<AffineExpr> zeros(extents.size(),
                                  getAffineConstantExpr(0, b.getContext()));
    return {parts.rebuild(b, position, map, zeros), std::nullopt, {}};
  }
  if (auto index = position.getDefiningOp<linalg::IndexOp>())
    return {{}, index.getDim(), {}};
  auto split = [&](Value a, Value b) -> std::optional<Position> {
    auto index = a.getDefiningOp<linalg::IndexOp>();
    if (!index || !isOutside(b))
      return std::nullopt;
    return Position{b, index.getDim(), {}};
  };
  if (auto add = position.getDefiningOp<arith::AddIOp>()) {
    if (auto found = split(add.getLhs(), add.getRhs()))
      return *found;
    if (auto found = split(add.getRhs(), add.getLhs()))
      return *found;
  }
  if (auto apply = position.getDefiningOp<affine::AffineApplyOp>()) {
    // A position of the body plus what is computed outside.
    AffineMap map = apply.getAffineMap();
    AffineExpr rest = map.getResult(0),
               zero = getAffineConstantExpr(0, map.getContext());
    std::optional<unsigned> loop;
    SmallVector<OpFoldResult> operands;
    bool isSum = true;
    for (auto [number, operand] : llvm::enumerate(apply.getOperands())) {
      operands.push_back(getAsOpFoldResult(operand));
      if (isOutside(operand))
        continue;
      auto index = operand.getDefiningOp<linalg::IndexOp>();
      if (index && extents[index.getDim()] == 1) {
        operands.back() = rewriter.getIndexAttr(0);
        continue;
      }
      AffineExpr it = number < map.getNumDims()
                          ? getAffineDimExpr(number, map.getContext())
                          : getAffineSymbolExpr(number - map.getNumDims(),
                                                map.getContext());
      AffineExpr without = rest.replace(it, zero);
      isSum &= index && !loop &&
               simplifyAffineExpr(rest - without - it, map.getNumDims(),
                                  map.getNumSymbols()) == zero;
      if (!isSum)
        break;
      loop = index.getDim();
      rest = without;
      operands.back() = rewriter.getIndexAttr(0);
    }
    if (isSum && loop) {
      OpBuilder b(op);
      OpFoldResult offset = affine::makeComposedFoldedAffineApply(
          b, loc,
          AffineMap::get(map.getNumDims(), map.getNumSymbols(), rest),
          operands);
      return {getValueOrCreateConstantIndexOp(b, loc, offset), loop, {}};
    }
  }
  return {{}, std::nullopt, position};
}

/// Loops of `inner` in terms of those of `outer`.
AffineMap GatherSeparator::mapOf(const llvm::SmallBitVector &inner,
                                 const llvm::SmallBitVector &outer,
                                 unsigned symbols) const {
  SmallVector<AffineExpr> results;
  unsigned dim = 0;
  for (unsigned loop : outer.set_bits()) {
    if (inner.test(loop))
      results.push_back(rewriter.getAffineDimExpr(dim));
    ++dim;
  }
  return AffineMap::get(outer.count(), symbols, results,
                        rewriter.getContext());
}

/// A value of the body as a vector over the loops along which it differs.
Value GatherSeparator::vectorOf(Value computed, llvm::SmallBitVector &loops) {
  loops = parts.loopsOf(computed);
  return parts.vectorOf(computed, llvm::to_vector_of<unsigned>(loops.set_bits()),
                        made);
}

SmallVector<linalg::LinalgOp>
GatherSeparator::separate(tensor::ExtractOp extract) {
  rewriter.setInsertionPoint(op);
  auto source = cast<RankedTensorType>(extract.getTensor().getType());
  Type element = source.getElementType();
  SmallVector<Value> conditions, offsets, indexValues;
  SmallVector<llvm::SmallBitVector> loopsOfIndices;
  SmallVector<Position> positions;
  llvm::SmallBitVector loops(extents.size()), contiguous(extents.size());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  SmallVector<Value> guards = guardsOf(extract);
  // A condition that is the same for all positions chooses one for all.
  llvm::erase_if(guards, [&](Value guard) {
    return isOutside(guard) || parts.loopsOf(guard).none();
  });
  for (Value value : extract.getIndices()) {
    Position position = match(takeCondition(value, guards, conditions));
    // Along one loop only one dim is contiguous.
    if (position.loop && contiguous.test(*position.loop))
      position = {{}, std::nullopt, value};
    if (position.loop)
      contiguous.set(*position.loop);
    positions.push_back(position);
  }
  loops |= contiguous;
  for (Position &position : positions) {
    offsets.push_back(position.offset ? position.offset : zero);
    if (!position.computed)
      continue;
    Value indices = vectorOf(position.computed, loopsOfIndices.emplace_back());
    if (loopsOfIndices.back().none())
      indices = vector::ExtractOp::create(rewriter, loc, indices,
                                          ArrayRef<int64_t>());
    indexValues.push_back(indices);
    loops |= loopsOfIndices.back();
  }
  Value mask;
  llvm::SmallBitVector loopsOfMask(extents.size());
  if (!conditions.empty()) {
    rewriter.setInsertionPoint(extract);
    Value all = conditions.front();
    for (Value condition : ArrayRef(conditions).drop_front())
      all = arith::AndIOp::create(rewriter, loc, all, condition);
    rewriter.setInsertionPoint(op);
    mask = vectorOf(all, loopsOfMask);
    loops |= loopsOfMask;
  }

  // One element for all: read once, in front of the op.
  if (loops.none()) {
    Value element = tensor::ExtractOp::create(rewriter, loc,
                                              extract.getTensor(), offsets);
    rewriter.replaceOp(extract, element);
    made.push_back(op);
    return made;
  }

  // The base: a dim, a symbol, or where the offset is.
  SmallVector<AffineExpr> base;
  unsigned symbols = indexValues.size(), symbol = 0;
  auto dimOf = [&](unsigned loop) {
    unsigned dim = 0;
    for (unsigned other : loops.set_bits())
      dim += other < loop;
    return rewriter.getAffineDimExpr(dim);
  };
  for (Position &position : positions)
    base.push_back(position.computed ? rewriter.getAffineSymbolExpr(symbol++)
                   : position.loop   ? dimOf(*position.loop)
                                     : rewriter.getAffineConstantExpr(0));
  SmallVector<AffineMap> maps = {
      AffineMap::get(loops.count(), symbols, base, rewriter.getContext())};
  for (const llvm::SmallBitVector &inner : loopsOfIndices)
    maps.push_back(mapOf(inner, loops, symbols));
  if (mask)
    maps.push_back(mapOf(loopsOfMask, loops, symbols));
  SmallVector<int64_t> shape;
  for (unsigned loop : loops.set_bits())
    shape.push_back(extents[loop]);
  Value padding =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  auto gather = vector_ext::TransferGatherOp::create(
      rewriter, loc, VectorType::get(shape, element), extract.getTensor(),
      offsets, indexValues, padding, mask,
      rewriter.getAffineMapArrayAttr(maps), /*in_bounds=*/ArrayAttr(),
      /*indexed=*/ArrayAttr(), /*indexed_maps=*/ArrayAttr(),
      /*permutation_map=*/AffineMapAttr());
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  Value read =
      vector::TransferWriteOp::create(
          rewriter, loc, gather.getVector(), empty,
          SmallVector<Value>(shape.size(), zero),
          SmallVector<bool>(shape.size(), true))
          .getResult();

  // The op with one more input.
  SmallVector<Value> inputs = op.getDpsInputs();
  SmallVector<AffineMap> operandMaps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> results;
  for (unsigned loop : loops.set_bits())
    results.push_back(rewriter.getAffineDimExpr(loop));
  operandMaps.insert(operandMaps.begin() + inputs.size(),
                     AffineMap::get(extents.size(), 0, results,
                                    rewriter.getContext()));
  inputs.push_back(read);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, op.getResultTypes(), inputs, op.getDpsInits(), operandMaps,
      op.getIteratorTypesArray());
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), generic.getRegion(),
                              generic.getRegion().begin());
  BlockArgument value = generic.getBlock()->insertArgument(
      inputs.size() - 1, element, extract.getLoc());
  rewriter.replaceOp(extract, value);
  rewriter.replaceOp(op, generic.getResults());
  made.push_back(generic);
  return made;
}

SmallVector<linalg::LinalgOp>
distaff::separateGathers(RewriterBase &rewriter, linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    return {op};
  auto reads = generic.getBlock()->getOps<tensor::ExtractOp>();
  if (reads.empty())
    return {op};
  SmallVector<linalg::LinalgOp> result;
  for (linalg::LinalgOp made :
       GatherSeparator(rewriter, generic).separate(*reads.begin()))
    llvm::append_range(result, separateGathers(rewriter, made));
  return result;
}
