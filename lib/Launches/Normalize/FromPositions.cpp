//===- FromPositions.cpp - Gather, scatter and generate as linalg ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FromPositions.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

/// Creates a tensor without data that has these sizes.
static Value sizeOf(RewriterBase &rewriter, Location loc,
                    ArrayRef<OpFoldResult> sizes) {
  return tensor::EmptyOp::create(rewriter, loc, sizes, rewriter.getI32Type());
}

Value distaff::createFromPositions(
    RewriterBase &rewriter, Location loc, ArrayRef<OpFoldResult> sizes,
    Type type, function_ref<Value(OpBuilder &, ValueRange)> element,
    ArrayRef<AlikeSizes> alike) {
  unsigned rank = sizes.size();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const AlikeSizes &each : alike) {
    inputs.push_back(sizeOf(rewriter, loc, each.sizes));
    maps.push_back(each.map);
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange) {
        SmallVector<Value> positions;
        for (unsigned dim = 0; dim < rank; ++dim)
          positions.push_back(linalg::IndexOp::create(b, loc, dim));
        linalg::YieldOp::create(b, loc, element(b, positions));
      });
  return generic.getResult(0);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Returns one coordinate of the slice at a position of the batch.
static Value readCoordinate(OpBuilder &b, Location loc, Value coordinates,
                            ValueRange batch, unsigned number) {
  SmallVector<Value> at(batch);
  at.push_back(arith::ConstantIndexOp::create(b, loc, number));
  return tensor::ExtractOp::create(b, loc, coordinates, at);
}

static Value toIndex(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

void distaff::raiseGather(RewriterBase &rewriter, tensor::GatherOp gather) {
  rewriter.setInsertionPoint(gather);
  Location loc = gather.getLoc();
  Value source = gather.getSource(), coordinates = gather.getIndices();
  ArrayRef<int64_t> dims = gather.getGatherDims();
  unsigned rank = gather.getSourceType().getRank(),
           batch = gather.getIndicesType().getRank() - 1;
  bool keepsRank = gather.getResultType().getRank() == batch + rank;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, coordinates);
  sizes.pop_back();
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, source);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      sizes.push_back(extents[dim]);
    else if (keepsRank)
      sizes.push_back(rewriter.getIndexAttr(1));
  Value result = createFromPositions(
      rewriter, loc, sizes, gather.getResultType().getElementType(),
      [&](OpBuilder &b, ValueRange positions) {
        ValueRange inner = positions.drop_front(batch);
        SmallVector<Value> at;
        for (unsigned dim = 0; dim < rank; ++dim) {
          const auto *number = llvm::find(dims, int64_t(dim));
          bool isGathered = number != dims.end();
          at.push_back(isGathered
                           ? toIndex(b, loc,
                                     readCoordinate(b, loc, coordinates,
                                                    positions.take_front(batch),
                                                    number - dims.begin()))
                           : inner.front());
          if (!isGathered || keepsRank)
            inner = inner.drop_front();
        }
        return tensor::ExtractOp::create(b, loc, source, at).getResult();
      });
  rewriter.replaceOpWithNewOp<tensor::CastOp>(gather, gather.getResultType(),
                                              result);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites a scatter as two ops.
class ScatterWriter {
public:
  ScatterWriter(RewriterBase &rewriter, tensor::ScatterOp scatter)
      : rewriter(rewriter), op(scatter), loc(scatter.getLoc()),
        dims(scatter.getScatterDims()), rank(scatter.getDestType().getRank()),
        batch(scatter.getIndicesType().getRank() - 1),
        extents(tensor::getMixedSizes(rewriter, loc, scatter.getDest())),
        batchSizes(tensor::getMixedSizes(rewriter, loc, scatter.getIndices())) {
    batchSizes.pop_back();
    coordinates = op.getIndices();
    loopSizes = batchSizes;
    flatten();
  }

  Value write() { return select(findSlices()); }

private:
  Type numberType() const;
  bool keepsRank() {
    return op.getSourceType().getRank() == int64_t(batch + rank);
  }
  SmallVector<OpFoldResult> sourceSizes() {
    return tensor::getMixedSizes(rewriter, loc, op.getSource());
  }
  void flatten();
  SmallVector<Value> coordinatesInLoops(OpBuilder &b);
  Value isHere(OpBuilder &b, ValueRange coordinates) const;
  Value findSlices();
  SmallVector<Value> sourcePosition(OpBuilder &b, Value isHeld, Value number);
  Value select(Value slices);

  RewriterBase &rewriter;
  tensor::ScatterOp op;
  Location loc;
  SmallVector<int64_t> dims;
  unsigned rank, batch;
  SmallVector<OpFoldResult> extents, batchSizes;
  // Operands of the loops that search for a slice.
  Value coordinates;
  SmallVector<OpFoldResult> loopSizes;
  std::optional<int64_t> counted;
};
} // namespace

/// Returns the type of a slice's number: 64 bits if 32 may not suffice.
Type ScatterWriter::numberType() const {
  return counted && *counted <= INT32_MAX ? rewriter.getI32Type()
                                          : rewriter.getI64Type();
}

/// Flattens a static number of slices into one loop.
void ScatterWriter::flatten() {
  int64_t count = 1;
  for (OpFoldResult size : batchSizes) {
    std::optional<int64_t> number = getConstantIntValue(size);
    if (!number || llvm::MulOverflow(count, *number, count))
      return;
  }
  SmallVector<ReassociationIndices> groups(2);
  for (unsigned dim = 0; dim < batch; ++dim)
    groups[0].push_back(dim);
  groups[1].push_back(batch);
  if (batch > 1)
    coordinates =
        tensor::CollapseShapeOp::create(rewriter, loc, coordinates, groups);
  if (batch == 0)
    coordinates = tensor::ExpandShapeOp::create(
        rewriter, loc,
        RankedTensorType::get({1, int64_t(dims.size())},
                              op.getIndicesType().getElementType()),
        coordinates, ArrayRef<ReassociationIndices>({{0, 1}}));
  counted = count;
  loopSizes = {rewriter.getIndexAttr(count)};
}

/// Returns the coordinates of one slice, in the loops that search for it.
SmallVector<Value> ScatterWriter::coordinatesInLoops(OpBuilder &b) {
  SmallVector<Value> slice;
  for (unsigned dim = 0; dim < loopSizes.size(); ++dim)
    slice.push_back(linalg::IndexOp::create(b, loc, dims.size() + dim));
  SmallVector<Value> result;
  for (unsigned number = 0; number < dims.size(); ++number)
    result.push_back(readCoordinate(b, loc, coordinates, slice, number));
  return result;
}

/// Returns whether a slice's coordinates are those of the position. Narrow ones
/// are compared in 32 bits, which hold every number of both.
Value ScatterWriter::isHere(OpBuilder &b, ValueRange coordinates) const {
  Value all;
  for (auto [number, coordinate] : llvm::enumerate(coordinates)) {
    Value place = linalg::IndexOp::create(b, loc, number);
    Type type = coordinate.getType();
    if (!type.isIndex() && type.getIntOrFloatBitWidth() < 32)
      coordinate =
          arith::ExtSIOp::create(b, loc, type = b.getI32Type(), coordinate);
    if (!type.isIndex())
      place = arith::IndexCastOp::create(b, loc, type, place);
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       coordinate, place);
    all = all ? arith::AndIOp::create(b, loc, all, same).getResult() : same;
  }
  return all;
}

/// Computes for each position along the scattered dims the number of its slice,
/// or -1.
Value ScatterWriter::findSlices() {
  Type type = numberType();
  unsigned places = dims.size();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : dims)
    sizes.push_back(extents[dim]);
  // The tensor has no data and only defines the number of slices.
  Value slices = sizeOf(rewriter, loc, loopSizes);
  Value none = arith::ConstantOp::create(rewriter, loc,
                                         rewriter.getIntegerAttr(type, -1));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
  Value start = linalg::FillOp::create(rewriter, loc, none, empty).getResult(0);
  SmallVector<AffineExpr> all;
  for (unsigned dim = 0; dim < places + loopSizes.size(); ++dim)
    all.push_back(rewriter.getAffineDimExpr(dim));
  auto mapTo = [&](ArrayRef<AffineExpr> loops) {
    return AffineMap::get(all.size(), 0, loops, rewriter.getContext());
  };
  AffineMap ofPlaces = mapTo(ArrayRef(all).take_front(places)),
            ofSlices = mapTo(ArrayRef(all).take_back(loopSizes.size()));
  SmallVector<Value> sizesOfSlices{slices};
  SmallVector<AffineMap> maps{ofSlices};
  if (!counted) { // the launch has to compare it with the source's extents
    sizesOfSlices.push_back(
        sizeOf(rewriter, loc, ArrayRef(sourceSizes()).take_front(batch)));
    maps.push_back(ofSlices);
  }
  maps.push_back(ofPlaces);
  SmallVector<utils::IteratorType> loops(places, utils::IteratorType::parallel);
  loops.append(loopSizes.size(), utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             rewriter, loc, start.getType(), sizesOfSlices, start, maps, loops,
             [&](OpBuilder &b, Location, ValueRange args) {
               Value number = arith::ConstantIndexOp::create(b, loc, 0);
               for (auto [dim, size] : llvm::enumerate(loopSizes)) {
                 Value extent = getValueOrCreateConstantIndexOp(b, loc, size);
                 number = arith::MulIOp::create(b, loc, number, extent);
                 number = arith::AddIOp::create(
                     b, loc, number,
                     linalg::IndexOp::create(b, loc, places + dim));
               }
               number = arith::IndexCastOp::create(b, loc, type, number);
               Value here = arith::SelectOp::create(
                   b, loc, isHere(b, coordinatesInLoops(b)), number, none);
               Value last = arith::MaxSIOp::create(b, loc, here, args.back());
               linalg::YieldOp::create(b, loc, last);
             })
      .getResult(0);
}

/// Returns the position in slice `number` of this position's element; for a
/// position without a slice 0, which may not exist in a source without
/// elements.
SmallVector<Value> ScatterWriter::sourcePosition(OpBuilder &b, Value isHeld,
                                                 Value number) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  SmallVector<Value> at(batch);
  for (unsigned dim = batch; dim-- > 0;) {
    at[dim] = number;
    if (dim == 0)
      break;
    // A batch may be empty at run time, but all points divide.
    Value extent = getValueOrCreateConstantIndexOp(b, loc, batchSizes[dim]);
    if (!getConstantIntValue(batchSizes[dim]))
      extent = arith::MaxSIOp::create(
          b, loc, extent, arith::ConstantIndexOp::create(b, loc, 1));
    at[dim] = arith::RemUIOp::create(b, loc, number, extent);
    number = arith::DivUIOp::create(b, loc, number, extent);
  }
  for (Value &position : at)
    position = arith::SelectOp::create(b, loc, isHeld, position, zero);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      at.push_back(linalg::IndexOp::create(b, loc, dim));
    else if (keepsRank())
      at.push_back(zero);
  return at;
}

Value ScatterWriter::select(Value slices) {
  SmallVector<AffineExpr> scattered;
  for (int64_t dim : dims)
    scattered.push_back(rewriter.getAffineDimExpr(dim));
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps{
      AffineMap::get(rank, 0, scattered, rewriter.getContext())};
  SmallVector<Value> inputs{slices};
  // An empty tensor is not read.
  Type element = op.getDestType().getElementType();
  bool readsDest = !op.getDest().getDefiningOp<tensor::EmptyOp>();
  if (readsDest) {
    inputs.push_back(op.getDest());
    maps.push_back(identity);
  }
  // The source's slices have the same extents, which the launch has to compare.
  SmallVector<OpFoldResult> sliceSizes;
  SmallVector<AffineExpr> alongSlice;
  SmallVector<OpFoldResult> sizes = sourceSizes();
  ArrayRef<OpFoldResult> inner = ArrayRef(sizes).drop_front(batch);
  for (unsigned dim = 0; dim < rank; ++dim) {
    bool isScattered = llvm::is_contained(dims, int64_t(dim));
    if (!isScattered && !getConstantIntValue(extents[dim])) {
      sliceSizes.push_back(inner.front());
      alongSlice.push_back(rewriter.getAffineDimExpr(dim));
    }
    if (!isScattered || keepsRank())
      inner = inner.drop_front();
  }
  if (!sliceSizes.empty()) {
    inputs.push_back(sizeOf(rewriter, loc, sliceSizes));
    maps.push_back(AffineMap::get(rank, 0, alongSlice, rewriter.getContext()));
  }
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(rewriter, loc, extents, element);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), inputs, empty, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location, ValueRange args) {
               Value before = readsDest ? args[1]
                                        : arith::ConstantOp::create(
                                              b, loc, b.getZeroAttr(element))
                                              .getResult();
               Value none = arith::ConstantOp::create(
                   b, loc, b.getZeroAttr(args[0].getType()));
               Value isHeld = arith::CmpIOp::create(
                   b, loc, arith::CmpIPredicate::sge, args[0], none);
               Value read = tensor::ExtractOp::create(
                   b, loc, op.getSource(),
                   sourcePosition(b, isHeld, toIndex(b, loc, args[0])));
               linalg::YieldOp::create(
                   b, loc,
                   arith::SelectOp::create(b, loc, isHeld, read, before)
                       .getResult());
             })
      .getResult(0);
}

/// Refuses scatters that leave positions unwritten; warns where every position
/// is compared with too many slices.
static LogicalResult checkScatter(tensor::ScatterOp scatter) {
  constexpr int64_t manyComparisons = int64_t(1) << 32;
  auto into = scatter.getDestType(), at = scatter.getIndicesType();
  int64_t places = 1;
  for (int64_t dim : scatter.getScatterDims())
    places = ShapedType::isDynamic(into.getDimSize(dim))
                 ? 0
                 : saturatingProduct(places, into.getDimSize(dim));
  int64_t slices = at.hasStaticShape()
                       ? ShapedType::getNumElements(at.getShape().drop_back())
                       : 0;
  if (at.hasStaticShape() && slices < places &&
      scatter.getDest().getDefiningOp<tensor::EmptyOp>())
    return scatter.emitOpError("puts ")
           << slices << " slices into " << places
           << " places of a tensor.empty, of which the others are never "
              "written; fill it before, with linalg.fill";
  if (int64_t comparisons = saturatingProduct(places, slices);
      comparisons >= manyComparisons)
    scatter.emitWarning("compares each of ")
        << places << " places with " << slices
        << " slices; where both are many, a tensor.gather by the inverse of "
           "the coordinates is faster";
  return success();
}

LogicalResult distaff::raiseScatter(RewriterBase &rewriter,
                                    tensor::ScatterOp scatter) {
  if (failed(checkScatter(scatter)))
    return failure();
  rewriter.setInsertionPoint(scatter);
  if (hasNoElements(scatter.getSourceType()))
    rewriter.replaceOp(scatter, scatter.getDest());
  else
    rewriter.replaceOp(scatter, ScatterWriter(rewriter, scatter).write());
  return success();
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Hoists loop-invariant ops of the region; the others have to be ops on one
/// element.
static LogicalResult hoistFromRegion(tensor::GenerateOp generate) {
  Block &body = generate.getBody().front();
  auto isOutside = [&](Value value) { return value.getParentBlock() != &body; };
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (op.getNumRegions() == 0 && isPure(&op) && !isa<tensor::ExtractOp>(op) &&
        llvm::all_of(op.getOperands(), isOutside)) {
      op.moveBefore(generate);
      continue;
    }
    bool mentionsTensor =
        llvm::any_of(op.getResultTypes(), llvm::IsaPred<ShapedType>) ||
        (llvm::any_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
         !isa<tensor::ExtractOp>(op));
    if (op.getNumRegions() == 0 && !mentionsTensor)
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError(
        "computes more than one element inside of "
        "tensor.generate, whose region has ops on scalars and "
        "tensor.extract only; write a condition as arith.select, "
        "and loops and slices outside of it");
    diagnostic.attachNote(generate.getLoc()) << "the tensor.generate";
    return diagnostic;
  }
  return success();
}

LogicalResult distaff::raiseGenerate(RewriterBase &rewriter,
                                     tensor::GenerateOp generate) {
  if (failed(hoistFromRegion(generate)))
    return failure();
  rewriter.setInsertionPoint(generate);
  auto type = cast<RankedTensorType>(generate.getType());
  Block &body = generate.getBody().front();
  Value result = createFromPositions(
      rewriter, generate.getLoc(),
      getMixedValues(type.getShape(), generate.getDynamicExtents(), rewriter),
      type.getElementType(), [&](OpBuilder &b, ValueRange positions) {
        IRMapping map;
        map.map(body.getArguments(), positions);
        for (Operation &op : body.without_terminator())
          b.clone(op, map);
        return map.lookupOrDefault(
            cast<tensor::YieldOp>(body.getTerminator()).getValue());
      });
  rewriter.replaceOp(generate, result);
  return success();
}

void distaff::raiseSplat(RewriterBase &rewriter, tensor::SplatOp splat) {
  rewriter.setInsertionPoint(splat);
  auto type = cast<RankedTensorType>(splat.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, splat.getLoc(),
      getMixedValues(type.getShape(), splat.getDynamicSizes(), rewriter),
      type.getElementType());
  rewriter.replaceOpWithNewOp<linalg::FillOp>(splat, splat.getInput(), empty);
}
