//===- DecomposeWindows.cpp - Windows of convolutions as slices -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution reads `input[2 * oh + kh]`: a member that has some places of
// the result needs others of the input, and those of different members overlap.
// At one place of the window, `kh = 1`, the op is an ordinary one on a slice:
//
//   %0 = generic(input[0, ...] by strides 2, filter[0]) into %init
//   %1 = generic(input[1, ...] by strides 2, filter[1]) into %0
//
// in the order of the loops. Small windows are unrolled, others are loops.
//
//===----------------------------------------------------------------------===//
#include "DecomposeWindows.h"

#include "CollectiveOps.h"
#include "TensorPlaces.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::pcf;

/// The largest number of window positions that are unrolled.
static constexpr int64_t mostUnrolled = 25;

namespace {
/// Describes a dimension of an operand: `scale * loop`, and the offset in the
/// window.
struct WindowedDim {
  std::optional<unsigned> loop;
  int64_t scale = 1;
  /// A function of the window's loops, and a constant.
  AffineExpr offset;
};

struct WindowPlan {
  SmallVector<unsigned> window, others;
  SmallVector<SmallVector<WindowedDim>> operands;
  SmallVector<OpFoldResult> extents;
};
} // namespace

/// Collects the terms of a sum.
static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (sum && sum.getKind() == AffineExprKind::Add) {
    collectTerms(sum.getLHS(), terms);
    collectTerms(sum.getRHS(), terms);
    return;
  }
  terms.push_back(expr);
}

/// Returns a term as a loop and its factor; none for other terms.
static std::optional<std::pair<unsigned, int64_t>> asLoop(AffineExpr term) {
  if (auto dim = dyn_cast<AffineDimExpr>(term))
    return std::pair(dim.getPosition(), int64_t(1));
  auto product = dyn_cast<AffineBinaryOpExpr>(term);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(product.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (!dim || !factor || factor.getValue() < 1)
    return std::nullopt;
  return std::pair(dim.getPosition(), factor.getValue());
}

/// Returns the reduced loops that are summed with others.
static llvm::SmallBitVector findWindow(linalg::LinalgOp op) {
  llvm::SmallBitVector window(op.getNumLoops());
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (!isa<AffineDimExpr>(expr))
        expr.walk([&](AffineExpr part) {
          if (auto dim = dyn_cast<AffineDimExpr>(part);
              dim &&
              iterators[dim.getPosition()] == utils::IteratorType::reduction)
            window.set(dim.getPosition());
        });
  return window;
}

static std::optional<WindowedDim> planDim(AffineExpr expr,
                                          const llvm::SmallBitVector &window) {
  WindowedDim dim;
  dim.offset = getAffineConstantExpr(0, expr.getContext());
  SmallVector<AffineExpr> terms;
  collectTerms(expr, terms);
  for (AffineExpr term : terms) {
    std::optional<std::pair<unsigned, int64_t>> loop = asLoop(term);
    if (!loop) {
      if (!isa<AffineConstantExpr>(term))
        return std::nullopt;
    } else if (!window.test(loop->first)) {
      if (dim.loop)
        return std::nullopt;
      std::tie(dim.loop, dim.scale) = *loop;
      continue;
    }
    dim.offset = dim.offset + term;
  }
  return dim;
}

/// Plans how the op is split; none if it has no window, or none of this kind.
static std::optional<WindowPlan> planWindow(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() ||
      llvm::all_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  llvm::SmallBitVector window = findWindow(op);
  WindowPlan plan;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop : llvm::seq<unsigned>(0, op.getNumLoops())) {
    (window.test(loop) ? plan.window : plan.others).push_back(loop);
    if (window.test(loop) && ShapedType::isDynamic(ranges[loop]))
      return std::nullopt;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand) && !map.isProjectedPermutation())
      return std::nullopt;
    SmallVector<WindowedDim> &dims = plan.operands.emplace_back();
    for (AffineExpr expr : map.getResults()) {
      std::optional<WindowedDim> dim = planDim(expr, window);
      if (!dim)
        return std::nullopt;
      dims.push_back(*dim);
    }
  }
  return plan;
}

namespace {
class WindowDecomposer {
public:
  WindowDecomposer(linalg::LinalgOp op, WindowPlan plan, TensorPlaces &places,
                   RewriterBase &rewriter)
      : op(op), plan(std::move(plan)), places(places), rewriter(rewriter) {}

  LogicalResult run();

private:
  LogicalResult findExtents();
  std::pair<Value, AffineMap> cut(OpOperand &operand,
                                  ArrayRef<OpFoldResult> point);
  SmallVector<Value> computeAt(ArrayRef<OpFoldResult> point, ValueRange inits);
  SmallVector<Value> loopOver(SmallVector<OpFoldResult> point,
                              ValueRange inits);

  linalg::LinalgOp op;
  WindowPlan plan;
  TensorPlaces &places;
  RewriterBase &rewriter;
};
} // namespace

/// Finds the extents of the loops, from tensors that they index directly.
LogicalResult WindowDecomposer::findExtents() {
  plan.extents =
      getAsIndexOpFoldResult(rewriter.getContext(), op.getStaticLoopRanges());
  for (auto [operand, dims] :
       llvm::zip_equal(op->getOpOperands(), plan.operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || type.hasStaticShape() || !map.isProjectedPermutation())
      continue;
    FailureOr<MixedSizes> own = places.getExtents(operand.get(), op);
    if (failed(own))
      return failure();
    for (auto [expr, extent] : llvm::zip_equal(map.getResults(), *own))
      plan.extents[cast<AffineDimExpr>(expr).getPosition()] = extent;
  }
  return success();
}

/// Returns the slice of an operand at one window position, and its map.
std::pair<Value, AffineMap>
WindowDecomposer::cut(OpOperand &operand, ArrayRef<OpFoldResult> point) {
  MLIRContext *context = rewriter.getContext();
  Location loc = op.getLoc();
  TensorPart part;
  SmallVector<AffineExpr> results;
  ArrayRef<WindowedDim> dims = plan.operands[operand.getOperandNumber()];
  part.dropped.resize(dims.size());
  SmallVector<AffineExpr> places(op.getNumLoops());
  for (auto [number, loop] : llvm::enumerate(plan.window))
    places[loop] = getAffineSymbolExpr(number, context);
  for (auto [number, loop] : llvm::enumerate(plan.others))
    places[loop] = getAffineDimExpr(number, context);
  bool isWhole = true;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    part.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, dim.offset.replaceDims(places), point));
    part.sizes.push_back(dim.loop ? plan.extents[*dim.loop]
                                  : rewriter.getIndexAttr(1));
    part.strides.push_back(rewriter.getIndexAttr(dim.scale));
    if (dim.loop)
      results.push_back(places[*dim.loop]);
    else
      part.dropped.set(number);
    isWhole &= isa<AffineDimExpr>(
        op.getMatchingIndexingMap(&operand).getResult(number));
    isWhole &= dim.loop.has_value();
  }
  auto map = AffineMap::get(plan.others.size(), 0, results, context);
  Value value = operand.get();
  if (isWhole)
    return {value, map};
  if (results.empty()) {
    SmallVector<Value> indices =
        getValueOrCreateConstantIndexOp(rewriter, loc, part.offsets);
    return {tensor::ExtractOp::create(rewriter, loc, value, indices), map};
  }
  MixedSizes kept;
  for (auto [number, size] : llvm::enumerate(part.sizes))
    if (!part.dropped.test(number))
      kept.push_back(size);
  auto type = RankedTensorType::get(decomposeMixedValues(kept).first,
                                    getElementTypeOrSelf(value));
  return {tensor::ExtractSliceOp::create(rewriter, loc, type, value,
                                         part.offsets, part.sizes,
                                         part.strides),
          map};
}

/// Emits the op at one window position.
SmallVector<Value> WindowDecomposer::computeAt(ArrayRef<OpFoldResult> point,
                                               ValueRange inits) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps, ofInits;
  SmallVector<BlockArgument> arguments, ofResults;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand)) {
      SmallVector<AffineExpr> results;
      for (const WindowedDim &dim : plan.operands[operand.getOperandNumber()])
        results.push_back(rewriter.getAffineDimExpr(
            llvm::find(plan.others, *dim.loop) - plan.others.begin()));
      ofInits.push_back(AffineMap::get(plan.others.size(), 0, results,
                                       rewriter.getContext()));
      ofResults.push_back(argument);
    } else if (!argument.use_empty()) {
      // Of a pooling's window only the extents are operands.
      auto [value, map] = cut(operand, point);
      inputs.push_back(value);
      maps.push_back(map);
      arguments.push_back(argument);
    }
  }
  llvm::append_range(maps, ofInits);
  llvm::append_range(arguments, ofResults);
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop : plan.others)
    iterators.push_back(op.getIteratorTypesArray()[loop]);
  auto body = [&](OpBuilder &builder, Location, ValueRange values) {
    IRMapping mapping;
    for (auto [from, to] : llvm::zip_equal(arguments, values))
      mapping.map(from, to);
    for (Operation &inner : op.getBlock()->getOperations()) {
      auto index = dyn_cast<linalg::IndexOp>(inner);
      if (!index) {
        builder.clone(inner, mapping);
        continue;
      }
      unsigned loop = index.getDim();
      auto place = llvm::find(plan.window, loop);
      Value number =
          place != plan.window.end()
              ? getValueOrCreateConstantIndexOp(
                    builder, loc, point[place - plan.window.begin()])
              : Value(linalg::IndexOp::create(builder, loc,
                                              llvm::find(plan.others, loop) -
                                                  plan.others.begin()));
      mapping.map(index.getResult(), number);
    }
  };
  return llvm::to_vector_of<Value>(
      linalg::GenericOp::create(rewriter, loc, inits.getTypes(), inputs, inits,
                                maps, iterators, body)
          ->getResults());
}

/// Emits loops over the window positions, of which `point` has the outer
/// indices.
SmallVector<Value> WindowDecomposer::loopOver(SmallVector<OpFoldResult> point,
                                              ValueRange inits) {
  if (point.size() == plan.window.size())
    return computeAt(point, inits);
  Location loc = op.getLoc();
  auto at = [&](int64_t number) {
    return arith::ConstantIndexOp::create(rewriter, loc, number);
  };
  int64_t extent = op.getStaticLoopRanges()[plan.window[point.size()]];
  auto loop =
      scf::ForOp::create(rewriter, loc, at(0), at(extent), at(1), inits);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  point.push_back(loop.getInductionVar());
  SmallVector<Value> results = loopOver(point, loop.getRegionIterArgs());
  scf::YieldOp::create(rewriter, loc, results);
  return llvm::to_vector_of<Value>(loop->getResults());
}

LogicalResult WindowDecomposer::run() {
  rewriter.setInsertionPoint(op);
  if (failed(findExtents()))
    return failure();
  SmallVector<int64_t> shape;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop : plan.window)
    shape.push_back(ranges[loop]);
  SmallVector<Value> values(op.getDpsInits());
  int64_t count = ShapedType::getNumElements(shape);
  if (count > mostUnrolled) {
    values = loopOver({}, values);
  } else {
    for (int64_t number : llvm::seq<int64_t>(0, count))
      values = computeAt(
          getAsIndexOpFoldResult(rewriter.getContext(),
                                 delinearize(number, computeStrides(shape))),
          values);
  }
  rewriter.replaceOp(op, values);
  return success();
}

LogicalResult pcf::decomposeWindows(SharedExecutorOp executor,
                                    RewriterBase &rewriter) {
  SmallVector<linalg::LinalgOp> ops;
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      ops.push_back(linalgOp);
  });
  TensorPlaces places(executor, rewriter);
  for (linalg::LinalgOp op : ops)
    if (std::optional<WindowPlan> plan = planWindow(op))
      if (failed(
              WindowDecomposer(op, std::move(*plan), places, rewriter).run()))
        return failure();
  return success();
}
