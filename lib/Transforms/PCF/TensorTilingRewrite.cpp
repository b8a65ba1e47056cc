//===- TensorTilingRewrite.cpp - A phase on boxes -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op of the body is made anew on a member's boxes: slices move by the
// member's coordinate, and end where the whole ends. What replicas share is
// written by one of them.
//
//===----------------------------------------------------------------------===//
#include "TensorTiling.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::pcf;

using Sizes = SmallVector<OpFoldResult>;

namespace {
class TiledBody {
public:
  TiledBody(ValueRange ids, const WorkerGrid &grid, const BodyTiling &tiling,
            RewriterBase &rewriter)
      : grid(grid), tiling(tiling), rewriter(rewriter) {
    member = linearize(ids);
  }

  /// Makes the ops of a block, its terminator apart.
  void makeBlock(Block &block);

  /// The box of a value, or the scalar that it is.
  Value get(Value value, const TileMap *map = nullptr);

  IRMapping mapping;
  void setSizes(Value box, Sizes sizes) { boxSizes[box] = std::move(sizes); }

private:
  OpFoldResult linearize(ValueRange ids);
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, operands);
  }
  AffineExpr coordinate(const TileDim &dim, AffineExpr member);
  OpFoldResult begin(const TileDim &dim);
  OpFoldResult clampSize(const TileDim &dim, OpFoldResult extent);
  Sizes clampSizes(const TileMap &map, ArrayRef<OpFoldResult> extents);
  Sizes moveOffsets(const TileMap &map, ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> strides);
  Sizes sizesOf(Value box);
  Sizes remap(ArrayRef<OpFoldResult> old);
  void guardReplicas(const TileMap &map, function_ref<void()> make);

  void make(Operation &op);
  void makeRead(ReadSliceOp op);
  void makeWrite(WriteSliceOp op);
  void makePad(tensor::PadOp op);
  void makeSlice(tensor::ExtractSliceOp op);
  void makeClone(Operation &op);

  const WorkerGrid &grid;
  const BodyTiling &tiling;
  RewriterBase &rewriter;
  Location loc = rewriter.getUnknownLoc();
  /// Which member runs the code, counted from 0.
  OpFoldResult member;
  llvm::DenseMap<Value, Sizes> boxSizes;
};
} // namespace

/// Fastest first: id0 + count0 * (id1 + count1 * ...). Where a count is not
/// known nothing is split, and only member 0 needs to be told apart: the sum.
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

/// A member's coordinate, from its number.
AffineExpr TiledBody::coordinate(const TileDim &dim, AffineExpr member) {
  if (dim.workers == 1)
    return getAffineConstantExpr(0, rewriter.getContext());
  AffineExpr expr = member.floorDiv(dim.stride);
  // The slowest coordinate does not come round again.
  std::optional<int64_t> members = grid.getNumMembers();
  return members && *members == dim.stride * dim.workers ? expr
                                                         : expr % dim.workers;
}

/// Where a member's box begins.
OpFoldResult TiledBody::begin(const TileDim &dim) {
  AffineExpr s0;
  bindSymbols(rewriter.getContext(), s0);
  return apply(coordinate(dim, s0) * dim.tile, member);
}

/// Of `extent` elements, those in the member's box: never negative.
OpFoldResult TiledBody::clampSize(const TileDim &dim, OpFoldResult extent) {
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known == dim.workers * dim.tile)
    return rewriter.getIndexAttr(dim.tile);
  if (dim.workers == 1)
    return extent;
  MLIRContext *context = rewriter.getContext();
  AffineExpr s0, s1;
  bindSymbols(context, s0, s1);
  AffineExpr left = s0 - coordinate(dim, s1) * dim.tile;
  OpFoldResult atLeast0 = affine::makeComposedFoldedAffineMax(
      rewriter, loc,
      AffineMap::get(0, 2, {left, getAffineConstantExpr(0, context)}, context),
      {extent, member});
  return affine::makeComposedFoldedAffineMin(
      rewriter, loc,
      AffineMap::get(0, 1, {s0, getAffineConstantExpr(dim.tile, context)},
                     context),
      {atLeast0});
}

Sizes TiledBody::clampSizes(const TileMap &map,
                            ArrayRef<OpFoldResult> extents) {
  Sizes sizes;
  for (auto [dim, extent] : llvm::zip_equal(map.dims, extents))
    sizes.push_back(clampSize(dim, extent));
  return sizes;
}

Sizes TiledBody::moveOffsets(const TileMap &map, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> strides) {
  AffineExpr s0, s1, s2;
  bindSymbols(rewriter.getContext(), s0, s1, s2);
  Sizes moved;
  for (auto [dim, offset, stride] : llvm::zip_equal(map.dims, offsets, strides))
    moved.push_back(dim.workers == 1
                        ? offset
                        : apply(s0 + coordinate(dim, s1) * dim.tile * s2,
                                {offset, member, stride}));
  return moved;
}

/// Values of the old body as those of the new one.
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

/// Runs `make` on one of the members that hold equal boxes.
void TiledBody::guardReplicas(const TileMap &map, function_ref<void()> make) {
  std::optional<int64_t> members = grid.getNumMembers();
  if (members && *members == map.countBoxes())
    return make();
  AffineExpr s0;
  bindSymbols(rewriter.getContext(), s0);
  AffineExpr number = getAffineConstantExpr(0, rewriter.getContext());
  for (const TileDim &dim : map.dims)
    number = number + coordinate(dim, s0) * dim.stride;
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

Value TiledBody::get(Value value, const TileMap *map) {
  if (!isa<RankedTensorType>(value.getType()) || mapping.contains(value))
    return mapping.lookupOrDefault(value);
  // A constant or an empty tensor, of just the box that is wanted.
  assert(map && "a tensor is in boxes, or made anew");
  auto type = cast<RankedTensorType>(value.getType());
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
    Sizes sizes = clampSizes(*map, remap(empty.getMixedSizes()));
    Value box =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    setSizes(box, sizes);
    return box;
  }
  DenseElementsAttr constant;
  [[maybe_unused]] bool isConstant = matchPattern(value, m_Constant(&constant));
  assert(isConstant && constant.isSplat() && "nothing else is made anew");
  auto boxType = type.clone(map->getTileShape());
  return arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(boxType, constant.getSplatValue<Attribute>()));
}

void TiledBody::makeRead(ReadSliceOp op) {
  const TileMap *map = tiling.lookup(op.getResult());
  if (!map)
    return; // Nobody wants it.
  Sizes offsets = moveOffsets(*map, remap(op.getMixedOffsets()),
                              remap(op.getMixedStrides()));
  Sizes sizes = clampSizes(*map, remap(op.getMixedSizes()));
  auto type = RankedTensorType::get(decomposeMixedValues(sizes).first,
                                    op.getResultType().getElementType());
  auto read = ReadSliceOp::create(rewriter, loc, type,
                                  mapping.lookupOrDefault(op.getSource()),
                                  offsets, sizes, remap(op.getMixedStrides()));
  mapping.map(op.getResult(), read.getResult());
  setSizes(read.getResult(), sizes);
}

void TiledBody::makeWrite(WriteSliceOp op) {
  const TileMap *map = tiling.lookup(op.getSource());
  TileMap all = TileMap::replicated(op.getSourceType().getShape());
  if (!map)
    map = &all;
  guardReplicas(*map, [&] {
    Sizes offsets = moveOffsets(*map, remap(op.getMixedOffsets()),
                                remap(op.getMixedStrides()));
    WriteSliceOp::create(rewriter, loc, get(op.getSource(), map),
                         mapping.lookupOrDefault(op.getDest()), offsets,
                         clampSizes(*map, remap(op.getMixedSizes())),
                         remap(op.getMixedStrides()));
  });
}

/// The box of the whole, of which a part is the source's box.
void TiledBody::makePad(tensor::PadOp op) {
  const TileMap *map = tiling.lookup(op.getResult());
  if (!map)
    return;
  Value source = get(op.getSource(), map);
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  Sizes low(map->dims.size(), rewriter.getIndexAttr(0)), high;
  for (auto [dim, size, pad] :
       llvm::zip_equal(map->dims, sizesOf(source), remap(op.getMixedHighPad())))
    // A dimension of unknown extent is not split: its padding stays.
    high.push_back(
        ShapedType::isDynamic(dim.tile)
            ? pad
            : apply(s0 - s1, {rewriter.getIndexAttr(dim.tile), size}));
  auto type =
      RankedTensorType::get(map->getTileShape(), op.getType().getElementType());
  Value padding = mapping.lookupOrDefault(op.getConstantPaddingValue());
  Value box = tensor::PadOp::create(rewriter, loc, type, source, low, high,
                                    padding, op.getNofold());
  mapping.map(op.getResult(), box);
}

void TiledBody::makeSlice(tensor::ExtractSliceOp op) {
  const TileMap *map = tiling.lookup(op.getResult());
  if (!map)
    return;
  Sizes sizes = clampSizes(*map, remap(op.getMixedSizes()));
  Sizes zeros(sizes.size(), rewriter.getIndexAttr(0));
  Sizes ones(sizes.size(), rewriter.getIndexAttr(1));
  Value box = tensor::ExtractSliceOp::create(
      rewriter, loc, get(op.getSource(), map), zeros, sizes, ones);
  mapping.map(op.getResult(), box);
  setSizes(box, sizes);
}

/// The boxes of the loops of an op whose result is in boxes; what it sums is
/// not split.
static SmallVector<TileDim> getLoopBoxes(linalg::LinalgOp op,
                                         const BodyTiling &tiling) {
  SmallVector<TileDim> loops;
  for (int64_t range : op.getStaticLoopRanges())
    loops.push_back({1, 0, range});
  // A loop need not be in every result.
  for (OpResult result : op->getResults())
    for (auto [dim, box] :
         llvm::zip_equal(op.getIndexingMapMatchingResult(result).getResults(),
                         tiling.lookup(result)->dims))
      loops[cast<AffineDimExpr>(dim).getPosition()] = box;
  return loops;
}

/// The same op on boxes: linalg's, elementwise ones, and scalar code.
void TiledBody::makeClone(Operation &op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  const TileMap *result =
      op.getNumResults() ? tiling.lookup(op.getResult(0)) : nullptr;
  SmallVector<TileDim> loops;
  if (linalgOp && result)
    loops = getLoopBoxes(linalgOp, tiling);
  // By operand: one constant may be wanted in two boxes.
  SmallVector<std::pair<unsigned, Value>> boxes;
  for (OpOperand &operand : op.getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    if (!result)
      return; // A tensor that nobody wants.
    TileMap map = *result;
    if (linalgOp) {
      map.dims.clear();
      for (AffineExpr dim :
           linalgOp.getMatchingIndexingMap(&operand).getResults())
        map.dims.push_back(loops[cast<AffineDimExpr>(dim).getPosition()]);
    }
    boxes.push_back({operand.getOperandNumber(), get(operand.get(), &map)});
  }
  Operation *clone = rewriter.clone(op, mapping);
  for (auto [number, box] : boxes)
    clone->setOperand(number, box);
  for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults())) {
    mapping.map(from, to);
    auto type = dyn_cast<RankedTensorType>(from.getType());
    if (!type)
      continue;
    Value like = linalgOp
                     ? clone->getOperand(
                           linalgOp.getDpsInitOperand(from.getResultNumber())
                               ->getOperandNumber())
                     : clone->getOperand(boxes.front().first);
    to.setType(type.clone(cast<RankedTensorType>(like.getType()).getShape()));
    setSizes(to, sizesOf(like));
  }
  if (!linalgOp || !linalgOp.hasIndexSemantics())
    return;
  // Positions count from the beginning of the whole.
  Sizes offsets;
  for (const TileDim &loop : loops)
    offsets.push_back(begin(loop));
  linalg::offsetIndices(rewriter, cast<linalg::LinalgOp>(clone), offsets);
}

void TiledBody::make(Operation &op) {
  loc = op.getLoc();
  if (auto read = dyn_cast<ReadSliceOp>(op))
    return makeRead(read);
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return makeWrite(write);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return makePad(pad);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return makeSlice(slice);
  if (isa<tensor::EmptyOp>(op))
    return;
  bool isConstantTensor = op.hasTrait<mlir::OpTrait::ConstantLike>() &&
                          isa<RankedTensorType>(op.getResult(0).getType());
  if (isConstantTensor)
    return;
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && !branch.getNumResults()) {
    auto copy = scf::IfOp::create(
        rewriter, loc, mapping.lookupOrDefault(branch.getCondition()),
        !branch.getElseRegion().empty());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(copy.thenBlock());
    makeBlock(*branch.thenBlock());
    if (!branch.elseBlock())
      return;
    rewriter.setInsertionPointToStart(copy.elseBlock());
    makeBlock(*branch.elseBlock());
    return;
  }
  makeClone(op);
}

void TiledBody::makeBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    make(op);
}

void pcf::rewriteTiled(RunClusterOp op, RunThreadOp newOp, ValueRange ids,
                       const WorkerGrid &grid, const PayloadClasses &classes,
                       const FixedClasses &fixed, const BodyTiling &tiling,
                       RewriterBase &rewriter) {
  rewriter.setInsertionPointToStart(&newOp.getBody().front());
  TiledBody body(ids, grid, tiling, rewriter);
  for (auto [from, to] :
       llvm::zip_equal(op.getPayloadArgs(), newOp.getPayloadArgs()))
    body.mapping.map(from, to);
  body.makeBlock(op.getBody().front());
  SmallVector<Value> yielded;
  for (OpOperand &operand : op.getYield()->getOpOperands()) {
    Attribute map = fixed.at(classes.of(operand)).mapping;
    TileMap box = map ? TileMap::decode(map) : TileMap();
    yielded.push_back(body.get(operand.get(), &box));
  }
  ClusterYieldOp::create(rewriter, op.getYield().getLoc(), yielded);
}
