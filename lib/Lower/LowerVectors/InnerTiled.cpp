//===- InnerTiled.cpp - MMA batches, one instruction each -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration space of the leading dims is unrolled, its reduction dims
// innermost and ascending, so that each accumulator fragment goes from one
// instruction straight into the next. Fragments are vectors, as the instruction
// takes them.
//
//===----------------------------------------------------------------------===//
#include "ScalarRegisters.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

namespace {

/// Splits one operand into fragments along its leading dims.
class Fragments {
public:
  Fragments(Value operand, AffineMap map, Lowering &lowering)
      : loc(operand.getLoc()), map(map), lowering(lowering),
        elements(lowering.elements(operand)) {
    auto vector = cast<VectorType>(operand.getType());
    leading = vector.getShape().take_front(map.getNumResults());
    SmallVector<int64_t> shape(vector.getShape());
    std::fill_n(shape.begin(), leading.size(), 1);
    type = VectorType::get(shape, vector.getElementType());
  }

  /// Returns the fragment at a point of the iteration space, created on first
  /// use.
  Value &at(ArrayRef<int64_t> point) {
    SmallVector<int64_t> index =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
          return point[cast<AffineDimExpr>(expr).getPosition()];
        });
    int64_t number = linearIndex(leading, index);
    Value &fragment = made[number];
    if (!fragment)
      fragment = vector::FromElementsOp::create(
          lowering.builder, loc, type,
          ArrayRef(elements).slice(number * type.getNumElements(),
                                   type.getNumElements()));
    return fragment;
  }

  /// Returns the registers of all fragments, with their current values.
  SmallVector<Value> takeApart() {
    SmallVector<Value> result = elements;
    for (auto [number, fragment] : made) {
      auto parts =
          vector::ToElementsOp::create(lowering.builder, loc, fragment);
      llvm::copy(parts.getElements(),
                 result.begin() + number * type.getNumElements());
    }
    return result;
  }

private:
  Location loc;
  AffineMap map;
  Lowering &lowering;
  SmallVector<Value> elements;
  ArrayRef<int64_t> leading;
  VectorType type;
  std::map<int64_t, Value> made; // fragments by number, in order
};

/// Returns the dims of the iteration space, those of the result first.
SmallVector<unsigned> reductionsInnermost(AffineMap resultMap) {
  SmallVector<unsigned> order;
  for (AffineExpr expr : resultMap.getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  for (unsigned dim = 0; dim < resultMap.getNumDims(); ++dim)
    if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  return order;
}

} // namespace

static LogicalResult lowerInnerTiled(iree::InnerTiledOp op,
                                     Lowering &lowering) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Fragments lhs(op.getLhs(), maps[0], lowering);
  Fragments rhs(op.getRhs(), maps[1], lowering);
  Fragments result(op.getAcc(), maps[2], lowering);

  SmallVector<int64_t> extents = op.getIterationShape();
  SmallVector<unsigned> order = reductionsInnermost(maps[2]);
  SmallVector<int64_t> ordered =
      llvm::map_to_vector(order, [&](unsigned dim) { return extents[dim]; });
  forEachIndex(ordered, [&](int64_t, ArrayRef<int64_t> index) {
    SmallVector<int64_t> point(order.size());
    for (auto [dim, digit] : llvm::zip_equal(order, index))
      point[dim] = digit;
    Value a = lhs.at(point), b = rhs.at(point);
    Value &c = result.at(point);
    auto instruction = iree::InnerTiledOp::create(
        lowering.builder, op.getLoc(), ValueRange{a, b}, c, maps, op.getKind());
    c = instruction.getResult();
  });
  lowering.setElements(op.getResult(), result.takeApart());
  return success();
}

void registers::addInnerTiledRules(RuleSet &rules) {
  rules.add(lowerInnerTiled);
}
