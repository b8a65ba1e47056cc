//===- Slicer.cpp - Loops, and memoized slices ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the nest of loops that slices are computed in: each slice in the
// outermost loop that defines all of its offsets. SliceRules.cpp and
// SliceReductions.cpp define the slices of each op.
//
//===----------------------------------------------------------------------===//
#include "Slicer.h"
#include "BufferAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace distaff;
using namespace distaff::vectortiles;

Slicer::Slicer(Operation *at, const Machine &machine, const Buffers &buffers)
    : builder(at), machine(machine), loc(at->getLoc()), buffers(buffers) {
  levels.emplace_back();
}

VectorType vectortiles::typeOf(Value vector, const Slice &part) {
  return VectorType::get(part.sizes, getElementTypeOrSelf(vector.getType()));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> Slicer::loop(int64_t begin, int64_t end, int64_t step,
                                ValueRange inits, LoopBody body) {
  if (end - begin <= step)
    return body({Value(), begin}, inits);
  auto index = [&](int64_t value) {
    return Value(arith::ConstantIndexOp::create(builder, loc, value));
  };
  auto loop = scf::ForOp::create(builder, loc, index(begin), index(end),
                                 index(step), inits);
  OpBuilder::InsertionGuard guard(builder);
  if (inits.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(loop.getBody());
  levels.emplace_back().loop = loop;
  depths[loop.getInductionVar()] = levels.size() - 1;
  alignments[loop.getInductionVar()] = std::gcd(begin, step);
  SmallVector<Value> results =
      body({loop.getInductionVar(), 0}, loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(builder, loc, results);
  levels.pop_back();
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> Slicer::tiles(int64_t extent, int64_t tile, int64_t rest,
                                 ValueRange inits, TileBody body) {
  int64_t whole = extent / tile * tile;
  SmallVector<Value> values(inits);
  if (whole > 0)
    values = loop(0, whole, tile, inits, [&](Offset at, ValueRange carried) {
      return body(at, tile, carried);
    });
  if (whole < extent) {
    int64_t size = std::max(extent - whole, rest);
    values = body({Value(), whole, whole + size - extent}, size, values);
  }
  return values;
}

Value Slicer::valueOf(Offset offset) {
  if (!offset.base)
    return arith::ConstantIndexOp::create(builder, loc, offset.constant);
  if (offset.constant == 0)
    return offset.base;
  return arith::AddIOp::create(
      builder, loc, offset.base,
      arith::ConstantIndexOp::create(builder, loc, offset.constant));
}

Value Slicer::sum(Value index, Offset offset) {
  if (offset.isZero())
    return index;
  if (getConstantIntValue(index) == 0)
    return valueOf(offset);
  return arith::AddIOp::create(builder, index.getLoc(), index, valueOf(offset));
}

int64_t Slicer::alignmentOf(Offset offset) const {
  int64_t ofBase = offset.base ? alignments.lookup_or(offset.base, 1) : 0;
  return std::gcd(ofBase, offset.constant);
}

Offset Slicer::times(Offset offset, int64_t factor) {
  Offset result{Value(), offset.constant * factor};
  if (!offset.base)
    return result;
  Value &base = scaled[{offset.base, factor}];
  if (!base) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(offset.base);
    base = arith::MulIOp::create(
        builder, loc, offset.base,
        arith::ConstantIndexOp::create(builder, loc, factor));
    depths[base] = depths.lookup(offset.base);
    alignments[base] = alignmentOf({offset.base, 0}) * factor;
  }
  result.base = base;
  return result;
}

Offset Slicer::over(Offset offset, int64_t factor) {
  Offset result{Value(), offset.constant / factor};
  if (!offset.base)
    return result;
  Value &base = scaled[{offset.base, -factor}];
  if (!base) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(offset.base);
    base = arith::DivUIOp::create(
        builder, loc, offset.base,
        arith::ConstantIndexOp::create(builder, loc, factor));
    depths[base] = depths.lookup(offset.base);
    alignments[base] =
        std::max<int64_t>(alignmentOf({offset.base, 0}) / factor, 1);
  }
  result.base = base;
  return result;
}

Offset Slicer::groupAround(Offset offset, int64_t group) {
  if (!offset.base)
    return {Value(), offset.constant / group * group};
  // The group is computed from this exact offset, since adding a constant may
  // carry.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(offset.base);
  Value at = valueOf(offset);
  depths[at] = depths.lookup(offset.base);
  Offset result = times(over({at, 0}, group), group);
  return result;
}

SmallVector<Value> Slicer::moved(ValueRange indices, AffineMap map,
                                 ArrayRef<Offset> by) {
  SmallVector<Value> result(indices);
  for (auto [expr, offset] : llvm::zip_equal(map.getResults(), by))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result[dim.getPosition()] = sum(result[dim.getPosition()], offset);
  return result;
}

//===----------------------------------------------------------------------===//
// Slices past the end
//===----------------------------------------------------------------------===//

Value Slicer::insideMask(Location loc, const Slice &part) {
  if (llvm::none_of(part.offsets,
                    [](const Offset &offset) { return offset.outside; }))
    return {};
  SmallVector<Value> bounds;
  for (auto [offset, size] : llvm::zip_equal(part.offsets, part.sizes))
    bounds.push_back(
        arith::ConstantIndexOp::create(builder, loc, size - offset.outside));
  return vector::CreateMaskOp::create(
      builder, loc, VectorType::get(part.sizes, builder.getI1Type()), bounds);
}

Value Slicer::maskedInside(Location loc, Value mask, const Slice &part) {
  Value inside = insideMask(loc, part);
  if (!mask || !inside)
    return mask ? mask : inside;
  return arith::AndIOp::create(builder, loc, mask, inside);
}

Value Slicer::padded(Location loc, Value vector, const Slice &part,
                     ArrayRef<bool> dims, TypedAttr element) {
  Slice outside = part;
  for (auto [offset, isPadded] : llvm::zip_equal(outside.offsets, dims))
    if (!isPadded)
      offset.outside = 0;
  Value inside = insideMask(loc, outside);
  if (!inside)
    return vector;
  auto type = cast<VectorType>(vector.getType());
  Value other = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, element));
  return arith::SelectOp::create(builder, loc, inside, vector, other);
}

//===----------------------------------------------------------------------===//
// Memoized slices
//===----------------------------------------------------------------------===//

size_t Slicer::depthOf(const Slice &part) const {
  size_t depth = 0;
  for (const Offset &offset : part.offsets)
    if (offset.base)
      depth = std::max(depth, depths.lookup(offset.base));
  return depth;
}

Value Slicer::slice(Value vector, const Slice &part) {
  if (!isa<VectorType>(vector.getType()))
    return vector;
  if (Value buffer = buffers.lookup(vector))
    return fromBuffer(buffer, vector, part);
  return compute(vector, part);
}

Value Slicer::compute(Value vector, const Slice &part) {
  for (Level &level : levels)
    if (auto known = level.known.find(vector); known != level.known.end())
      for (auto &[same, value] : known->second)
        if (same == part)
          return value;
  size_t depth = depthOf(part);
  SmallVector<Level, 4> inside(
      std::make_move_iterator(levels.begin() + depth + 1),
      std::make_move_iterator(levels.end()));
  levels.truncate(depth + 1);
  Value result;
  {
    OpBuilder::InsertionGuard guard(builder);
    if (!inside.empty())
      builder.setInsertionPoint(inside.front().loop);
    result = computeByRule(vector.getDefiningOp(), vector, part);
  }
  levels[depth].known[vector].push_back({part, result});
  levels.append(std::make_move_iterator(inside.begin()),
                std::make_move_iterator(inside.end()));
  return result;
}

Value Slicer::element(Value vector, ArrayRef<Offset> position) {
  Slice part{llvm::to_vector<4>(position),
             SmallVector<int64_t, 4>(position.size(), 1)};
  Value box = slice(vector, part);
  return vector::ExtractOp::create(builder, vector.getLoc(), box,
                                   SmallVector<int64_t>(position.size(), 0));
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value Slicer::fromBuffer(Value buffer, Value vector, const Slice &part) {
  SmallVector<Value> indices;
  for (const Offset &offset : part.offsets)
    indices.push_back(valueOf(offset));
  return readBuffer(builder, vector.getLoc(), typeOf(vector, part), buffer,
                    indices, insideMask(vector.getLoc(), part));
}
