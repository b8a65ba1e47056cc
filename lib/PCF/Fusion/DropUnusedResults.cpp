//===- DropUnusedResults.cpp - Removing results without uses --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor result is a snapshot: if it has no uses, the values written to its
// ref are lost when the op returns. The writes are then dead, unless an op
// reads the ref.
//
//===----------------------------------------------------------------------===//
#include "OwnerRefs.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_PCFDROPUNUSEDRESULTS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {

/// Collects the writes through a ref and the views they go through, users
/// first. Returns whether there is no other use.
bool collectWrites(Value ref, SmallVectorImpl<Operation *> &writes) {
  for (OpOperand &use : ref.getUses()) {
    Operation *user = use.getOwner();
    if (isa<SubviewOp, ExpandShapeOp>(user)) {
      if (!collectWrites(user->getResult(0), writes))
        return false;
    } else if (auto write = dyn_cast<WriteSliceOp>(user);
               !write || &use != &write.getDestMutable()) {
      return false;
    }
    writes.push_back(user);
  }
  return true;
}

struct DropUnusedResults final
    : OpInterfaceRewritePattern<RefOwnerOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(RefOwnerOpInterface op,
                                PatternRewriter &rewriter) const override {
    RefOwnerParts parts = RefOwnerParts::of(op), left = parts;
    left.refs.clear();
    llvm::BitVector kept(parts.refs.size(), true);
    SmallVector<Operation *> dead;
    for (auto [i, ref] : llvm::enumerate(parts.refs)) {
      if (isDropped(op, i, dead))
        kept.reset(i);
      else
        left.refs.push_back(ref);
    }
    if (kept.all())
      return rewriter.notifyMatchFailure(op, "every result and ref is used");

    for (Operation *write : dead)
      rewriter.eraseOp(write);
    rebuildWithRefs(rewriter, op, left, kept);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Returns whether a ref is dropped; if so, adds its writes to `dead`.
  static bool isDropped(RefOwnerOpInterface op, unsigned ref,
                        SmallVectorImpl<Operation *> &dead) {
    BlockArgument arg = op.getRefArgs()[ref];
    std::optional<unsigned> result = op.getResultOfRef(ref);
    if (!result)
      return arg.use_empty();
    // The memory of a memref init is visible without the result.
    OpResult value = op->getResult(*result);
    if (!value.use_empty() || !isa<TensorType>(value.getType()))
      return false;
    SmallVector<Operation *> writes;
    if (!collectWrites(arg, writes))
      return false;
    llvm::append_range(dead, writes);
    return true;
  }
};

struct DropUnusedResultsPass final
    : distaff::impl::PCFDropUnusedResultsBase<DropUnusedResultsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populatePCFDropUnusedResultPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(),
                                     guarded(std::move(patterns)), config)))
      signalPassFailure();
  }
};

} // namespace

void pcf::populatePCFDropUnusedResultPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnusedResults>(patterns.getContext());
}
