//===- TiledBodyPlaces.cpp - Offsets and sizes of a member's tiles --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TiledBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

TiledBody::TiledBody(RunClusterOp phase, ValueRange ids, const WorkerGrid &grid,
                     const BodyTiling &tiling, RewriterBase &rewriter)
    : grid(grid), tiling(tiling), rewriter(rewriter) {
  member = linearize(ids);
  findWholes(phase);
}

OpFoldResult TiledBody::apply(AffineExpr expr,
                              ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, operands);
}

/// Linearizes ids, fastest first: id0 + count0 * (id1 + count1 * ...). If a
/// count is not known nothing is split, and only member 0 must be recognizable:
/// the result is the sum.
OpFoldResult TiledBody::linearize(ValueRange ids) {
  AffineExpr s0, s1, s2;
  bindSymbols(rewriter.getContext(), s0, s1, s2);
  OpFoldResult linear = ids.back();
  for (int64_t dim = ids.size() - 2; dim >= 0; --dim)
    linear = grid.getNumMembers()
                 ? apply(s0 + s1 * s2, {ids[dim], grid.counts[dim], linear})
                 : apply(s0 + s1, {ids[dim], linear});
  return linear;
}

/// Returns a member's digit, computed from its number.
AffineExpr TiledBody::digitOfMember(const TileDigit &digit, AffineExpr member) {
  AffineExpr expr = member.floorDiv(digit.stride);
  // The slowest digit does not wrap around.
  std::optional<int64_t> members = grid.getNumMembers();
  return members && *members == digit.stride * digit.extent
             ? expr
             : expr % digit.extent;
}

/// Returns the offset of a tile as an expression of symbols, which are added to
/// `symbols`.
AffineExpr TiledBody::begin(const TileDim &dim, ArrayRef<OpFoldResult> at,
                            Sizes &symbols) {
  MLIRContext *context = rewriter.getContext();
  auto addSymbol = [&](OpFoldResult value) {
    symbols.push_back(value);
    return getAffineSymbolExpr(symbols.size() - 1, context);
  };
  AffineExpr sum = getAffineConstantExpr(0, context), number;
  for (unsigned i = 0; i + 1 < dim.digits.size(); ++i) {
    const TileDigit &digit = dim.digits[i];
    AffineExpr value;
    if (digit.isOwn()) {
      value = addSymbol(at.front());
      at = at.drop_front();
    } else {
      if (!number)
        number = addSymbol(member);
      value = digitOfMember(digit, number);
    }
    sum = sum + value * dim.getScale(i);
  }
  return sum;
}

/// Returns how many of `extent` elements are in the tile: never negative.
OpFoldResult TiledBody::clampSize(const TileDim &dim, ArrayRef<OpFoldResult> at,
                                  OpFoldResult extent) {
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known == dim.getExtent())
    return rewriter.getIndexAttr(dim.getTile());
  if (dim.digits.size() == 1)
    return extent;
  MLIRContext *context = rewriter.getContext();
  AffineExpr s0;
  bindSymbols(context, s0);
  Sizes symbols{extent};
  AffineExpr left = s0 - begin(dim, at, symbols);
  OpFoldResult atLeast0 = affine::makeComposedFoldedAffineMax(
      rewriter, loc,
      AffineMap::get(0, symbols.size(),
                     {left, getAffineConstantExpr(0, context)}, context),
      symbols);
  return affine::makeComposedFoldedAffineMin(
      rewriter, loc,
      AffineMap::get(0, 1, {s0, getAffineConstantExpr(dim.getTile(), context)},
                     context),
      {atLeast0});
}

Sizes TiledBody::clampSizes(const TileMap &map, const Repeats &at,
                            ArrayRef<OpFoldResult> extents) {
  Sizes sizes;
  for (auto [dim, repeats, extent] : llvm::zip_equal(map.dims, at, extents))
    sizes.push_back(clampSize(dim, repeats, extent));
  return sizes;
}

Sizes TiledBody::moveOffsets(const TileMap &map, const Repeats &at,
                             ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> strides) {
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  Sizes moved;
  for (auto [dim, repeats, offset, stride] :
       llvm::zip_equal(map.dims, at, offsets, strides)) {
    Sizes symbols{offset, stride};
    AffineExpr place = begin(dim, repeats, symbols);
    moved.push_back(dim.digits.size() == 1 ? offset
                                           : apply(s0 + place * s1, symbols));
  }
  return moved;
}

/// Returns the offset of a tile, per dimension.
Sizes TiledBody::getPlace(const TileMap &map, const Repeats &at) {
  Sizes place;
  for (auto [dim, repeats] : llvm::zip_equal(map.dims, at)) {
    Sizes symbols;
    AffineExpr expr = begin(dim, repeats, symbols);
    place.push_back(apply(expr, symbols));
  }
  return place;
}

/// Maps values of the old body to those of the new one.
Sizes TiledBody::remap(ArrayRef<OpFoldResult> old) {
  return llvm::map_to_vector(old, [&](OpFoldResult entry) -> OpFoldResult {
    auto value = dyn_cast<Value>(entry);
    return value ? mapping.lookupOrDefault(value) : entry;
  });
}

Sizes TiledBody::sizesOf(Value box) {
  auto it = boxSizes.find(box);
  return it != boxSizes.end() ? it->second
                              : tensor::getMixedSizes(rewriter, loc, box);
}

/// Returns the extents of a tensor of the phase.
Sizes TiledBody::getExtents(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  if (auto slice = value.getDefiningOp<OffsetSizeAndStrideOpInterface>())
    return remap(slice.getMixedSizes());
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return remap(empty.getMixedSizes());
  if (auto linalgOp = value.getDefiningOp<linalg::LinalgOp>())
    return getExtents(linalgOp.getTiedOpOperand(cast<OpResult>(value))->get());
  if (auto pad = value.getDefiningOp<tensor::PadOp>()) {
    AffineExpr s0, s1;
    bindSymbols(rewriter.getContext(), s0, s1);
    Sizes extents;
    for (auto [source, high] : llvm::zip_equal(getExtents(pad.getSource()),
                                               remap(pad.getMixedHighPad())))
      extents.push_back(apply(s0 + s1, {source, high}));
    return extents;
  }
  // Elementwise: all operands that are tensors have them.
  Operation *op = value.getDefiningOp();
  assert(op && "payload is static");
  return getExtents(*llvm::find_if(op->getOperands(), [](Value operand) {
    return isa<RankedTensorType>(operand.getType());
  }));
}

/// Runs `make` under the condition that selects one of the members that hold
/// equal elements.
void TiledBody::guardReplicas(const TileMap &map, function_ref<void()> make) {
  std::optional<int64_t> members = grid.getNumMembers();
  if (members && *members == map.countBoxes())
    return make();
  AffineExpr s0;
  bindSymbols(rewriter.getContext(), s0);
  AffineExpr number = getAffineConstantExpr(0, rewriter.getContext());
  for (const TileDim &dim : map.dims)
    for (const TileDigit &digit : dim.digits)
      if (!digit.isOwn())
        number = number + digitOfMember(digit, s0) * digit.stride;
  OpFoldResult first = apply(number, member);
  Value isFirst = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq,
      getValueOrCreateConstantIndexOp(rewriter, loc, member),
      getValueOrCreateConstantIndexOp(rewriter, loc, first));
  auto branch = scf::IfOp::create(rewriter, loc, isFirst);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  make();
}

/// Emits loops over the repeats, the last dimension's innermost, and runs
/// `make` in them.
void TiledBody::forEachTile(const TileMap &map,
                            function_ref<void(const Repeats &)> make) {
  OpBuilder::InsertionGuard guard(rewriter);
  Repeats at;
  for (const TileDim &dim : map.dims) {
    Sizes &repeats = at.emplace_back();
    for (unsigned digit : dim.getRepeats()) {
      int64_t extent = dim.digits[digit].extent;
      if (extent == 1) {
        repeats.push_back(rewriter.getIndexAttr(0));
        continue;
      }
      auto constant = [&](int64_t value) {
        return arith::ConstantIndexOp::create(rewriter, loc, value);
      };
      auto loop = scf::ForOp::create(rewriter, loc, constant(0),
                                     constant(extent), constant(1));
      rewriter.setInsertionPointToStart(loop.getBody());
      repeats.push_back(loop.getInductionVar());
    }
  }
  SmallVector<MadeTile> outside = std::exchange(made, {});
  make(at);
  made = std::move(outside);
}

/// Runs `make` once for each of the repeats, as constants: the loops are fully
/// unrolled.
void TiledBody::forEachTileUnrolled(const TileMap &map,
                                    function_ref<void(const Repeats &)> make) {
  SmallVector<int64_t> extents;
  for (const TileDim &dim : map.dims)
    for (unsigned digit : dim.getRepeats())
      extents.push_back(dim.digits[digit].extent);
  int64_t count = llvm::product_of(extents);
  for (int64_t i = 0; i < count; ++i) {
    Repeats at;
    int64_t rest = i, scale = count;
    size_t next = 0;
    for (const TileDim &dim : map.dims) {
      Sizes &repeats = at.emplace_back();
      for ([[maybe_unused]] unsigned digit : dim.getRepeats()) {
        scale /= extents[next++];
        repeats.push_back(rewriter.getIndexAttr(rest / scale));
        rest %= scale;
      }
    }
    SmallVector<MadeTile> outside = std::exchange(made, {});
    make(at);
    made = std::move(outside);
  }
}
