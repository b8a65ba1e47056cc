//===- Tile.cpp - Tile and fuse a kernel into one loop over workgroups ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order: aggregated ops become linalg.generic, the group moves into its
// loop over workgroups, each op gets its serial loops, and the grid function is
// read off the loop. Kernels that come as vectors only get the latter.
//
//===----------------------------------------------------------------------===//
#include "TileGrid.h"
#include "TileLoops.h"
#include "TileRagged.h"
#include "distaff/Analysis/Anchors.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Target/Target.h"
#include "distaff/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_TILE
#include "distaff/Transforms/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// Softmax becomes max, exp, sum and division; the division keeps the tiles.
static LogicalResult decomposeAggregates(RewriterBase &rewriter,
                                         func::FuncOp kernel) {
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  kernel.walk(
      [&](linalg::AggregatedOpInterface op) { aggregates.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregates) {
    if (!isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())))
      return op->emitOpError("is not of floats; run distaff-configure first");
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return op->emitOpError("cannot be decomposed into linalg.generic");
    if (Attribute config =
            op->getAttr(compat::LoweringConfigAttr::attributeName))
      results->front().getDefiningOp()->setAttr(
          compat::LoweringConfigAttr::attributeName, config);
    rewriter.replaceOp(op, *results);
  }
  return success();
}

static bool returnsTensors(func::FuncOp kernel) {
  return llvm::any_of(kernel.getResultTypes(), llvm::IsaPred<TensorType>);
}

/// Folds what tiling leaves: slices of slices, of empty tensors, and loops over
/// workgroups of which there is one.
static LogicalResult cleanUp(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  // Not linalg's own patterns: they would remove a copy that is a result.
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
  scf::ForallOp::getCanonicalizationPatterns(patterns, context);
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
    return kernel.emitOpError("tiling left patterns that do not settle");
  IRRewriter rewriter(context);
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  return success();
}

static LogicalResult tileKernel(func::FuncOp kernel, bool strictFp,
                                const Target &target) {
  IRRewriter rewriter(kernel.getContext());
  if (failed(decomposeAggregates(rewriter, kernel)))
    return failure();
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("has several basic blocks; run "
                              "distaff-configure first, which says what to do");
  Block &body = kernel.getBody().front();
  FusedGroup group = FusedGroup::get(body, body.getTerminator()->getOperands());
  if (!group.root())
    return kernel.emitOpError("computes its tensors by no linalg op; run "
                              "distaff-configure first, which makes some of "
                              "elementwise ops");
  for (Value result : body.getTerminator()->getOperands())
    if (!group.find(result.getDefiningOp()))
      return body.getTerminator()->emitOpError(
          "returns what no linalg op makes; run distaff-configure first");
  FailureOr<SmallVector<int64_t>> tiles = readWorkgroupTiles(group);
  // The serial tiles are read again inside the loop; here they are checked,
  // while the ops are still the user's, and say where a tile is cut.
  FailureOr<SmallVector<int64_t>> serialTiles =
      readSerialTiles(group, strictFp);
  if (failed(tiles) || failed(serialTiles))
    return failure();
  FailureOr<scf::ForallOp> forall =
      tileToWorkgroups(rewriter, kernel, group, *tiles, *serialTiles, target);
  if (failed(forall))
    return failure();
  // Each op has slices of its own so far; equal ones must be one value for the
  // ops that read them to be seen to walk the same axis.
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  if (failed(tileSerially(rewriter, *forall, strictFp)))
    return failure();
  return cleanUp(kernel);
}

/// Tiles a kernel whose tiles are cut; says what its launches have to see to.
static FailureOr<SmallVector<ExtentRequirement>>
tileRaggedKernel(func::FuncOp kernel, bool strictFp) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("has several basic blocks; run "
                              "distaff-configure first, which says what to do");
  FailureOr<RaggedContraction> ragged = matchRaggedContraction(kernel);
  if (failed(ragged))
    return failure();
  auto requirements = requirementsOf(*ragged, kernel);
  Block &body = kernel.getBody().front();
  FusedGroup group = FusedGroup::get(body, body.getTerminator()->getOperands());
  if (group.root()->op != ragged->op)
    return group.root()->op->emitOpError(
        "has a lowering_config beside a contraction on dynamic extents; put it "
        "on the contraction");
  FailureOr<SmallVector<int64_t>> tiles = readRaggedTiles(group, strictFp);
  if (failed(requirements) || failed(tiles))
    return failure();
  IRRewriter rewriter(kernel.getContext());
  tileRagged(rewriter, kernel, *ragged, *tiles);
  if (failed(cleanUp(kernel)))
    return failure();
  return requirements;
}

/// Tiles a kernel and writes its grid function.
static LogicalResult tile(func::FuncOp kernel, bool strictFp,
                          const Target &target) {
  SmallVector<ExtentRequirement> requirements;
  if (laysOutTensors(kernel)) {
    IRRewriter rewriter(kernel.getContext());
    if (failed(decomposeAggregates(rewriter, kernel)))
      return failure();
  } else if (returnsTensors(kernel)) {
    if (isRagged(kernel)) {
      auto found = tileRaggedKernel(kernel, strictFp);
      if (failed(found))
        return failure();
      requirements = std::move(*found);
    } else if (failed(tileKernel(kernel, strictFp, target))) {
      return failure();
    }
  }
  return createGridFunction(kernel, target, requirements);
}

namespace {
struct TilePass final : distaff::impl::TileBase<TilePass> {
  using TileBase::TileBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    TileBase::getDependentDialects(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    for (func::FuncOp kernel :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isKernel(kernel) && failed(tile(kernel, strictFp, *machine)))
        return signalPassFailure();
  }
};
} // namespace
