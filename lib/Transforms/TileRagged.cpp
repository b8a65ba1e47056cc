//===- TileRagged.cpp - Tiles that the edge of a tensor cuts --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along a dynamic extent n, in tiles of T, there are n ceildiv T workgroups or
// steps. What one has of the tensors are slices of min(T, n - offset) elements;
// they are padded to T, so the linalg ops inside are on static tiles, and of
// the result that slice alone is stored:
//
//   scf.forall (%i, %j) in (%m ceildiv 64, %n ceildiv 32) {
//     %r = scf.for %k = 0 to %K step 16 iter_args(%acc = fill) {
//       %a = tensor.pad (tensor.extract_slice %A[..][min, min]) // 64x16
//       %b = tensor.pad (tensor.extract_slice %B[..][min, min]) // 16x32
//       %d = linalg.matmul ins(%a, %b) outs(%acc)               // 64x32
//       scf.yield %d
//     }
//     store (tensor.extract_slice %r[0, 0][min, min])
//   }
//
//===----------------------------------------------------------------------===//
#include "TileRagged.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;

namespace {
/// Places where a loop of an op is a dim of one of its operands.
struct OperandDim {
  Value tensor;
  unsigned dim;
};
} // namespace

static SmallVector<OperandDim> dimsOf(linalg::LinalgOp op, unsigned loop) {
  SmallVector<OperandDim> dims;
  for (auto [tensor, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray()))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == loop)
        dims.push_back({tensor, unsigned(dim)});
  return dims;
}

/// "dimension 1 of arg0"
static std::string describe(const OperandDim &at) {
  std::string text = "dimension " + std::to_string(at.dim) + " of ";
  if (auto argument = dyn_cast<BlockArgument>(at.tensor))
    return text + "arg" + std::to_string(argument.getArgNumber());
  return text + "the result";
}

FailureOr<SmallVector<ExtentRequirement>>
distaff::requirementsOf(const RaggedContraction &ragged, func::FuncOp kernel) {
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return failure();
  SmallVector<ExtentRequirement> requirements;
  linalg::LinalgOp op = ragged.op;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    SmallVector<OperandDim> dims = dimsOf(op, loop);
    AffineExpr first = formulas->extentOf(dims[0].tensor, dims[0].dim);
    for (const OperandDim &at : dims) {
      AffineExpr formula = formulas->extentOf(at.tensor, at.dim);
      if (!formula) {
        InFlightDiagnostic diagnostic = op->emitOpError("has an extent, ")
                                        << describe(at)
                                        << ", that is no sum, product or "
                                           "quotient of its arguments' extents";
        diagnostic.attachNote(at.tensor.getLoc()) << "the tensor";
        return diagnostic;
      }
      if (formula != first)
        requirements.push_back({first, formula,
                                describe(dims[0]) + " and " + describe(at) +
                                    " are one loop of " +
                                    op->getName().getStringRef().str() +
                                    ", their extents differ"});
    }
  }
  return requirements;
}

namespace {

class RaggedTiler {
public:
  RaggedTiler(RewriterBase &rewriter, const RaggedContraction &ragged,
              ArrayRef<int64_t> tiles)
      : rewriter(rewriter), ragged(ragged), op(ragged.op), loc(op.getLoc()),
        maps(op.getIndexingMapsArray()), iterators(op.getIteratorTypesArray()),
        tiles(tiles) {}

  void run(Operation *terminator) {
    rewriter.setInsertionPoint(terminator);
    findExtents();
    scf::ForallOp forall = createForall();
    rewriter.setInsertionPoint(forall.getTerminator());
    placeWorkgroup(forall);
    Value product = accumulate(start(), 0);
    store(product, forall);
    rewriter.modifyOpInPlace(
        terminator, [&] { terminator->setOperands(forall.getResults()); });
  }

private:
  bool isReduced(unsigned loop) const {
    return iterators[loop] == utils::IteratorType::reduction;
  }
  /// Whether the last tile along a loop may be cut.
  bool isRagged(unsigned loop) const {
    std::optional<int64_t> extent = getConstantIntValue(extents[loop]);
    return !extent || *extent % tiles[loop] != 0;
  }
  /// Whether one tile is all of a loop.
  bool isWhole(unsigned loop) const {
    return getConstantIntValue(extents[loop]) == tiles[loop];
  }

  void findExtents();
  scf::ForallOp createForall();
  void placeWorkgroup(scf::ForallOp forall);
  OpFoldResult clampedSize(unsigned loop) const;
  Value slice(Value tensor, AffineMap map) const;
  Value padded(Value tensor, AffineMap map) const;
  Value start() const;
  Value accumulate(Value acc, unsigned loop);
  void store(Value product, scf::ForallOp forall);

  /// Of each dim that `map` selects one of `values`, which are per loop.
  template <typename T>
  static SmallVector<T> select(AffineMap map, ArrayRef<T> values) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
      return values[cast<AffineDimExpr>(expr).getPosition()];
    });
  }

  RewriterBase &rewriter;
  const RaggedContraction &ragged;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
  ArrayRef<int64_t> tiles; // per loop, as is all that follows
  SmallVector<OpFoldResult> extents;
  SmallVector<OpFoldResult> offsets, sizes; // of the tile that is computed
};

} // namespace

void RaggedTiler::findExtents() {
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    OperandDim at = dimsOf(op, loop).front();
    extents.push_back(
        ShapedType::isDynamic(extent)
            ? tensor::getMixedSize(rewriter, loc, at.tensor, at.dim)
            : rewriter.getIndexAttr(extent));
    offsets.push_back(rewriter.getIndexAttr(0));
    sizes.push_back(rewriter.getIndexAttr(tiles[loop]));
  }
}

/// The loop over workgroups: one dimension of the grid for each loop of the
/// result that has several tiles. Beyond three, the outer ones share one.
scf::ForallOp RaggedTiler::createForall() {
  AffineExpr a, b;
  bindSymbols(rewriter.getContext(), a, b);
  SmallVector<OpFoldResult> bounds;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (!isReduced(loop) && !isWhole(loop))
      bounds.push_back(affine::makeComposedFoldedAffineApply(
          rewriter, loc, a.ceilDiv(tiles[loop]), {extent}));
  while (bounds.size() > 3) {
    bounds[1] = affine::makeComposedFoldedAffineApply(rewriter, loc, a * b,
                                                      {bounds[0], bounds[1]});
    bounds.erase(bounds.begin());
  }
  constexpr gpu::MappingId ids[] = {gpu::MappingId::DimX, gpu::MappingId::DimY,
                                    gpu::MappingId::DimZ};
  SmallVector<Attribute> mapping;
  for (size_t i = bounds.size(); i-- > 0;)
    mapping.push_back(
        gpu::GPUBlockMappingAttr::get(rewriter.getContext(), ids[i]));
  Value out = tensor::EmptyOp::create(
      rewriter, loc, select<OpFoldResult>(maps[2], extents),
      getElementTypeOrSelf(ragged.init().getType()));
  return scf::ForallOp::create(rewriter, loc, bounds, out,
                               rewriter.getArrayAttr(mapping));
}

/// Where this workgroup's tile lies, and how much of it is inside the tensors.
void RaggedTiler::placeWorkgroup(scf::ForallOp forall) {
  AffineExpr id = rewriter.getAffineDimExpr(0);
  SmallVector<unsigned> loops;
  SmallVector<OpFoldResult> counts;
  for (unsigned loop = 0; loop < tiles.size(); ++loop)
    if (!isReduced(loop) && !isWhole(loop)) {
      loops.push_back(loop);
      counts.push_back(affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineSymbolExpr(0).ceilDiv(tiles[loop]),
          {extents[loop]}));
    }
  SmallVector<Value> ids = llvm::to_vector(forall.getInductionVars());
  if (size_t merged = loops.size() - ids.size() + 1; merged > 1) {
    auto digits = affine::AffineDelinearizeIndexOp::create(
        rewriter, loc, ids.front(), ArrayRef(counts).take_front(merged));
    ids.erase(ids.begin());
    ids.insert(ids.begin(), digits.getResults().begin(),
               digits.getResults().end());
  }
  for (auto [loop, value] : llvm::zip_equal(loops, ids)) {
    offsets[loop] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, id * tiles[loop], {value});
    sizes[loop] = clampedSize(loop);
  }
}

/// The tile or what is left of the extent, which is at least 1 wherever a grid
/// or a loop begins a tile.
OpFoldResult RaggedTiler::clampedSize(unsigned loop) const {
  if (!isRagged(loop))
    return rewriter.getIndexAttr(tiles[loop]);
  AffineExpr offset = rewriter.getAffineDimExpr(0);
  AffineExpr extent = rewriter.getAffineSymbolExpr(0);
  AffineMap map = AffineMap::get(
      1, 1, {rewriter.getAffineConstantExpr(tiles[loop]), extent - offset},
      rewriter.getContext());
  return affine::makeComposedFoldedAffineMin(rewriter, loc, map,
                                             {offsets[loop], extents[loop]});
}

Value RaggedTiler::slice(Value tensor, AffineMap map) const {
  SmallVector<OpFoldResult> ones(map.getNumResults(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor,
                                        select<OpFoldResult>(map, offsets),
                                        select<OpFoldResult>(map, sizes), ones);
}

/// The tile of a tensor, zero beyond the tensor's end.
Value RaggedTiler::padded(Value tensor, AffineMap map) const {
  Value inside = slice(tensor, map);
  auto type = cast<RankedTensorType>(tensor.getType());
  auto tileType =
      RankedTensorType::get(select<int64_t>(map, tiles), type.getElementType());
  if (inside.getType() == tileType)
    return inside;
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return tensor::createPadHighOp(tileType, inside, zero, /*nofold=*/false, loc,
                                 rewriter);
}

Value RaggedTiler::start() const {
  if (!ragged.start)
    return padded(ragged.init(), maps[2]);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, select<int64_t>(maps[2], tiles),
                              getElementTypeOrSelf(ragged.init().getType()));
  return linalg::FillOp::create(rewriter, loc, ragged.start, empty)
      .getResult(0);
}

/// Adds the products along `loop` and the loops after it to `acc`.
Value RaggedTiler::accumulate(Value acc, unsigned loop) {
  if (loop == tiles.size()) {
    Operation *tile = rewriter.clone(*op);
    tile->setOperands(
        {padded(ragged.lhs(), maps[0]), padded(ragged.rhs(), maps[1]), acc});
    tile->getResult(0).setType(cast<RankedTensorType>(acc.getType()));
    rewriter.moveOpBefore(tile, rewriter.getInsertionBlock(),
                          rewriter.getInsertionPoint());
    return tile->getResult(0);
  }
  if (!isReduced(loop) || isWhole(loop))
    return accumulate(acc, loop + 1);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto steps = scf::ForOp::create(
      rewriter, loc, constant(0),
      getValueOrCreateConstantIndexOp(rewriter, loc, extents[loop]),
      constant(tiles[loop]), acc);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(steps.getBody());
  offsets[loop] = steps.getInductionVar();
  sizes[loop] = clampedSize(loop);
  Value sum = accumulate(steps.getRegionIterArg(0), loop + 1);
  scf::YieldOp::create(rewriter, loc, sum);
  return steps.getResult(0);
}

/// Stores of a tile what lies inside the result.
void RaggedTiler::store(Value product, scf::ForallOp forall) {
  SmallVector<OpFoldResult> begin = select<OpFoldResult>(maps[2], offsets),
                            size = select<OpFoldResult>(maps[2], sizes);
  SmallVector<OpFoldResult> zeros(begin.size(), rewriter.getIndexAttr(0)),
      ones(begin.size(), rewriter.getIndexAttr(1));
  Value inside =
      tensor::ExtractSliceOp::create(rewriter, loc, product, zeros, size, ones);
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(rewriter, loc, inside,
                                        forall.getRegionOutArgs().front(),
                                        begin, size, ones);
}

void distaff::tileRagged(RewriterBase &rewriter, func::FuncOp kernel,
                         const RaggedContraction &ragged,
                         ArrayRef<int64_t> tiles) {
  RaggedTiler(rewriter, ragged, tiles)
      .run(kernel.getBody().front().getTerminator());
}
