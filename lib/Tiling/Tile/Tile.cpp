//===- Tile.cpp - Tile and fuse a kernel into one loop over workgroups ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs in this order: aggregated ops become linalg.generic, the group moves
// into its loop over workgroups, each op gets its serial loops, and the grid
// function is derived from the loop. Kernels of vectors are not tiled and get
// the grid function.
//
//===----------------------------------------------------------------------===//
#include "TileEdges.h"
#include "TileGrid.h"
#include "TileLoops.h"
#include "TilePad.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/DecomposeAggregates.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
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
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

static void eliminateEqual(RewriterBase &rewriter, func::FuncOp kernel) {
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
}

static bool returnsTensors(func::FuncOp kernel) {
  return llvm::any_of(kernel.getResultTypes(), llvm::IsaPred<TensorType>);
}

/// Folds leftovers of tiling: slices of slices, slices of empty tensors, and
/// single-iteration loops over workgroups.
static LogicalResult cleanUp(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  // Linalg's own patterns are excluded: they would remove a copy that is a
  // result.
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::ParallelInsertSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::PadOp::getCanonicalizationPatterns(patterns, context);
  scf::ForallOp::getCanonicalizationPatterns(patterns, context);
  populateFoldInside(patterns);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  if (failed(applyPatternsGreedily(kernel, guarded(std::move(patterns)))))
    return kernel.emitOpError("tiling left patterns that do not settle");
  IRRewriter rewriter(context);
  eliminateEqual(rewriter, kernel);
  return success();
}

/// Generalizes ops that reduce, or read at computed positions, so that their
/// bodies can be extended; contractions stay named.
static LogicalResult generalizeOps(RewriterBase &rewriter,
                                   func::FuncOp kernel) {
  SmallVector<linalg::LinalgOp> named;
  kernel.walk([&](linalg::LinalgOp op) {
    bool reads = !op.getBlock()->getOps<tensor::ExtractOp>().empty();
    if ((reads || op.getNumReductionLoops() > 0) &&
        !isa<linalg::GenericOp>(op) && !matchContraction(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    Attribute config = op->getAttr(iree::LoweringConfigAttr::attributeName);
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return op.emitOpError("has no form as linalg.generic");
    if (config)
      (*generic)->setAttr(iree::LoweringConfigAttr::attributeName, config);
  }
  return success();
}

/// Finds the ops that compute the kernel's results, or emits an error.
static FailureOr<FusedGroup> findGroup(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError(
        "has several basic blocks; run "
        "distaff-form-launches first, which says what to do");
  Block &body = kernel.getBody().front();
  FusedGroup group = FusedGroup::get(body, body.getTerminator()->getOperands());
  if (!group.root())
    return kernel.emitOpError(
        "computes its tensors by no linalg op; run "
        "distaff-form-launches first, which makes some of "
        "elementwise ops");
  for (Value result : computedResults(body))
    if (!group.find(result.getDefiningOp()))
      return body.getTerminator()->emitOpError(
          "returns what no linalg op makes; run distaff-form-launches first");
  return group;
}

/// Tiles a kernel; returns the requirements on its launches.
static FailureOr<SmallVector<ExtentRequirement>>
tileKernel(func::FuncOp kernel, bool strictFp, bool peel,
           const Target &target) {
  IRRewriter rewriter(kernel.getContext());
  if (failed(decomposeAggregates(rewriter, kernel,
                                 /*usesReciprocals=*/!strictFp &&
                                     !target.isHost())) ||
      failed(generalizeOps(rewriter, kernel)))
    return failure();
  FailureOr<FusedGroup> group = findGroup(kernel);
  if (failed(group))
    return failure();
  FailureOr<SmallVector<int64_t>> tiles = readWorkgroupTiles(*group);
  // The serial tiles are read again inside the loop; here they are checked,
  // while the ops are still the user's.
  FailureOr<SmallVector<int64_t>> serialTiles =
      readSerialTiles(*group, strictFp);
  if (failed(tiles) || failed(serialTiles) ||
      failed(checkTilesTogether(*group, *tiles, *serialTiles)))
    return failure();
  SmallVector<LoopAxis> before(group->axes());
  SmallVector<Type> types;
  for (Value result : computedResults(kernel.getBody().front()))
    types.push_back(result.getType());
  FailureOr<PaddedKernel> padded =
      padToTiles(rewriter, kernel, *group, *tiles, *serialTiles);
  if (failed(padded))
    return failure();
  for (auto [tile, axis, now] : llvm::zip_equal(*tiles, before, group->axes()))
    if (tile == axis.whole())
      tile = now.extent;
  FailureOr<scf::ForallOp> forall = tileToWorkgroups(
      rewriter, kernel, *group, padded->axes, types, *tiles, target);
  if (failed(forall))
    return failure();
  // Each op has slices of its own so far; equal ones must be one value so that
  // ops which read them are known to share an axis.
  eliminateEqual(rewriter, kernel);
  if (failed(tileSerially(rewriter, *forall, padded->axes, strictFp,
                          /*foldsExponents=*/!strictFp && !target.isHost(),
                          target.simd.level1Bytes / 2)) ||
      failed(cutEdges(rewriter, *forall, padded->axes)))
    return failure();
  // Equal extents become one value, so that peeling can compare the ends of
  // loops.
  eliminateEqual(rewriter, kernel);
  if (peel) {
    // A CPU core runs a step of its loops by a kernel, whole or not.
    scf::ForOp cut =
        splitEdges(rewriter, *forall, /*splitsSteps=*/!target.isHost());
    peelEdges(rewriter, *forall, /*fewestSteps=*/1, cut);
  }
  if (failed(cleanUp(kernel)))
    return failure();
  if (target.isHost()) {
    forall = findWorkgroupLoop(kernel);
    if (*forall && (failed(registerTiling(rewriter, *forall, target)) ||
                    failed(cleanUp(kernel))))
      return failure();
  }
  return std::move(padded->requirements);
}

/// Tiles a kernel and writes its grid function.
static LogicalResult tile(func::FuncOp kernel, bool strictFp, bool peel,
                          const Target &target) {
  SmallVector<ExtentRequirement> requirements;
  if (laysOutTensors(kernel)) {
    IRRewriter rewriter(kernel.getContext());
    if (failed(decomposeAggregates(rewriter, kernel,
                                   /*usesReciprocals=*/!strictFp &&
                                       !target.isHost())))
      return failure();
  } else if (comesTiled(kernel)) {
    // The user's loop over workgroups is kept; loops in it are peeled. For few
    // steps a second body does not pay, and with two steps no loop would
    // remain, so that writes would be slices of slices.
    IRRewriter rewriter(kernel.getContext());
    if (peel &&
        peelEdges(rewriter, findWorkgroupLoop(kernel), /*fewestSteps=*/5) &&
        failed(cleanUp(kernel)))
      return failure();
  } else if (kernel.getBody().hasOneBlock() && returnsTensors(kernel) &&
             computedResults(kernel.getBody().front()).empty()) {
    // All results are empty.
  } else if (returnsTensors(kernel)) {
    auto found = tileKernel(kernel, strictFp, peel, target);
    if (failed(found))
      return failure();
    requirements = std::move(*found);
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
      if (isKernel(kernel) && failed(tile(kernel, strictFp, peel, *machine)))
        return signalPassFailure();
  }
};
} // namespace
