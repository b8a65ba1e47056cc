//===- VectorizeGathers.cpp - Vectorization of gathers --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes one tensor.extract at a time, the first one first: the positions of
// a later one may depend on the result of an earlier one.
//
//===----------------------------------------------------------------------===//
#include "VectorizeGathers.h"
#include "../BodyParts.h"
#include "distaff/Analysis/Access/ComputedReads.h"
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
/// A position locates an element along one dim of the tensor.
struct Position {
  Value offset;                 // defined outside of the op; null: 0
  std::optional<unsigned> loop; // contiguous along it
  Value computed;               // computed in the body; null if the two suffice
};

class GatherSeparator {
public:
  GatherSeparator(RewriterBase &rewriter, linalg::GenericOp generic)
      : rewriter(rewriter), op(generic), parts(rewriter, generic),
        loc(generic.getLoc()), extents(generic.getStaticLoopRanges()) {}

  /// Separates one read; returns the ops that replace it.
  SmallVector<linalg::LinalgOp> separate(tensor::ExtractOp extract);

private:
  bool isOutside(Value value) const { return parts.isOutside(value); }
  Value takeCondition(Value position, ArrayRef<Value> guards,
                      SmallVectorImpl<Value> &conditions) const;
  Position match(Value position) const;
  Value vectorOf(Value computed, llvm::SmallBitVector &loops);
  AffineMap mapOf(const llvm::SmallBitVector &inner,
                  const llvm::SmallBitVector &outer, unsigned symbols) const;
  void findPositions(tensor::ExtractOp extract);
  void computePositions(tensor::ExtractOp extract);
  Value read(tensor::ExtractOp extract);
  linalg::GenericOp addInput(tensor::ExtractOp extract, Value element);

  RewriterBase &rewriter;
  mutable linalg::GenericOp op;
  BodyParts parts;
  Location loc;
  SmallVector<int64_t> extents;
  SmallVector<linalg::LinalgOp> made;
  // The positions of the read's dims, and the values that they need.
  SmallVector<Position> positions;
  SmallVector<Value> conditions, offsets, indexValues;
  Value mask;
  SmallVector<llvm::SmallBitVector> loopsOfIndices;
  llvm::SmallBitVector loops, loopsOfMask;
};
} // namespace

/// Removes `select(c, position, 0)` where c guards the read: where c is false
/// the element is not needed.
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
  OpBuilder b(op);
  if (parts.isUniform(position)) {
    IRMapping map;
    SmallVector<AffineExpr> zeros(extents.size(),
                                  getAffineConstantExpr(0, b.getContext()));
    return {parts.rebuild(b, position, map, zeros), std::nullopt, {}};
  }
  if (std::optional<LoopPosition> along = matchLoopPosition(b, op, position))
    return {getValueOrCreateConstantIndexOp(b, loc, along->offset),
            along->index.getDim(),
            {}};
  auto add = position.getDefiningOp<arith::AddIOp>();
  for (unsigned side : {0u, 1u}) {
    auto index = add ? add->getOperand(side).getDefiningOp<linalg::IndexOp>()
                     : linalg::IndexOp();
    if (index && isOutside(add->getOperand(1 - side)))
      return {add->getOperand(1 - side), index.getDim(), {}};
  }
  return {{}, std::nullopt, position};
}

/// Returns the map from the loops of `outer` to those of `inner`.
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
  return AffineMap::get(outer.count(), symbols, results, rewriter.getContext());
}

/// Returns a value of the body as a vector over the loops along which it
/// varies.
Value GatherSeparator::vectorOf(Value computed, llvm::SmallBitVector &loops) {
  loops = parts.loopsOf(computed);
  return parts.vectorOf(computed,
                        llvm::to_vector_of<unsigned>(loops.set_bits()), made);
}

/// Returns whether a tensor may be empty, so that no position is inside of it.
static bool mayBeEmpty(Value tensor) {
  return llvm::any_of(cast<ShapedType>(tensor.getType()).getShape(),
                      [](int64_t extent) {
                        return ShapedType::isDynamic(extent) || extent == 0;
                      });
}

/// Finds the positions of the read's dims, and collects the conditions without
/// which no element is read.
void GatherSeparator::findPositions(tensor::ExtractOp extract) {
  SmallVector<Value> guards = guardsOf(extract);
  // A condition that is the same for all positions selects one position for
  // all, if the tensor has one; else no element is read unless all conditions
  // hold.
  if (mayBeEmpty(extract.getTensor()))
    conditions = guards;
  else
    llvm::erase_if(guards, [&](Value guard) {
      return isOutside(guard) || parts.loopsOf(guard).none();
    });
  llvm::SmallBitVector contiguous(extents.size());
  for (Value value : extract.getIndices()) {
    Position position = match(takeCondition(value, guards, conditions));
    // Only one dim is contiguous along a loop.
    if (position.loop && contiguous.test(*position.loop))
      position = {{}, std::nullopt, value};
    if (position.loop)
      contiguous.set(*position.loop);
    positions.push_back(position);
  }
  loops = contiguous;
}

/// Computes the positions and the mask of the read.
void GatherSeparator::computePositions(tensor::ExtractOp extract) {
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
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
  if (conditions.empty())
    return;
  rewriter.setInsertionPoint(extract);
  Value all = conditions.front();
  for (Value condition : ArrayRef(conditions).drop_front())
    all = arith::AndIOp::create(rewriter, loc, all, condition);
  rewriter.setInsertionPoint(op);
  loopsOfMask = parts.loopsOf(all);
  // A masked read that is the same for all points becomes one along a single
  // loop.
  if (loops.none() && loopsOfMask.none() && !extents.empty())
    loopsOfMask.set(llvm::min_element(extents) - extents.begin());
  mask = parts.vectorOf(
      all, llvm::to_vector_of<unsigned>(loopsOfMask.set_bits()), made);
  loops |= loopsOfMask;
}

/// Creates the read as a tensor over `loops`.
Value GatherSeparator::read(tensor::ExtractOp extract) {
  // A result of the base map is a dim, a symbol, or 0, where only the offset
  // counts.
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
  Type element = extract.getType();
  Value padding =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  auto gather = vector_ext::TransferGatherOp::create(
      rewriter, loc, VectorType::get(shape, element), extract.getTensor(),
      offsets, indexValues, padding, mask, rewriter.getAffineMapArrayAttr(maps),
      /*in_bounds=*/ArrayAttr(),
      /*indexed=*/ArrayAttr(), /*indexed_maps=*/ArrayAttr(),
      /*permutation_map=*/AffineMapAttr());
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return vector::TransferWriteOp::create(rewriter, loc, gather.getVector(),
                                         empty,
                                         SmallVector<Value>(shape.size(), zero),
                                         SmallVector<bool>(shape.size(), true))
      .getResult();
}

/// Replaces the op by one that has `element`, over `loops`, as one more input
/// in the place of the read.
linalg::GenericOp GatherSeparator::addInput(tensor::ExtractOp extract,
                                            Value element) {
  SmallVector<Value> inputs = op.getDpsInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> results;
  for (unsigned loop : loops.set_bits())
    results.push_back(rewriter.getAffineDimExpr(loop));
  maps.insert(
      maps.begin() + inputs.size(),
      AffineMap::get(extents.size(), 0, results, rewriter.getContext()));
  inputs.push_back(element);
  auto generic = linalg::GenericOp::create(rewriter, loc, op.getResultTypes(),
                                           inputs, op.getDpsInits(), maps,
                                           op.getIteratorTypesArray());
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), generic.getRegion(),
                              generic.getRegion().begin());
  BlockArgument value = generic.getBlock()->insertArgument(
      inputs.size() - 1, extract.getType(), extract.getLoc());
  rewriter.replaceOp(extract, value);
  rewriter.replaceOp(op, generic.getResults());
  return generic;
}

SmallVector<linalg::LinalgOp>
GatherSeparator::separate(tensor::ExtractOp extract) {
  rewriter.setInsertionPoint(op);
  findPositions(extract);
  computePositions(extract);
  if (loops.none()) {
    // A single element for all points is read once, in front of the op
    // (hoisting).
    Value element =
        tensor::ExtractOp::create(rewriter, loc, extract.getTensor(), offsets);
    rewriter.replaceOp(extract, element);
    made.push_back(op);
    return made;
  }
  made.push_back(addInput(extract, read(extract)));
  return made;
}

SmallVector<linalg::LinalgOp> distaff::separateGathers(RewriterBase &rewriter,
                                                       linalg::LinalgOp op) {
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
