//===- FuseConsumers.cpp - Fusing consumers into the body -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This pass applies the fusions of consumers and drops unused results, until
// nothing changes: a fused consumer may make the next one fusible.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_PCFFUSECONSUMERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
struct FuseConsumers final
    : distaff::impl::PCFFuseConsumersBase<FuseConsumers> {
  using PCFFuseConsumersBase::PCFFuseConsumersBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PCFFuseConsumersBase::getDependentDialects(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    while (fuseOnce())
      if (failed(dropUnused()))
        return signalPassFailure();
  }

private:
  /// Fuses all consumers that can be fused; returns whether there was any.
  bool fuseOnce() {
    SmallVector<Operation *> consumers;
    getOperation()->walk([&](Operation *op) {
      if (tilingOf(op) ||
          isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp>(op))
        consumers.push_back(op);
    });
    return llvm::count_if(consumers, [&](Operation *op) { return fuse(op); }) >
           0;
  }

  bool fuse(Operation *op) {
    IRRewriter rewriter(&getContext());
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return succeeded(fuseExtractSlice(rewriter, slice));
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return succeeded(fuseCollapseShape(rewriter, collapse));
    FailureOr<TilableConsumer> match = matchTilableConsumer(op, assumeCovering);
    if (succeeded(match))
      fuseTilableConsumer(rewriter, *match);
    return succeeded(match);
  }

  LogicalResult dropUnused() {
    RewritePatternSet patterns(&getContext());
    populatePCFDropUnusedResultPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    return applyPatternsGreedily(getOperation(), guarded(std::move(patterns)),
                                 config);
  }
};
} // namespace
