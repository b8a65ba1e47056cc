//===- BodyParts.cpp - Extraction of values from a linalg body ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BodyParts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

std::optional<LoopPosition>
distaff::matchLoopPosition(OpBuilder &b, linalg::LinalgOp op, Value value) {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return LoopPosition{index, b.getIndexAttr(0)};
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return std::nullopt;
  AffineMap map = apply.getAffineMap();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  AffineExpr rest = map.getResult(0), zero = b.getAffineConstantExpr(0);
  LoopPosition position;
  SmallVector<OpFoldResult> operands;
  for (auto [number, operand] : llvm::enumerate(apply.getOperands())) {
    operands.push_back(getAsOpFoldResult(operand));
    if (operand.getParentBlock() != op.getBlock())
      continue;
    operands.back() = b.getIndexAttr(0);
    auto index = operand.getDefiningOp<linalg::IndexOp>();
    if (index && extents[index.getDim()] == 1)
      continue;
    AffineExpr it = number < map.getNumDims()
                        ? b.getAffineDimExpr(number)
                        : b.getAffineSymbolExpr(number - map.getNumDims());
    AffineExpr without = rest.replace(it, zero);
    if (!index || position.index ||
        simplifyAffineExpr(rest - without - it, map.getNumDims(),
                           map.getNumSymbols()) != zero)
      return std::nullopt;
    position.index = index;
    rest = without;
  }
  if (!position.index)
    return std::nullopt;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  position.offset = affine::makeComposedFoldedAffineApply(
      b, op->getLoc(),
      AffineMap::get(map.getNumDims(), map.getNumSymbols(), rest), operands);
  return position;
}

llvm::SmallBitVector BodyParts::loopsOf(Value value) const {
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

/// Returns the ops of the body that compute `value`, in order.
SmallVector<Operation *> BodyParts::makersOf(Value value) const {
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

bool BodyParts::isUniform(Value value) const {
  bool readsElement = isa<BlockArgument>(value) && !isOutside(value);
  for (Operation *maker : makersOf(value))
    for (Value operand : maker->getOperands())
      readsElement |= isa<BlockArgument>(operand) && !isOutside(operand);
  return !readsElement && loopsOf(value).none();
}

Value BodyParts::rebuild(OpBuilder &b, Value value, IRMapping &map,
                         ArrayRef<AffineExpr> places) const {
  assert(places.size() == extents.size() && "each loop has a place");
  for (Operation *maker : makersOf(value)) {
    auto index = dyn_cast<linalg::IndexOp>(maker);
    if (!index) {
      b.clone(*maker, map);
      continue;
    }
    Location loc = op.getLoc();
    auto place = dyn_cast<AffineDimExpr>(places[index.getDim()]);
    map.map(
        index.getResult(),
        place ? linalg::IndexOp::create(b, loc, place.getPosition()).getResult()
              : arith::ConstantIndexOp::create(b, loc, 0).getResult());
  }
  return map.lookupOrDefault(value);
}

Value BodyParts::vectorOf(Value value, ArrayRef<unsigned> loops,
                          SmallVectorImpl<linalg::LinalgOp> &made) const {
  assert(llvm::all_of(
             loopsOf(value).set_bits(),
             [&](unsigned loop) { return llvm::is_contained(loops, loop); }) &&
         "a vector goes along all loops along which the value differs");
  Location loc = op.getLoc();
  Type element = value.getType();
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> places(extents.size(),
                                 rewriter.getAffineConstantExpr(0));
  for (unsigned loop : loops) {
    places[loop] = rewriter.getAffineDimExpr(shape.size());
    shape.push_back(extents[loop]);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isNeeded = true;
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      isNeeded &= !map.isFunctionOfDim(loop) || llvm::is_contained(loops, loop);
    if (!isNeeded)
      continue;
    inputs.push_back(operand.get());
    maps.push_back(map.replaceDimsAndSymbols(places, {}, shape.size(), 0));
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
        linalg::YieldOp::create(b, loc, rebuild(b, value, map, places));
      });
  made.push_back(generic);
  Value padding =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  SmallVector<Value> origin;
  if (!shape.empty())
    origin.assign(shape.size(),
                  arith::ConstantIndexOp::create(rewriter, loc, 0));
  return vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(shape, element), generic.getResult(0),
      origin, padding, SmallVector<bool>(shape.size(), true));
}
