//===- RegisterTiling.cpp - Register tiles of a CPU core ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU workgroup that iterates over the keys of an attention takes many rows
// and many keys at a time, so that both stay in cache (cache blocking). Their
// scores do not fit in registers: they are in memory, and each op iterates over
// its data in register tiles:
//
//   scf.for %key by 64 {
//     %t = 64 keys, transposed           8 x 8
//     %s = 48 rows * %t                  6 x 16, feature by feature
//     maxima, powers, sums, corrections  row by row
//     %o = %o + powers * 64 values       6 x 16, key by key
//   }
//
// The remainder of an extent after the last whole tile is an op of its own. A
// product reads vectors of its right side along the rows of its result:
// operands in columns are transposed before. Values that the loop carries stay
// in place: maxima are computed in a copy, since the old ones are still read,
// and are written back last.
//
//===----------------------------------------------------------------------===//
#include "../UpstreamErrors.h"
#include "TileLoops.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/CheckedSize.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

namespace {
/// Holds the loops that replace an op.
struct Tiled {
  Operation *inner; // the op on a tile
  SmallVector<Value> results;
};

class CoreTiler {
public:
  CoreTiler(RewriterBase &rewriter, const Target &host)
      : rewriter(rewriter), width(host.simd.vectorBits / 32) {}

  LogicalResult tileProduct(linalg::LinalgOp op);
  LogicalResult tileRows(linalg::LinalgOp op);
  LogicalResult tilePad(tensor::PadOp op);
  void tileCut(tensor::InsertSliceOp op);
  LogicalResult carryInPlace(scf::ForOp loop, int64_t most);

private:
  FailureOr<Tiled> intoLoops(Operation *op, ArrayRef<int64_t> sizes);
  FailureOr<linalg::GenericOp> withRows(linalg::LinalgOp op);
  LogicalResult tileTransposition(linalg::TransposeOp op);
  SmallVector<linalg::LinalgOp> splitAlong(ArrayRef<linalg::LinalgOp> ops,
                                           unsigned loop, int64_t extent,
                                           int64_t tile);
  LogicalResult inTiles(linalg::LinalgOp op, ArrayRef<int64_t> tiles,
                        function_ref<LogicalResult(linalg::LinalgOp)> inTile);
  FailureOr<Value> copyInto(Value from, Value to);
  Value overRows(Location loc, ArrayRef<OpFoldResult> sizes, Value start,
                 function_ref<Value(OpBuilder &, ArrayRef<OpFoldResult> row,
                                    ArrayRef<OpFoldResult> size)>
                     part);

  RewriterBase &rewriter;
  int64_t width; // of a vector, in words
};
} // namespace

/// Returns the elements of a tensor; 0 for other types and for dynamic shapes.
static int64_t elementsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape()
             ? saturatingProduct(tensor.getShape())
             : 0;
}

/// Returns the largest divisor of an extent up to `most`.
static int64_t divisorUpTo(int64_t extent, int64_t most) {
  int64_t divisor = std::min(extent, most);
  while (divisor > 1 && extent % divisor != 0)
    --divisor;
  return std::max<int64_t>(1, divisor);
}

FailureOr<Tiled> CoreTiler::intoLoops(Operation *op, ArrayRef<int64_t> sizes) {
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return Tiled{op, op->getResults()};
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(op->getContext(), sizes));
  rewriter.setInsertionPoint(op);
  DropUpstreamErrors drop(op->getContext());
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, cast<TilingInterface>(op), options);
  if (failed(tiled))
    return op->emitOpError("cannot be tiled by a loop of the workgroup");
  rewriter.replaceOp(op, tiled->replacements);
  return Tiled{tiled->tiledOps.back(), tiled->replacements};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Splits ops of an extent along a loop where the last whole tile ends.
SmallVector<linalg::LinalgOp>
CoreTiler::splitAlong(ArrayRef<linalg::LinalgOp> ops, unsigned loop,
                      int64_t extent, int64_t tile) {
  int64_t whole = extent / tile * tile;
  if (whole == 0 || whole == extent)
    return llvm::to_vector(ops);
  SmallVector<linalg::LinalgOp> parts;
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    auto [first, rest] =
        linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()),
                        loop, rewriter.getIndexAttr(whole));
    for (TilingInterface part : {first, rest})
      parts.push_back(cast<linalg::LinalgOp>(part.getOperation()));
  }
  return parts;
}

/// Splits an op into tiles of `tiles` elements along each loop, 0 for the whole
/// loop, with a smaller tile at the end, and calls `inTile` on the op of each
/// tile.
LogicalResult
CoreTiler::inTiles(linalg::LinalgOp op, ArrayRef<int64_t> tiles,
                   function_ref<LogicalResult(linalg::LinalgOp)> inTile) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<linalg::LinalgOp> parts = {op};
  for (auto [loop, tile] : llvm::enumerate(tiles))
    if (tile != 0)
      parts = splitAlong(parts, loop, extents[loop], tile);
  for (linalg::LinalgOp part : parts) {
    SmallVector<int64_t> sizes;
    for (auto [tile, extent] :
         llvm::zip_equal(tiles, part.getStaticLoopRanges()))
      sizes.push_back(std::min(tile, extent));
    FailureOr<Tiled> tiled = intoLoops(part, sizes);
    if (failed(tiled) || failed(inTile(cast<linalg::LinalgOp>(tiled->inner))))
      return failure();
  }
  return success();
}

LogicalResult CoreTiler::tileTransposition(linalg::TransposeOp op) {
  // Both dims along which vectors lie, before and after the transpose, are
  // tiled.
  int64_t rank = op.getPermutation().size();
  SmallVector<int64_t> sizes(rank, 1);
  int64_t before =
      llvm::find(op.getPermutation(), rank - 1) - op.getPermutation().begin();
  for (int64_t dim : {before, rank - 1})
    sizes[dim] = width;
  return inTiles(cast<linalg::LinalgOp>(op.getOperation()), sizes,
                 [](linalg::LinalgOp) { return success(); });
}

/// Returns a product whose operands have the loop along the result's rows
/// innermost, where they have it.
FailureOr<linalg::GenericOp> CoreTiler::withRows(linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> product =
      isa<linalg::GenericOp>(op)
          ? FailureOr(cast<linalg::GenericOp>(op.getOperation()))
          : linalg::generalizeNamedOp(rewriter, op);
  if (failed(product))
    return failure();
  SmallVector<AffineMap> maps = product->getIndexingMapsArray();
  AffineExpr row = maps.back().getResults().back();
  for (OpOperand *input : product->getDpsInputOperands()) {
    AffineMap &map = maps[input->getOperandNumber()];
    auto at = llvm::find(map.getResults(), row);
    if (at == map.getResults().end() || row == map.getResults().back())
      continue;
    auto type = cast<RankedTensorType>(input->get().getType());
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    int64_t dim = at - map.getResults().begin();
    order.erase(order.begin() + dim);
    order.push_back(dim);
    rewriter.setInsertionPoint(*product);
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        applyPermutation<int64_t>(type.getShape(), order),
        type.getElementType());
    auto turned = linalg::TransposeOp::create(rewriter, product->getLoc(),
                                              input->get(), empty, order);
    map = AffineMap::get(map.getNumDims(), 0,
                         applyPermutation<AffineExpr>(map.getResults(), order),
                         map.getContext());
    rewriter.modifyOpInPlace(*product,
                             [&] { input->set(turned->getResult(0)); });
    if (failed(tileTransposition(turned)))
      return failure();
  }
  rewriter.modifyOpInPlace(*product, [&] {
    product->setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  return product;
}

/// Tiles the result in 6 rows of two vectors, then the reduced loop by one
/// step.
LogicalResult CoreTiler::tileProduct(linalg::LinalgOp op) {
  constexpr int64_t mostRows = 6;
  FailureOr<linalg::GenericOp> product = withRows(op);
  if (failed(product))
    return failure();
  // Each tile computes its own fill.
  auto fill = product->getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (fill)
    rewriter.modifyOpInPlace(*product, [&] {
      product->getDpsInitsMutable()[0].set(fill.getOutputs()[0]);
    });
  SmallVector<int64_t> tiles(product->getNumLoops(), 0), steps = tiles;
  AffineMap result = product->getIndexingMapsArray().back();
  int64_t most[] = {2 * width, mostRows};
  for (auto [i, expr] : llvm::enumerate(llvm::reverse(result.getResults())))
    tiles[cast<AffineDimExpr>(expr).getPosition()] = i < 2 ? most[i] : 1;
  for (auto [loop, iterator] :
       llvm::enumerate(product->getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      steps[loop] = 1;
  return inTiles(*product, tiles, [&](linalg::LinalgOp tile) -> LogicalResult {
    if (fill) {
      rewriter.setInsertionPoint(tile);
      auto start = linalg::FillOp::create(rewriter, fill.getLoc(),
                                          fill.getInputs(), tile.getDpsInits());
      rewriter.modifyOpInPlace(
          tile, [&] { tile.getDpsInitsMutable()[0].set(start.getResult(0)); });
    }
    return intoLoops(tile, steps);
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Copies a small tensor in chunks, so that no pattern folds the copy to its
/// source.
FailureOr<Value> CoreTiler::copyInto(Value from, Value to) {
  auto copy = linalg::CopyOp::create(rewriter, from.getLoc(), from, to);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(to.getType()).getShape();
  SmallVector<int64_t> sizes(shape.size(), 1);
  if (!shape.empty())
    sizes.back() = divisorUpTo(shape.back(), width);
  FailureOr<Tiled> tiled = intoLoops(copy, sizes);
  if (failed(tiled))
    return failure();
  return tiled->results.front();
}

/// Makes a loop carry its values other than the result of a product in place:
/// each step writes them to the same memory last.
LogicalResult CoreTiler::carryInPlace(scf::ForOp loop, int64_t most) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [carried, value] :
       llvm::zip_equal(loop.getRegionIterArgs(), yield->getOpOperands())) {
    int64_t size = elementsOf(carried.getType());
    if (size == 0 || size > most)
      continue;
    rewriter.setInsertionPoint(yield);
    FailureOr<Value> copy = copyInto(value.get(), carried);
    if (failed(copy))
      return failure();
    rewriter.modifyOpInPlace(yield, [&, to = &value] { to->set(*copy); });
  }
  return success();
}

/// Tiles an op by rows of the result, or by single results where it reduces
/// rows.
LogicalResult CoreTiler::tileRows(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes;
  std::optional<unsigned> last;
  bool reduces = false;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isParallel = iterator == utils::IteratorType::parallel;
    sizes.push_back(isParallel ? 1 : 0);
    reduces |= !isParallel;
    if (isParallel)
      last = loop;
  }
  if (!reduces && last)
    sizes[*last] = 0;
  if (reduces) {
    OpOperand &init = op.getDpsInitsMutable()[0];
    auto type = cast<RankedTensorType>(init.get().getType());
    rewriter.setInsertionPoint(op);
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    FailureOr<Value> copy = copyInto(init.get(), empty);
    if (failed(copy))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { init.set(*copy); });
  }
  return intoLoops(op, sizes);
}

/// Builds a tensor row by row from `start`; `part` creates the row at the given
/// offsets.
Value CoreTiler::overRows(
    Location loc, ArrayRef<OpFoldResult> sizes, Value start,
    function_ref<Value(OpBuilder &, ArrayRef<OpFoldResult>,
                       ArrayRef<OpFoldResult>)>
        part) {
  SmallVector<Value> lower, upper, steps;
  for (OpFoldResult size : sizes.drop_back()) {
    lower.push_back(arith::ConstantIndexOp::create(rewriter, loc, 0));
    upper.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
    steps.push_back(arith::ConstantIndexOp::create(rewriter, loc, 1));
  }
  return scf::buildLoopNest(
             rewriter, loc, lower, upper, steps, start,
             [&](OpBuilder &b, Location, ValueRange counters,
                 ValueRange soFar) -> scf::ValueVector {
               SmallVector<OpFoldResult> row(counters.begin(), counters.end()),
                   size(counters.size(), b.getIndexAttr(1)),
                   strides(sizes.size(), b.getIndexAttr(1));
               row.push_back(b.getIndexAttr(0));
               size.push_back(sizes.back());
               return {tensor::InsertSliceOp::create(b, loc, part(b, row, size),
                                                     soFar.front(), row, size,
                                                     strides)
                           .getResult()};
             })
      .results.front();
}

/// Replaces a tensor.pad by a loop that pads one row at a time.
LogicalResult CoreTiler::tilePad(tensor::PadOp op) {
  if (!op.getConstantPaddingValue())
    return op.emitOpError("cannot be tiled by a loop of the workgroup");
  rewriter.setInsertionPoint(op);
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  Value start = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                        op.getResultType().getElementType());
  Value whole = overRows(
      op.getLoc(), getAsIndexOpFoldResult(op.getContext(), shape), start,
      [&](OpBuilder &b, ArrayRef<OpFoldResult> row,
          ArrayRef<OpFoldResult> size) -> Value {
        return tensor::bubbleUpPadSlice(b, op, row, size,
                                        /*generateZeroSliceGuard=*/false)
            ->tiledValues.front();
      });
  rewriter.replaceOp(op, whole);
  return success();
}

/// Writes the valid rows of a tile one at a time.
void CoreTiler::tileCut(tensor::InsertSliceOp op) {
  auto cut = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  rewriter.setInsertionPoint(op);
  Value whole = overRows(
      op.getLoc(), cut.getMixedSizes(), op.getDest(),
      [&](OpBuilder &b, ArrayRef<OpFoldResult> row,
          ArrayRef<OpFoldResult> size) -> Value {
        SmallVector<OpFoldResult> strides(row.size(), b.getIndexAttr(1));
        return tensor::ExtractSliceOp::create(b, op.getLoc(), cut.getSource(),
                                              row, size, strides);
      });
  rewriter.replaceOp(op, whole);
}

/// Returns whether an op writes the first rows of a tile, whose number is known
/// at launch only, to the front of another tensor.
static bool writesCut(tensor::InsertSliceOp op, int64_t most) {
  auto cut = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  auto isAtFront = [](auto slice) {
    return llvm::all_of(
               slice.getMixedOffsets(),
               [](OpFoldResult offset) { return isZeroInteger(offset); }) &&
           llvm::all_of(slice.getMixedStrides(), [](OpFoldResult stride) {
             return isOneInteger(stride);
           });
  };
  return cut && elementsOf(cut.getSourceType()) > most && isAtFront(cut) &&
         isAtFront(op) &&
         cut.getType().getRank() == op.getDestType().getRank() &&
         cut.getType().getRank() == cut.getSourceType().getRank() &&
         !cut.getType().hasStaticShape() &&
         !cut.getType().isDynamicDim(cut.getType().getRank() - 1);
}

/// Erases ops of loops that yield their operands; a selection among keys is
/// such an op where all keys are valid.
static void dropCopies(ArrayRef<Operation *> loops,
                       ArrayRef<linalg::LinalgOp> products) {
  SmallVector<Operation *> ops;
  for (Operation *loop : loops)
    loop->walk([&](linalg::GenericOp op) {
      if (!llvm::is_contained(products,
                              cast<linalg::LinalgOp>(op.getOperation())))
        ops.push_back(op);
    });
  if (ops.empty())
    return;
  RewritePatternSet patterns(ops.front()->getContext());
  linalg::GenericOp::getCanonicalizationPatterns(patterns,
                                                 patterns.getContext());
  (void)applyOpPatternsGreedily(ops, guarded(std::move(patterns)));
}

LogicalResult distaff::registerTiling(RewriterBase &rewriter,
                                      scf::ForallOp forall,
                                      const Target &host) {
  // The configuration allows larger tiles only for an attention.
  int64_t most = 4 * host.simd.registers * host.simd.vectorBits / 32;
  auto isLarge = [&](Operation *op) {
    return isa<linalg::LinalgOp, tensor::PadOp>(op) &&
           op->getNumResults() == 1 &&
           llvm::any_of(
               llvm::concat<const Type>(TypeRange(op->getOperandTypes()),
                                        TypeRange(op->getResultTypes())),
               [&](Type type) { return elementsOf(type) > most; });
  };
  SmallVector<linalg::LinalgOp> products;
  llvm::SetVector<Operation *> loops;
  forall.walk([&](linalg::LinalgOp op) {
    if (!isLarge(op) || !matchProduct(op))
      return;
    products.push_back(op);
    if (isa<scf::ForOp>(op->getParentOp()))
      loops.insert(op->getParentOp());
  });
  if (products.empty())
    return success();
  dropCopies(loops.getArrayRef(), products);
  SmallVector<Operation *> others;
  SmallVector<tensor::InsertSliceOp> cuts;
  forall.walk([&](Operation *op) {
    if (isLarge(op) && !llvm::is_contained(products, op))
      others.push_back(op);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op);
        insert && writesCut(insert, most))
      cuts.push_back(insert);
  });
  CoreTiler tiler(rewriter, host);
  for (Operation *loop : loops)
    if (failed(tiler.carryInPlace(cast<scf::ForOp>(loop), most)))
      return failure();
  // Products come first, since they compute their own initial values.
  for (linalg::LinalgOp op : products)
    if (failed(tiler.tileProduct(op)))
      return failure();
  for (Operation *op : others) {
    auto pad = dyn_cast<tensor::PadOp>(op);
    if (failed(pad ? tiler.tilePad(pad)
                   : tiler.tileRows(cast<linalg::LinalgOp>(op))))
      return failure();
  }
  for (tensor::InsertSliceOp op : cuts)
    tiler.tileCut(op);
  return success();
}
