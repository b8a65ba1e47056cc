//===- TensorForms.cpp - Other ops on tensors become linalg.generic -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op with a value per position becomes an elementwise op that reads at
// the value's source position:
//
//   tensor.pad, tensor.concat,   out[i] = inside(i) ? in[i - low] : value
//   tensor.insert_slice
//   tensor.gather, scatter       FromPositions.h
//   tensor.generate, splat
//   a convolution's window       win[i, k] = in[stride * i + dilation * k]
//
// The window then is the left side of a contraction, or the operand of a
// pooling; being elementwise, it is computed where it is read and never stored.
// A result that is reduced to an extent of 1 loses that dimension where it is
// computed.
//
//===----------------------------------------------------------------------===//
#include "BodyForms.h"
#include "FromPositions.h"
#include "InputLegality.h"
#include "RaisePacks.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;

namespace {
/// Whether positions along one dim are inside of a box, and their position in
/// it.
struct BoxDim {
  Value inside; // null: everywhere
  Value position;
};
} // namespace

/// Returns where a position lies in a box of `size` positions from `low` on,
/// every `stride`th one.
static BoxDim placeInBox(OpBuilder &b, Location loc, Value position,
                         OpFoldResult low, OpFoldResult size,
                         OpFoldResult stride, bool mayBeOutside) {
  if (!mayBeOutside)
    return {{}, position};
  auto valueOf = [&](OpFoldResult at) {
    return getValueOrCreateConstantIndexOp(b, loc, at);
  };
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value from = arith::SubIOp::create(b, loc, position, valueOf(low));
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, from, zero);
  auto isAlso = [&](Value also) {
    inside = arith::AndIOp::create(b, loc, inside, also);
  };
  if (getConstantIntValue(stride) != 1) {
    Value step = valueOf(stride);
    Value rest = arith::RemUIOp::create(b, loc, from, step);
    isAlso(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, zero));
    from = arith::DivUIOp::create(b, loc, from, step);
  }
  isAlso(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, from,
                               valueOf(size)));
  return {inside, from};
}

/// Returns the element of `source` where all dims are inside of the box,
/// `outside` elsewhere; null `dims` positions are dropped.
static Value readInBox(OpBuilder &b, Location loc, Value source,
                       ArrayRef<BoxDim> dims, Value outside) {
  if (hasNoElements(cast<ShapedType>(source.getType())))
    return outside;
  Value inside;
  for (const BoxDim &dim : dims)
    if (dim.inside)
      inside =
          inside ? arith::AndIOp::create(b, loc, inside, dim.inside).getResult()
                 : dim.inside;
  SmallVector<Value> positions;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (const BoxDim &dim : dims)
    if (dim.position)
      positions.push_back(
          inside ? arith::SelectOp::create(b, loc, inside, dim.position, zero)
                       .getResult()
                 : dim.position);
  Value read = tensor::ExtractOp::create(b, loc, source, positions);
  return inside ? arith::SelectOp::create(b, loc, inside, read, outside)
                      .getResult()
                : read;
}

//===----------------------------------------------------------------------===//
// Slices of tensors
//===----------------------------------------------------------------------===//

static LogicalResult raisePad(RewriterBase &rewriter, tensor::PadOp pad) {
  auto yield = cast<tensor::YieldOp>(pad.getBody()->getTerminator());
  Value value = yield.getValue();
  if (Attribute constant; matchPattern(value, m_Constant(&constant)))
    value =
        arith::ConstantOp::create((rewriter.setInsertionPoint(pad), rewriter),
                                  pad.getLoc(), cast<TypedAttr>(constant));
  else if (value.getParentBlock() == pad.getBody())
    return pad.emitOpError("pads with what its region computes; a value from "
                           "outside is supported, or linalg.generic with "
                           "linalg.index");
  rewriter.setInsertionPoint(pad);
  Location loc = pad.getLoc();
  Value source = pad.getSource();
  SmallVector<OpFoldResult> inner =
                                tensor::getMixedSizes(rewriter, loc, source),
                            low = pad.getMixedLowPad(),
                            high = pad.getMixedHighPad(), sizes;
  AffineExpr a, b, c;
  bindSymbols(rewriter.getContext(), a, b, c);
  // The type specifies the sizes that dynamic paddings add up to.
  for (auto [dim, size] : llvm::enumerate(inner))
    sizes.push_back(
        pad.getResultType().isDynamicDim(dim)
            ? affine::makeComposedFoldedAffineApply(rewriter, loc, a + b + c,
                                                    {size, low[dim], high[dim]})
            : rewriter.getIndexAttr(pad.getResultType().getDimSize(dim)));
  Value padded = createFromPositions(
      rewriter, loc, sizes, pad.getResultType().getElementType(),
      [&](OpBuilder &b, ValueRange positions) {
        SmallVector<BoxDim> box;
        for (auto [dim, position] : llvm::enumerate(positions)) {
          bool isPadded = getConstantIntValue(low[dim]) != 0 ||
                          getConstantIntValue(high[dim]) != 0;
          box.push_back(placeInBox(b, loc, position, low[dim], inner[dim],
                                   b.getIndexAttr(1), isPadded));
        }
        return readInBox(b, loc, source, box, value);
      });
  rewriter.replaceOp(
      pad, tensor::CastOp::create(rewriter, loc, pad.getType(), padded));
  return success();
}

static void raiseConcat(RewriterBase &rewriter, tensor::ConcatOp concat) {
  rewriter.setInsertionPoint(concat);
  Location loc = concat.getLoc();
  int64_t along = concat.getDim();
  SmallVector<OpFoldResult> begins, extents;
  OpFoldResult end = rewriter.getIndexAttr(0);
  AffineExpr a, b;
  bindSymbols(rewriter.getContext(), a, b);
  for (Value input : concat.getInputs()) {
    begins.push_back(end);
    extents.push_back(tensor::getMixedSize(rewriter, loc, input, along));
    end = affine::makeComposedFoldedAffineApply(rewriter, loc, a + b,
                                                {end, extents.back()});
  }
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, concat.getInputs().front());
  sizes[along] = end;
  // The other extents are equal; a launch has to compare dynamic ones.
  SmallVector<AlikeSizes> alike;
  for (Value input : concat.getInputs().drop_front()) {
    AlikeSizes &other = alike.emplace_back();
    SmallVector<AffineExpr> loops;
    for (auto [dim, size] :
         llvm::enumerate(tensor::getMixedSizes(rewriter, loc, input)))
      if (int64_t(dim) != along && !getConstantIntValue(size)) {
        other.sizes.push_back(size);
        loops.push_back(rewriter.getAffineDimExpr(dim));
      }
    other.map = AffineMap::get(sizes.size(), 0, loops, rewriter.getContext());
    if (loops.empty())
      alike.pop_back();
  }
  Type type = concat.getResultType().getElementType();
  Value whole = createFromPositions(
      rewriter, loc, sizes, type,
      [&](OpBuilder &b, ValueRange positions) {
        Value value = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
        for (auto [number, input] : llvm::enumerate(concat.getInputs())) {
          SmallVector<BoxDim> box;
          for (auto [dim, position] : llvm::enumerate(positions))
            box.push_back(placeInBox(b, loc, position, begins[number],
                                     extents[number], b.getIndexAttr(1),
                                     int64_t(dim) == along));
          value = readInBox(b, loc, input, box, value);
        }
        return value;
      },
      alike);
  rewriter.replaceOp(
      concat, tensor::CastOp::create(rewriter, loc, concat.getType(), whole));
}

static void raiseInsert(RewriterBase &rewriter, tensor::InsertSliceOp insert) {
  rewriter.setInsertionPoint(insert);
  Location loc = insert.getLoc();
  Value dest = insert.getDest();
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  Value result = createFromPositions(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, dest),
      insert.getDestType().getElementType(),
      [&](OpBuilder &b, ValueRange positions) {
        SmallVector<BoxDim> box;
        for (auto [dim, position] : llvm::enumerate(positions)) {
          OpFoldResult offset = insert.getMixedOffsets()[dim],
                       size = insert.getMixedSizes()[dim],
                       stride = insert.getMixedStrides()[dim];
          bool isAll =
              getConstantIntValue(offset) == 0 &&
              getConstantIntValue(size) == insert.getDestType().getDimSize(dim);
          box.push_back(
              placeInBox(b, loc, position, offset, size, stride, !isAll));
          if (dropped.test(dim))
            box.back().position = {};
        }
        // An empty tensor is not read.
        Value before =
            dest.getDefiningOp<tensor::EmptyOp>()
                ? arith::ConstantOp::create(
                      b, loc,
                      b.getZeroAttr(insert.getDestType().getElementType()))
                      .getResult()
                : tensor::ExtractOp::create(b, loc, dest, positions)
                      .getResult();
        return readInBox(b, loc, insert.getSource(), box, before);
      });
  rewriter.replaceOp(insert, result);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static bool isPlain(AffineMap map) {
  return map.isProjectedPermutation(/*allowZeroInDims=*/true);
}

/// Reads the elements that an op accesses by sums and multiples of loops: one
/// per point of these loops (im2col).
static Value readWindow(RewriterBase &rewriter, linalg::LinalgOp op,
                        Value source, AffineMap map,
                        ArrayRef<OpFoldResult> extents,
                        SmallVectorImpl<AffineExpr> &loops) {
  SmallVector<AffineExpr> places(map.getNumDims(),
                                 rewriter.getAffineConstantExpr(0));
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : map.getResults())
    expr.walk([&](AffineExpr part) {
      auto loop = dyn_cast<AffineDimExpr>(part);
      if (!loop || llvm::is_contained(loops, loop))
        return;
      places[loop.getPosition()] = rewriter.getAffineDimExpr(loops.size());
      sizes.push_back(extents[loop.getPosition()]);
      loops.push_back(loop);
    });
  Location loc = op.getLoc();
  AffineMap local = map.replaceDimsAndSymbols(places, {}, loops.size(), 0);
  return createFromPositions(
      rewriter, loc, sizes, getElementTypeOrSelf(source.getType()),
      [&](OpBuilder &b, ValueRange positions) {
        SmallVector<Value> at;
        for (AffineExpr expr : local.getResults())
          at.push_back(affine::makeComposedAffineApply(
              b, loc, AffineMap::get(loops.size(), 0, expr),
              getAsOpFoldResult(positions)));
        return tensor::ExtractOp::create(b, loc, source, at).getResult();
      });
}

/// Returns the extent of a dim; for a result, that of the destination, so that
/// only its size is used.
static OpFoldResult extentAt(RewriterBase &rewriter, Location loc, Value tensor,
                             unsigned dim) {
  while (auto op = tensor.getDefiningOp<linalg::LinalgOp>())
    tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes()[dim];
  return tensor::getMixedSize(rewriter, loc, tensor, dim);
}

/// Returns the extents of an op's loops, from those of its operands.
static SmallVector<OpFoldResult> extentsOf(RewriterBase &rewriter,
                                           linalg::LinalgOp op) {
  SmallVector<OpFoldResult> extents(op.getNumLoops());
  SmallVector<int64_t> known = op.getStaticLoopRanges();
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray()))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && !extents[loop.getPosition()])
        extents[loop.getPosition()] =
            extentAt(rewriter, op.getLoc(), operand, dim);
  for (auto [extent, number] : llvm::zip_equal(extents, known))
    if (!ShapedType::isDynamic(number))
      extent = rewriter.getIndexAttr(number);
  return extents;
}

static LogicalResult raiseWindows(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (llvm::all_of(op.getIndexingMapsArray(), isPlain))
    return success();
  rewriter.setInsertionPoint(op);
  if (!isa<linalg::GenericOp>(op)) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return op.emitOpError("has no form as linalg.generic");
    op = *generic;
    rewriter.setInsertionPoint(op);
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isPlain(op.getMatchingIndexingMap(&init)))
      return op.emitOpError("writes its result by the indexing map ")
             << AffineMapAttr::get(op.getMatchingIndexingMap(&init))
             << "; a result has an element per point of different loops";
  SmallVector<OpFoldResult> extents = extentsOf(rewriter, op);
  if (llvm::any_of(extents, [](OpFoldResult extent) { return !extent; }))
    return op.emitOpError("has a loop that is no dimension of any operand");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap &map = maps[input->getOperandNumber()];
    if (isPlain(map))
      continue;
    SmallVector<AffineExpr> loops;
    Value window = readWindow(rewriter, op, input->get(), map, extents, loops);
    rewriter.modifyOpInPlace(op, [&] { input->set(window); });
    map = AffineMap::get(map.getNumDims(), 0, loops, rewriter.getContext());
  }
  rewriter.modifyOpInPlace(op, [&] {
    cast<linalg::GenericOp>(op.getOperation())
        .setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Results of extent 1
//===----------------------------------------------------------------------===//

static AffineMap without(AffineMap map, const llvm::SmallBitVector &dropped) {
  SmallVector<AffineExpr> results;
  for (auto [at, expr] : llvm::enumerate(map.getResults()))
    if (!dropped.test(at))
      results.push_back(expr);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// Returns the same elements in a tensor without the dims, whose extents are 1.
static Value drop(RewriterBase &rewriter, Location loc, Value value,
                  const llvm::SmallBitVector &dropped) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes, kept;
  for (auto [dim, size] :
       llvm::enumerate(tensor::getMixedSizes(rewriter, loc, value)))
    if (!dropped.test(dim))
      kept.push_back(size);
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, kept, type.getElementType());
    return linalg::FillOp::create(rewriter, loc, fill.value(), empty)
        .getResult(0);
  }
  if (value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(rewriter, loc, kept, type.getElementType());
  SmallVector<AffineExpr> places;
  unsigned dim = 0;
  for (unsigned at = 0; at < dropped.size(); ++at)
    places.push_back(dropped.test(at) ? rewriter.getAffineConstantExpr(0)
                                      : rewriter.getAffineDimExpr(dim++));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, kept, type.getElementType());
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), value, empty,
             ArrayRef<AffineMap>{
                 AffineMap::get(dim, 0, places, rewriter.getContext()),
                 rewriter.getMultiDimIdentityMap(dim)},
             SmallVector<utils::IteratorType>(dim,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location, ValueRange args) {
               linalg::YieldOp::create(b, loc, args.front());
             })
      .getResult(0);
}

/// Adds the dims again, as an elementwise op.
static Value spread(RewriterBase &rewriter, Location loc, Value value,
                    RankedTensorType type,
                    const llvm::SmallBitVector &dropped) {
  SmallVector<OpFoldResult> sizes,
      kept = tensor::getMixedSizes(rewriter, loc, value);
  SmallVector<AffineExpr> places;
  unsigned dim = 0;
  for (unsigned at = 0; at < dropped.size(); ++at) {
    sizes.push_back(dropped.test(at) ? OpFoldResult(rewriter.getIndexAttr(1))
                                     : kept[dim]);
    if (dropped.test(at))
      continue;
    places.push_back(rewriter.getAffineDimExpr(at));
    ++dim;
  }
  unsigned rank = dropped.size();
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  Value result =
      linalg::GenericOp::create(
          rewriter, loc, empty.getType(), value, empty,
          ArrayRef<AffineMap>{
              AffineMap::get(rank, 0, places, rewriter.getContext()),
              rewriter.getMultiDimIdentityMap(rank)},
          SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
          [&](OpBuilder &b, Location, ValueRange args) {
            linalg::YieldOp::create(b, loc, args.front());
          })
          .getResult(0);
  if (result.getType() == type)
    return result;
  return tensor::CastOp::create(rewriter, loc, type, result);
}

/// Replaces a value by a smaller tensor in linalg ops; other readers get the
/// tensor with the dims added again.
static void replaceBySmaller(RewriterBase &rewriter, Value value, Value smaller,
                             const llvm::SmallBitVector &dropped) {
  Value whole;
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (reader && reader.isDpsInput(&use)) {
      SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
      AffineMap smallerMap = without(maps[use.getOperandNumber()], dropped);
      maps[use.getOperandNumber()] = smallerMap;
      if (inversePermutation(concatAffineMaps(maps, rewriter.getContext()))) {
        rewriter.modifyOpInPlace(reader, [&] {
          use.set(smaller);
          reader.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
        });
        continue;
      }
    }
    if (!whole) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(smaller);
      whole = spread(rewriter, value.getLoc(), smaller,
                     cast<RankedTensorType>(value.getType()), dropped);
    }
    rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(whole); });
  }
}

static void dropUnitResults(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<llvm::SmallBitVector> dropped;
  bool any = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = maps[init.getOperandNumber()];
    llvm::SmallBitVector constants(map.getNumResults());
    for (auto [at, expr] : llvm::enumerate(map.getResults()))
      if (isa<AffineConstantExpr>(expr))
        constants.set(at);
    any |= constants.any();
    dropped.push_back(constants);
    maps[init.getOperandNumber()] = without(map, constants);
  }
  if (!any)
    return;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inits;
  for (auto [init, constants] : llvm::zip_equal(op.getDpsInits(), dropped))
    inits.push_back(
        constants.any() ? drop(rewriter, op.getLoc(), init, constants) : init);
  auto smaller = linalg::GenericOp::create(
      rewriter, op.getLoc(), ValueRange(inits).getTypes(), op.getDpsInputs(),
      inits, maps, op.getIteratorTypesArray());
  smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), smaller.getRegion(),
                              smaller.getRegion().begin());
  for (auto [value, replacement, constants] :
       llvm::zip_equal(op.getResults(), smaller.getResults(), dropped)) {
    if (constants.any())
      replaceBySmaller(rewriter, value, replacement, constants);
    else
      rewriter.replaceAllUsesWith(value, replacement);
  }
  rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult distaff::moveReshapes(func::FuncOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  auto isBetweenOps = [](OpOperand *fused) {
    Operation *producer = fused->get().getDefiningOp();
    return producer && producer->hasOneUse();
  };
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isBetweenOps);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns,
                                                     kernel.getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                       kernel.getContext());
  tensor::CastOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  linalg::FillOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  if (failed(applyPatternsGreedily(kernel, guarded(std::move(patterns)))))
    return kernel.emitOpError("reshapes of tensors that do not settle");
  return success();
}

/// Rewrites one op of the kernel as linalg.generic, if it has no other form.
static LogicalResult raiseOp(RewriterBase &rewriter, Operation *op) {
  LogicalResult isRaised = success();
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    isRaised = raisePad(rewriter, pad);
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    raiseConcat(rewriter, concat);
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    raiseInsert(rewriter, insert);
  } else if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
    raiseGather(rewriter, gather);
  } else if (auto scatter = dyn_cast<tensor::ScatterOp>(op)) {
    isRaised = raiseScatter(rewriter, scatter);
  } else if (auto pack = dyn_cast<linalg::PackOp>(op)) {
    isRaised = raisePack(rewriter, pack);
  } else if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
    isRaised = raiseUnpack(rewriter, unpack);
  } else if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    isRaised = raiseGenerate(rewriter, generate);
  } else if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    raiseSplat(rewriter, splat);
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
             linalgOp && linalgOp.hasPureTensorSemantics()) {
    isRaised = raiseWindows(rewriter, linalgOp);
  }
  return isRaised;
}

LogicalResult distaff::raiseMovements(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (!isa<linalg::LinalgOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(raiseOp(rewriter, op)))
      return failure();
  return success();
}

LogicalResult distaff::raiseTensorOps(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  dropEmptyReductions(rewriter, kernel);
  dropEmptyResults(rewriter, kernel);
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops)
    if (failed(raiseOp(rewriter, op)))
      return failure();
  dropEmptyResults(rewriter, kernel);
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>()))
    if (op.hasPureTensorSemantics())
      dropUnitResults(rewriter, op);
  dropUnitInputs(kernel);
  // Rows of a slice are not contiguous, and collapse only after a copy.
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (!isa<tensor::CollapseShapeOp>(op))
      continue;
    auto slice = op.getOperand(0).getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice)
      continue;
    rewriter.setInsertionPoint(&op);
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), slice),
        slice.getType().getElementType());
    Value copy =
        linalg::CopyOp::create(rewriter, op.getLoc(), slice.getResult(), empty)
            .getResult(0);
    rewriter.modifyOpInPlace(&op, [&] { op.setOperand(0, copy); });
  }
  bool reshapes =
      llvm::any_of(kernel.getBody().front(),
                   llvm::IsaPred<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                                 tensor::CastOp>);
  return reshapes ? moveReshapes(kernel) : success();
}
