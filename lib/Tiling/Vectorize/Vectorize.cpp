//===- Vectorize.cpp - Vectorization of linalg ops ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is vectorized on its own, with reads and writes of whole tiles around
// it. Then the tensors between ops vanish: a read of a written tensor becomes
// the vector (store-to-load forwarding), a read of a slice reads the source,
// and an accumulator that a loop carries as a tensor is carried as a vector.
//
//===----------------------------------------------------------------------===//
#include "StoreToLoadForwarding.h"
#include "VectorizeArgReduction.h"
#include "VectorizeContraction.h"
#include "VectorizeEdges.h"
#include "VectorizeGathers.h"
#include "VectorizeLaneTiles.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace distaff {
#define GEN_PASS_DEF_VECTORIZE
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// Returns whether a value of the body depends on an input that varies along
/// the loops; upstream reads inputs for every point of the iteration space.
static bool readsInput(linalg::LinalgOp op, Value value) {
  llvm::SmallSetVector<Value, 8> makers;
  makers.insert(value);
  for (size_t i = 0; i < makers.size(); ++i) {
    Value from = makers[i];
    if (from.getParentBlock() != op.getBlock())
      continue;
    auto argument = dyn_cast<BlockArgument>(from);
    if (!argument) {
      makers.insert_range(from.getDefiningOp()->getOperands());
      continue;
    }
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (op.isDpsInput(operand) &&
        op.getMatchingIndexingMap(operand).getNumResults() != 0)
      return true;
  }
  return false;
}

/// Broadcasts the terms of reductions to the whole iteration space, also if
/// they are the same along some loops: upstream reduces the vector that it
/// finds, and treats any op on an output as a reduction.
static void spreadTerms(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (op.getNumLoops() == 0)
    return;
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output) {
    SmallVector<Operation *> combiners;
    Value term = matchReduction(op.getRegionOutputArgs(), output, combiners);
    if (!term || combiners.size() != 1 || readsInput(op, term))
      continue;
    Operation *combiner = combiners.front();
    Location loc = combiner->getLoc();
    rewriter.setInsertionPoint(combiner);
    // The position is a vector over the whole space; the select folds.
    Value position = linalg::IndexOp::create(rewriter, loc, 0);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value always = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::sge, position, zero);
    Value spread = arith::SelectOp::create(rewriter, loc, always, term, term);
    rewriter.modifyOpInPlace(
        combiner, [&] { combiner->replaceUsesOfWith(term, spread); });
  }
}

/// Returns whether an op has no iteration, so that it returns its inits.
static bool hasNoIteration(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() &&
         llvm::is_contained(op.getStaticLoopRanges(), 0);
}

/// Returns the cast that makes static extents dynamic in an op; null where the
/// extents are dynamic before, too.
static tensor::CastOp findHidingCast(linalg::LinalgOp op) {
  for (Value operand : op->getOperands())
    if (auto cast = operand.getDefiningOp<tensor::CastOp>();
        cast && cast.getSource().getType().hasStaticShape())
      return cast;
  return {};
}

/// Writes a result that is a leading slice, of dynamic size, of a static
/// tensor: lanes hold the whole tensor, and write the elements in bounds
/// (VX-213).
///
///   %c = extract_slice %y[0, 0] [%n, 16]    %v = transfer_read %y
///   %r = linalg.copy ins(%c) outs(%o)   =>  %r = transfer_write %v, %o[0, 0]
static LogicalResult writeCorner(RewriterBase &rewriter, linalg::LinalgOp op) {
  auto copy = dyn_cast<linalg::CopyOp>(op.getOperation());
  auto slice = copy && op.hasDynamicShape()
                   ? copy.getInputs()[0].getDefiningOp<tensor::ExtractSliceOp>()
                   : tensor::ExtractSliceOp();
  if (!slice || !slice.getSourceType().hasStaticShape() ||
      slice.getSourceType().getRank() != slice.getType().getRank() ||
      slice.getType() != copy.getOutputs()[0].getType() ||
      !slice.hasUnitStride() ||
      !llvm::all_of(slice.getMixedOffsets(), isZeroInteger))
    return failure();
  Location loc = op.getLoc();
  RankedTensorType source = slice.getSourceType();
  SmallVector<bool> readsAll(source.getRank(), true), writesAll;
  for (auto [held, written] :
       llvm::zip_equal(source.getShape(), slice.getType().getShape()))
    writesAll.push_back(held == written);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> zeros(source.getRank(),
                           arith::ConstantIndexOp::create(rewriter, loc, 0));
  Value held = vector::TransferReadOp::create(
      rewriter, loc,
      VectorType::get(source.getShape(), source.getElementType()),
      slice.getSource(), zeros, /*padding=*/std::nullopt, readsAll);
  rewriter.replaceOp(op, vector::TransferWriteOp::create(rewriter, loc, held,
                                                         copy.getOutputs()[0],
                                                         zeros, writesAll));
  return success();
}

static LogicalResult vectorizeOp(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (hasNoIteration(op)) {
    rewriter.replaceOp(op, op.getDpsInits());
    return success();
  }
  if (tensor::CastOp cast = findHidingCast(op); cast && op.hasDynamicShape())
    return cast.emitOpError("makes extents dynamic that are known, and lanes "
                            "hold vectors of static ones; leave it away, and "
                            "return the static type");
  if (succeeded(writeCorner(rewriter, op)))
    return success();
  if (op.hasDynamicShape())
    return op.emitOpError("has a dynamic extent, and lanes hold vectors of "
                          "static ones; pad its operands to a static extent, "
                          "by a tensor.pad of the arguments, and return a "
                          "tensor.extract_slice of what is computed");
  if (std::optional<ContractionBody> body = matchContraction(op)) {
    vectorizeContraction(rewriter, op, *body);
    return success();
  }
  if (succeeded(vectorizeSemiring(rewriter, op)))
    return success();
  if (std::optional<ArgReduction> best = matchArgReduction(op)) {
    FailureOr<SmallVector<linalg::LinalgOp>> parts =
        vectorizeArgReduction(rewriter, op, *best);
    if (failed(parts))
      return failure();
    for (linalg::LinalgOp part : *parts)
      if (failed(vectorizeOp(rewriter, part)))
        return failure();
    return success();
  }
  FailureOr<LaneTiles> lanes = LaneTiles::get(op);
  if (failed(lanes))
    return failure();
  spreadTerms(rewriter, op);
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::VectorizationResult> result =
      linalg::vectorize(rewriter, op);
  if (failed(result))
    return op.emitOpError("has no vector form: each of its indexing maps must "
                          "select loops, and each reduced result must be "
                          "combined by one op");
  rewriter.replaceOp(op, result->replacements);
  lanes->anchor(rewriter);
  return success();
}

//===----------------------------------------------------------------------===//
// Removing the tensors between ops
//===----------------------------------------------------------------------===//

static LogicalResult forwardVectors(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  vector::TransferReadOp::getCanonicalizationPatterns(patterns, context);
  vector::TransferWriteOp::getCanonicalizationPatterns(patterns, context);
  vector::BroadcastOp::getCanonicalizationPatterns(patterns, context);
  vector::TransposeOp::getCanonicalizationPatterns(patterns, context);
  vector::ExtractOp::getCanonicalizationPatterns(patterns, context);
  vector::ShapeCastOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, context);
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(patterns);
  populateForwardWholeWrites(patterns);
  if (failed(applyPatternsGreedily(kernel, guarded(std::move(patterns)))))
    return kernel.emitOpError("vectorizing left patterns that do not settle");
  return success();
}

/// Hoists tensor subsets that a loop reads, changes and writes, so that it
/// carries them as vectors.
static void carryVectors(RewriterBase &rewriter, func::FuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    moveLoopInvariantCode(loop);
    hoistSubsets(rewriter, loop);
  }
}

/// Returns the depth of the loop nest.
static unsigned depthOfLoops(func::FuncOp kernel) {
  unsigned most = 0;
  kernel.walk([&](scf::ForOp loop) {
    unsigned depth = 0;
    for (Operation *op = loop; op; op = op->getParentOp())
      depth += isa<scf::ForOp>(op);
    most = std::max(most, depth);
  });
  return most;
}

static Value createEmpty(RewriterBase &rewriter, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor::EmptyOp::create(rewriter, loc, tensor.getShape(),
                                 tensor.getElementType());
}

/// Returns whether `write` overwrites its whole tensor.
static bool writesWhole(vector::TransferWriteOp write) {
  auto type = dyn_cast<RankedTensorType>(write.getShapedType());
  return type && type.hasStaticShape() && !write.getMask() &&
         write.getPermutationMap().isProjectedPermutation() &&
         write.getVectorType().getNumElements() == type.getNumElements() &&
         llvm::all_of(write.getIndices(),
                      [](Value index) { return isConstantIntValue(index, 0); });
}

/// Replaces tensors that are overwritten whole by empty ones. Bufferization
/// then uses the out-argument instead of a copy.
static void forgetOverwritten(RewriterBase &rewriter, func::FuncOp kernel) {
  kernel.walk([&](vector::TransferWriteOp write) {
    if (!writesWhole(write) || write.getBase().getDefiningOp<tensor::EmptyOp>())
      return;
    rewriter.setInsertionPoint(write);
    Value empty = createEmpty(rewriter, write.getLoc(), write.getShapedType());
    rewriter.modifyOpInPlace(write,
                             [&] { write.getBaseMutable().assign(empty); });
  });
}

/// Writes `tile` once more, into separate memory.
static Value writeAgain(RewriterBase &rewriter, Location loc, Value tile) {
  if (auto loop = tile.getDefiningOp<scf::ForOp>())
    return rewriter.clone(*loop)->getResult(
        cast<OpResult>(tile).getResultNumber());
  Value empty = createEmpty(rewriter, loc, tile.getType());
  if (auto write = tile.getDefiningOp<vector::TransferWriteOp>()) {
    auto again = cast<vector::TransferWriteOp>(rewriter.clone(*write));
    again.getBaseMutable().assign(empty);
    return again.getResult();
  }
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<bool> inBounds(type.getRank(), true);
  SmallVector<Value> indices;
  if (type.getRank() != 0)
    indices.assign(type.getRank(),
                   arith::ConstantIndexOp::create(rewriter, loc, 0));
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value vector = vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(type.getShape(), type.getElementType()),
      tile, indices, padding, inBounds);
  return vector::TransferWriteOp::create(rewriter, loc, vector, empty, indices,
                                         inBounds)
      .getResult();
}

/// Computes each result in its own memory. A tile that is written for two
/// results is written twice, and a part of an argument, which no op computes,
/// is copied through a vector.
static void separateResults(RewriterBase &rewriter, func::FuncOp kernel) {
  auto separate = [&](Operation *insert, OpOperand &source) {
    Operation *maker = source.get().getDefiningOp();
    if (isa_and_nonnull<scf::ForOp, scf::IfOp, vector::TransferWriteOp,
                        tensor::InsertSliceOp>(maker) &&
        source.get().hasOneUse())
      return;
    auto parallel = dyn_cast<scf::InParallelOp>(insert->getParentOp());
    rewriter.setInsertionPoint(parallel ? parallel : insert);
    Value tile = writeAgain(rewriter, insert->getLoc(), source.get());
    rewriter.modifyOpInPlace(insert, [&] { source.set(tile); });
  };
  kernel.walk([&](Operation *op) {
    if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op))
      separate(op, insert.getSourceMutable());
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      separate(op, insert.getSourceMutable());
  });
}

/// Replaces poison paddings, which upstream creates for reads of whole tiles,
/// by zero, which every later stage supports.
static void padWithZero(RewriterBase &rewriter, func::FuncOp kernel) {
  kernel.walk([&](vector::TransferReadOp read) {
    if (!read.getPadding().getDefiningOp<ub::PoisonOp>())
      return;
    rewriter.setInsertionPoint(read);
    Value zero = arith::ConstantOp::create(
        rewriter, read.getLoc(),
        rewriter.getZeroAttr(read.getPadding().getType()));
    rewriter.modifyOpInPlace(read,
                             [&] { read.getPaddingMutable().assign(zero); });
  });
}

static LogicalResult checkNothingLeft(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    if (!isa_and_present<linalg::LinalgDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitOpError("has no vector form; only linalg ops on static tiles with "
                    "elementwise, reducing or contracting bodies have one");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Vectorizes MMA ops on fragments of members of a pcf group, which are tensors
/// of static size.
static bool vectorizeMma(RewriterBase &rewriter, func::FuncOp kernel) {
  SmallVector<iree::InnerTiledOp> ops;
  kernel.walk([&](iree::InnerTiledOp op) {
    if (isa<RankedTensorType>(op.getResult().getType()) &&
        llvm::all_of(op->getOperandTypes(), [](Type type) {
          return cast<ShapedType>(type).hasStaticShape();
        }))
      ops.push_back(op);
  });
  for (iree::InnerTiledOp op : ops)
    vectorizeInnerTiled(rewriter, op);
  return !ops.empty();
}

static LogicalResult vectorizeKernel(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  if (failed(vectorizeEdges(rewriter, kernel)))
    return failure();
  SmallVector<linalg::LinalgOp> ops;
  kernel.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops)
    for (linalg::LinalgOp part : separateGathers(rewriter, op))
      if (failed(vectorizeOp(rewriter, part)))
        return failure();
  if (failed(checkNothingLeft(kernel)))
    return failure();
  bool hasMma = vectorizeMma(rewriter, kernel);
  if (ops.empty() && !hasMma)
    return success();
  if (failed(forwardVectors(kernel)))
    return failure();
  // Hoisting moves reads next to the writes that they read; only then can they
  // leave the next outer loop.
  for (unsigned depth = depthOfLoops(kernel); depth > 0; --depth) {
    // Equal reads are merged, so that they can leave a loop.
    DominanceInfo dominance(kernel);
    eliminateCommonSubExpressions(rewriter, dominance, kernel);
    carryVectors(rewriter, kernel);
    if (failed(forwardVectors(kernel)))
      return failure();
  }
  forgetOverwritten(rewriter, kernel);
  padWithZero(rewriter, kernel);
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  separateResults(rewriter, kernel);
  return success();
}

namespace {
struct VectorizePass final : distaff::impl::VectorizeBase<VectorizePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    VectorizeBase::getDependentDialects(registry);
    vector::registerSubsetOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (!kernel.isDeclaration() && failed(vectorizeKernel(kernel)))
        return signalPassFailure();
  }
};
} // namespace
