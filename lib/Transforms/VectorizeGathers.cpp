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
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
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
      : rewriter(rewriter), op(generic), loc(generic.getLoc()),
        extents(generic.getStaticLoopRanges()) {}

  /// Takes one read out; returns the ops that take its place.
  SmallVector<linalg::LinalgOp> separate(tensor::ExtractOp extract);

private:
  bool isOutside(Value value) const {
    return value.getParentBlock() != op.getBlock();
  }
  llvm::SmallBitVector loopsOf(Value value) const;
  Value takeCondition(Value position, ArrayRef<Value> guards,
                      SmallVectorImpl<Value> &conditions) const;
  SmallVector<Operation *> makersOf(Value value) const;
  Value rebuild(OpBuilder &b, Value value, IRMapping &map,
                ArrayRef<AffineExpr> places) const;
  Position match(Value position) const;
  Value vectorOf(Value computed, Type element, llvm::SmallBitVector &loops);
  AffineMap mapOf(const llvm::SmallBitVector &inner,
                  const llvm::SmallBitVector &outer, unsigned symbols) const;

  RewriterBase &rewriter;
  mutable linalg::GenericOp op;
  Location loc;
  SmallVector<int64_t> extents;
  SmallVector<linalg::LinalgOp> made;
};
} // namespace

/// The loops along which a value of the body differs: those of the inputs that
/// it is made of, and of positions those with several iterations.
llvm::SmallBitVector GatherSeparator::loopsOf(Value value) const {
  llvm::SmallBitVector loops(extents.size());
  llvm::SmallSetVector<Value, 8> makers;
  makers.insert(value);
  for (size_t i = 0; i < makers.size(); ++i) {
    Value from = makers[i];
    if (isOutside(from))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(from)) {
      AffineMap map =
          op.getMatchingIndexingMap(op.getMatchingOpOperand(argument));
      for (unsigned loop = 0; loop < extents.size(); ++loop)
        if (map.isFunctionOfDim(loop))
          loops.set(loop);
    } else if (auto index = from.getDefiningOp<linalg::IndexOp>()) {
      if (extents[index.getDim()] != 1)
        loops.set(index.getDim());
    } else {
      makers.insert_range(from.getDefiningOp()->getOperands());
    }
  }
  return loops;
}

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

/// The ops of the body that make `value`, in order.
SmallVector<Operation *> GatherSeparator::makersOf(Value value) const {
  llvm::SmallSetVector<Value, 8> needed;
  needed.insert(value);
  for (size_t i = 0; i < needed.size(); ++i)
    if (Operation *maker = needed[i].getDefiningOp();
        maker && !isOutside(needed[i]))
      needed.insert_range(maker->getOperands());
  SmallVector<Operation *> makers;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (llvm::any_of(inner.getResults(),
                     [&](Value result) { return needed.contains(result); }))
      makers.push_back(&inner);
  return makers;
}

/// Clones what makes `value` into where `b` stands; `places` are the loops
/// there, by those of the op, and constants for others.
Value GatherSeparator::rebuild(OpBuilder &b, Value value, IRMapping &map,
                               ArrayRef<AffineExpr> places) const {
  for (Operation *maker : makersOf(value)) {
    auto index = dyn_cast<linalg::IndexOp>(maker);
    if (!index) {
      b.clone(*maker, map);
      continue;
    }
    auto place = dyn_cast<AffineDimExpr>(places[index.getDim()]);
    map.map(index.getResult(),
            place ? linalg::IndexOp::create(b, loc, place.getPosition())
                        .getResult()
                  : arith::ConstantIndexOp::create(b, loc, 0).getResult());
  }
  return map.lookupOrDefault(value);
}

Position GatherSeparator::match(Value position) const {
  if (isOutside(position))
    return {position, std::nullopt, {}};
  bool readsInput = llvm::any_of(makersOf(position), [&](Operation *maker) {
    return llvm::any_of(maker->getOperands(), [&](Value operand) {
      return isa<BlockArgument>(operand) && !isOutside(operand);
    });
  });
  if (!readsInput && loopsOf(position).none()) {
    OpBuilder b(op);
    IRMapping map;
    SmallVector<AffineExpr> zeros(extents.size(),
                                  getAffineConstantExpr(0, b.getContext()));
    return {rebuild(b, position, map, zeros), std::nullopt, {}};
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

/// Computes a value of the body in an op of its own; returns it as a vector
/// over the loops along which it differs.
Value GatherSeparator::vectorOf(Value computed, Type element,
                                llvm::SmallBitVector &loops) {
  loops = loopsOf(computed);
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> places(extents.size(),
                                 rewriter.getAffineConstantExpr(0));
  for (unsigned loop : loops.set_bits()) {
    places[loop] = rewriter.getAffineDimExpr(shape.size());
    shape.push_back(extents[loop]);
  }
  auto isNeeded = [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (map.isFunctionOfDim(loop) && !loops.test(loop))
        return false;
    return true;
  };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isNeeded(&operand))
      continue;
    inputs.push_back(operand.get());
    maps.push_back(op.getMatchingIndexingMap(&operand)
                       .replaceDimsAndSymbols(places, {}, shape.size(), 0));
    arguments.push_back(op.getMatchingBlockArgument(&operand));
  }
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  maps.push_back(rewriter.getMultiDimIdentityMap(shape.size()));
  auto generic = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps,
      SmallVector<utils::IteratorType>(shape.size(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping map;
        for (auto [from, to] : llvm::zip(arguments, args))
          map.map(from, to);
        linalg::YieldOp::create(b, loc, rebuild(b, computed, map, places));
      });
  made.push_back(generic);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value padding =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  return vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(shape, element), generic.getResult(0),
      SmallVector<Value>(shape.size(), zero), padding,
      SmallVector<bool>(shape.size(), true));
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
    Value indices = vectorOf(position.computed, rewriter.getIndexType(),
                             loopsOfIndices.emplace_back());
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
    mask = vectorOf(all, rewriter.getI1Type(), loopsOfMask);
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
