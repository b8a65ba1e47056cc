//===- TileSplit.cpp - Index-set splitting of boundary tiles --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes of boundary tiles are `affine.min` of the tile and the remainder. Some
// are shared by all steps of a workgroup; those of a loop's steps equal the
// tile in all but the last step. A product in one loop gets two bodies of a
// step by index-set splitting: one for whole steps of whole tiles, and one for
// the remainder, which in a workgroup with a boundary tile are all steps:
//
//   %end = arith.select %isWhole, %K, 0
//   %split = affine.apply (%end floordiv 32) * 32
//   scf.for %k = 0 to %split step 32        // sizes are constants
//   scf.for %k = %split to %K step 32       // sizes are affine.min
//
// Other kernels have an `scf.if` around their whole body, and each of its loops
// is peeled.
//
//===----------------------------------------------------------------------===//
#include "TileEdges.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/AffineValueMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/AffineCanonicalizationUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

namespace {
/// A shared edge is the number of valid elements, `value`, of a tile of `size`,
/// for all steps of a workgroup.
struct SharedEdge {
  Value value;
  int64_t size;
};
} // namespace

/// Finds sizes that are invariant for all steps of a workgroup, and hoists
/// them.
static SmallVector<SharedEdge> findSharedEdges(RewriterBase &rewriter,
                                               scf::ForallOp forall) {
  SmallVector<SharedEdge> edges;
  SmallVector<affine::AffineMinOp> mins;
  forall.walk([&](affine::AffineMinOp op) { mins.push_back(op); });
  SmallVector<affine::AffineMinOp> distinct;
  for (affine::AffineMinOp op : mins) {
    auto size = dyn_cast<AffineConstantExpr>(op.getMap().getResult(0));
    bool isShared = llvm::all_of(op->getOperands(), [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (argument && argument.getOwner() == forall.getBody())
        return true;
      Operation *maker = operand.getDefiningOp();
      return !forall->isAncestor(operand.getParentRegion()->getParentOp()) ||
             isa_and_nonnull<affine::AffineDelinearizeIndexOp>(maker);
    });
    bool isSize = llvm::any_of(
        op->getUsers(),
        llvm::IsaPred<tensor::ExtractSliceOp, tensor::ParallelInsertSliceOp>);
    if (!size || op.getMap().getNumResults() != 2 || !isShared || !isSize)
      continue;
    auto same = llvm::find_if(distinct, [&](affine::AffineMinOp other) {
      return other.getMap() == op.getMap() &&
             llvm::equal(other->getOperands(), op->getOperands());
    });
    if (same != distinct.end()) {
      rewriter.replaceOp(op, same->getResult());
      continue;
    }
    distinct.push_back(op);
    edges.push_back({op.getResult(), size.getValue()});
  }
  // The sizes follow the ids that they are computed from, and precede all else.
  for (affine::AffineMinOp op : distinct) {
    Operation *last = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->getBlock() == forall.getBody() &&
          (!last || last->isBeforeInBlock(maker)))
        last = maker;
    if (last)
      rewriter.moveOpAfter(op, last);
    else
      rewriter.moveOpBefore(op, forall.getBody(), forall.getBody()->begin());
  }
  return edges;
}

/// Returns whether a contraction runs in a loop, and a separate body for whole
/// tiles pays.
static bool gainsBySplitting(scf::ForallOp forall) {
  bool contractsInLoop = false;
  forall.walk([&](linalg::LinalgOp op) {
    contractsInLoop |=
        op->getParentOfType<scf::ForOp>() && matchProduct(op).has_value();
  });
  // A result that a loop writes in slices is already computed in place.
  bool isWrittenInLoop =
      llvm::any_of(forall.getTerminator().getYieldingOps(), [](Operation &op) {
        Value tile = cast<tensor::ParallelInsertSliceOp>(op).getSource();
        auto loop = tile.getDefiningOp<scf::ForOp>();
        return loop && loop.getTiedLoopInit(cast<OpResult>(tile))
                           ->get()
                           .getDefiningOp<tensor::EmptyOp>();
      });
  // A result that is whole in both bodies would be in place in neither.
  bool areCut =
      llvm::all_of(forall.getTerminator().getYieldingOps(), [](Operation &op) {
        return !cast<tensor::ParallelInsertSliceOp>(op)
                    .getSourceType()
                    .hasStaticShape();
      });
  return contractsInLoop && !isWrittenInLoop && areCut;
}

namespace {
/// Builds the two bodies of a loop over workgroups.
class Splitter {
public:
  Splitter(RewriterBase &rewriter, scf::ForallOp forall,
           ArrayRef<SharedEdge> edges)
      : rewriter(rewriter), forall(forall), edges(edges), loc(forall.getLoc()) {
  }

  /// Creates two versions of the whole body.
  void splitBody();

  /// Creates two versions of the steps of `loop`, and of the ops after it.
  /// Returns the loop over the remaining steps.
  scf::ForOp splitSteps(scf::ForOp loop);

private:
  Value compareSizes();
  void splitOps(Value isWhole);
  void buildBody(OpBuilder &b, bool whole);
  Value insert(OpBuilder &b, tensor::ParallelInsertSliceOp insert, Value out,
               IRMapping &map);

  RewriterBase &rewriter;
  scf::ForallOp forall;
  ArrayRef<SharedEdge> edges;
  Location loc;
  SmallVector<Operation *> body;
  SmallVector<tensor::ParallelInsertSliceOp> inserts;
  SmallVector<Value> outs; // where each of them writes
};
} // namespace

/// Returns the condition that all shared sizes are whole.
Value Splitter::compareSizes() {
  Value isWhole;
  for (const SharedEdge &edge : edges) {
    Value size = arith::ConstantIndexOp::create(rewriter, loc, edge.size);
    Value along = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        edge.value, size);
    isWhole =
        isWhole
            ? arith::AndIOp::create(rewriter, loc, isWhole, along).getResult()
            : along;
  }
  return isWhole;
}

/// Writes the result of a body to its slice of the output.
Value Splitter::insert(OpBuilder &b, tensor::ParallelInsertSliceOp insert,
                       Value out, IRMapping &map) {
  SmallVector<OpFoldResult> sizes, zeros, ones;
  Value tile = map.lookupOrDefault(insert.getSource());
  auto type = cast<RankedTensorType>(tile.getType());
  for (auto [dim, size] : llvm::enumerate(insert.getMixedSizes())) {
    if (auto value = dyn_cast<Value>(size))
      size = map.lookupOrDefault(value);
    if (!type.isDynamicDim(dim))
      size = b.getIndexAttr(type.getDimSize(dim));
    sizes.push_back(size);
    zeros.push_back(b.getIndexAttr(0));
    ones.push_back(b.getIndexAttr(1));
  }
  return tensor::InsertSliceOp::create(b, loc, tile, out, zeros, sizes, ones);
}

void Splitter::buildBody(OpBuilder &b, bool whole) {
  IRMapping map;
  for (const SharedEdge &edge : edges)
    if (whole)
      map.map(edge.value,
              arith::ConstantIndexOp::create(b, loc, edge.size).getResult());
  for (Operation *op : body)
    b.clone(*op, map);
  SmallVector<Value> written;
  for (auto [each, out] : llvm::zip_equal(inserts, outs))
    written.push_back(insert(b, each, out, map));
  scf::YieldOp::create(b, loc, written);
}

/// Creates two versions of the ops of `body` and of the writes of the results.
void Splitter::splitOps(Value isWhole) {
  scf::InParallelOp terminator = forall.getTerminator();
  for (Operation &op : terminator.getYieldingOps())
    inserts.push_back(cast<tensor::ParallelInsertSliceOp>(op));
  rewriter.setInsertionPoint(terminator);
  for (tensor::ParallelInsertSliceOp each : inserts)
    outs.push_back(tensor::ExtractSliceOp::create(
        rewriter, loc, each.getDest(), each.getMixedOffsets(),
        each.getMixedSizes(), each.getMixedStrides()));
  auto split = scf::IfOp::create(
      rewriter, loc, isWhole,
      [&](OpBuilder &b, Location) { buildBody(b, /*whole=*/true); },
      [&](OpBuilder &b, Location) { buildBody(b, /*whole=*/false); });
  for (auto [each, result] : llvm::zip_equal(inserts, split.getResults()))
    rewriter.modifyOpInPlace(
        each, [&, result = result] { each.getSourceMutable().assign(result); });
  for (Operation *op : llvm::reverse(body))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

void Splitter::splitBody() {
  for (Operation &op : forall.getBody()->without_terminator())
    if (!isa<affine::AffineMinOp, affine::AffineDelinearizeIndexOp>(op))
      body.push_back(&op);
  rewriter.setInsertionPoint(forall.getTerminator());
  splitOps(compareSizes());
}

scf::ForOp Splitter::splitSteps(scf::ForOp loop) {
  rewriter.setInsertionPoint(loop);
  Value isWhole = compareSizes(), begin = loop.getLowerBound(),
        end = loop.getUpperBound();
  Value reached =
      arith::SelectOp::create(rewriter, loc, isWhole, end, begin).getResult();
  int64_t step = *getConstantIntValue(loop.getStep());
  Value whole = getValueOrCreateConstantIndexOp(
      rewriter, loc,
      affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineSymbolExpr(0).floorDiv(step) * step,
          {reached}));
  IRMapping map;
  for (const SharedEdge &edge : edges)
    map.map(
        edge.value,
        arith::ConstantIndexOp::create(rewriter, loc, edge.size).getResult());
  auto steady = cast<scf::ForOp>(rewriter.clone(*loop, map));
  rewriter.modifyOpInPlace(steady, [&] { steady.setUpperBound(whole); });
  SmallVector<Operation *> sizes;
  steady.walk([&](affine::AffineMinOp op) { sizes.push_back(op); });
  for (Operation *size : sizes)
    (void)scf::rewritePeeledMinMaxOp(rewriter, size, steady.getInductionVar(),
                                     end, steady.getStep(),
                                     /*insideLoop=*/true);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(whole);
    loop.getInitArgsMutable().assign(steady.getResults());
  });
  for (Operation &op : forall.getBody()->without_terminator())
    if (loop->isBeforeInBlock(&op))
      body.push_back(&op);
  splitOps(isWhole);
  return loop;
}

/// Returns the loop, from 0 on, that contains all products of a workgroup, if
/// there is one.
static scf::ForOp findSteps(scf::ForallOp forall) {
  llvm::SmallSetVector<Operation *, 2> holders;
  forall.walk([&](linalg::LinalgOp op) {
    if (matchProduct(op).has_value())
      holders.insert(forall.getBody()->findAncestorOpInBlock(*op));
  });
  auto loop = holders.size() == 1 ? dyn_cast<scf::ForOp>(holders.front())
                                  : scf::ForOp();
  bool isSplit = loop && isConstantIntValue(loop.getLowerBound(), 0) &&
                 getConstantIntValue(loop.getStep()) &&
                 llvm::all_of(loop.getResultTypes(), [](Type type) {
                   auto tensor = dyn_cast<RankedTensorType>(type);
                   return !tensor || tensor.hasStaticShape();
                 });
  return isSplit ? loop : scf::ForOp();
}

/// Returns whether a loop from 0 on ends at the minimum of several multiples of
/// its step.
static bool endsWithStep(scf::ForOp loop) {
  auto least = loop.getUpperBound().getDefiningOp<affine::AffineMinOp>();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return least && step && isConstantIntValue(loop.getLowerBound(), 0) &&
         llvm::all_of(least.getMap().getResults(), [&](AffineExpr expr) {
           return expr.getLargestKnownDivisor() % *step == 0;
         });
}

/// Returns whether a result of an affine.min is `end - counter`.
static bool isDistance(AffineExpr result, affine::AffineMinOp op, Value counter,
                       Value end) {
  auto valueOf = [](Value value) {
    AffineMap map = AffineMap::getMultiDimIdentityMap(1, value.getContext());
    SmallVector<Value> operands = {value};
    affine::fullyComposeAffineMapAndOperands(&map, &operands);
    return affine::AffineValueMap(map, operands);
  };
  affine::AffineValueMap distance, difference;
  affine::AffineValueMap::difference(valueOf(end), valueOf(counter), &distance);
  AffineMap map = op.getMap();
  affine::AffineValueMap::difference(
      affine::AffineValueMap(
          AffineMap::get(map.getNumDims(), map.getNumSymbols(), result),
          op.getOperands()),
      distance, &difference);
  return difference.getResult(0) == getAffineConstantExpr(0, map.getContext());
}

/// Replaces the formula of the loop's end in the sizes of tiles, min(8, n mod
/// 64 - i), by the end itself, which peeling compares: min(8, end - i).
static void nameEnd(RewriterBase &rewriter, scf::ForOp loop) {
  Value counter = loop.getInductionVar(), end = loop.getUpperBound();
  if (!end.getDefiningOp<affine::AffineApplyOp>())
    return;
  for (Operation *user : llvm::to_vector(counter.getUsers())) {
    auto min = dyn_cast<affine::AffineMinOp>(user);
    if (!min)
      continue;
    AffineMap map = min.getMap();
    AffineExpr distance =
        rewriter.getAffineDimExpr(1) - rewriter.getAffineDimExpr(0);
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults())
      results.push_back(isDistance(result, min, counter, end)
                            ? distance
                            : result.shiftDims(map.getNumDims(), 2));
    SmallVector<Value> operands = {counter, end};
    llvm::append_range(operands, min.getOperands());
    rewriter.setInsertionPoint(min);
    rewriter.replaceOpWithNewOp<affine::AffineMinOp>(
        min,
        AffineMap::get(map.getNumDims() + 2, map.getNumSymbols(), results,
                       rewriter.getContext()),
        operands);
  }
}

scf::ForOp distaff::splitEdges(RewriterBase &rewriter, scf::ForallOp forall,
                               bool splitsSteps) {
  if (!gainsBySplitting(forall))
    return {};
  SmallVector<SharedEdge> edges = findSharedEdges(rewriter, forall);
  if (edges.empty())
    return {};
  Splitter splitter(rewriter, forall, edges);
  scf::ForOp steps = splitsSteps ? findSteps(forall) : scf::ForOp();
  if (!steps) {
    splitter.splitBody();
    return {};
  }
  nameEnd(rewriter, steps);
  return splitter.splitSteps(steps);
}

bool distaff::peelEdges(RewriterBase &rewriter, scf::ForallOp forall,
                        int64_t fewestSteps, scf::ForOp except) {
  SmallVector<scf::ForOp> loops;
  forall.walk([&](scf::ForOp loop) {
    std::optional<llvm::APInt> steps = loop.getStaticTripCount();
    if (loop != except && (!steps || steps->sge(fewestSteps)) &&
        !endsWithStep(loop))
      loops.push_back(loop);
  });
  bool any = false;
  for (scf::ForOp loop : loops) {
    scf::ForOp last;
    nameEnd(rewriter, loop);
    // Peeling fails where the step divides the range.
    any |= succeeded(scf::peelForLoopAndSimplifyBounds(rewriter, loop, last));
  }
  return any;
}
