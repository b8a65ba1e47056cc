//===- Guards.cpp - Upstream's rewrites, less what miscompiles ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/Guards.h"
#include "OwnFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// When a pattern is right
//===----------------------------------------------------------------------===//

/// A vector of one row, all of it inside and along the last dimension, has no
/// row pitch that a folded reshape could change. The split of that dimension
/// does not matter either: nothing of the row lies beyond its part.
static bool isOneRow(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return transfer.getVectorType().getRank() == 1 &&
           !transfer.hasOutOfBoundsDim() && !transfer.getMask() &&
           transfer.getPermutationMap().isMinorIdentity();
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.getRank() <= 1;
  return true;
}

/// The value of the branch that ends the loop replaces every use of the result
/// at the first place where it is forwarded, so each may be forwarded once.
static bool forwardsEachOnce(Operation *op) {
  llvm::SmallPtrSet<Value, 8> seen;
  return llvm::all_of(cast<scf::WhileOp>(op).getConditionOp().getArgs(),
                      [&](Value value) { return seen.insert(value).second; });
}

/// Upstream has no case for predicates that look at no operand.
static bool comparesSomething(Operation *op) {
  arith::CmpFPredicate predicate = cast<arith::CmpFOp>(op).getPredicate();
  return predicate != arith::CmpFPredicate::AlwaysTrue &&
         predicate != arith::CmpFPredicate::AlwaysFalse;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr StringRef slicePatterns[] = {
    "mlir::OpWithOffsetSizesAndStridesConstantArgumentFolder<mlir::tensor::"
    "ExtractSliceOp, SliceReturnTypeCanonicalizer, SliceCanonicalizer>",
    "mlir::OpWithOffsetSizesAndStridesConstantArgumentFolder<mlir::memref::"
    "SubViewOp, SubViewReturnTypeCanonicalizer, SubViewCanonicalizer>",
    "(anonymous namespace)::InsertSliceOpConstantArgumentFolder<mlir::tensor::"
    "InsertSliceOp>",
    "(anonymous namespace)::InsertSliceOpConstantArgumentFolder<mlir::tensor::"
    "ParallelInsertSliceOp>"};

static constexpr StringRef reshapedAccessPatterns[] = {
    "(anonymous namespace)::LoadOpOfExpandShapeOpFolder<mlir::vector::"
    "TransferReadOp>",
    "(anonymous namespace)::LoadOpOfExpandShapeOpFolder<mlir::vector::LoadOp>",
    "(anonymous namespace)::LoadOpOfExpandShapeOpFolder<mlir::vector::"
    "MaskedLoadOp>",
    "(anonymous namespace)::StoreOpOfExpandShapeOpFolder<mlir::vector::"
    "StoreOp>",
    "(anonymous namespace)::StoreOpOfExpandShapeOpFolder<mlir::vector::"
    "MaskedStoreOp>",
    "(anonymous namespace)::LoadOpOfCollapseShapeOpFolder<mlir::vector::"
    "LoadOp>",
    "(anonymous namespace)::LoadOpOfCollapseShapeOpFolder<mlir::vector::"
    "MaskedLoadOp>",
    "(anonymous namespace)::StoreOpOfCollapseShapeOpFolder<mlir::vector::"
    "StoreOp>",
    "(anonymous namespace)::StoreOpOfCollapseShapeOpFolder<mlir::vector::"
    "MaskedStoreOp>"};

static constexpr StringRef branchInLoopPatterns[] = {
    "(anonymous namespace)::WhileMoveIfDown"};

static constexpr StringRef constantPatterns[] = {
    "(anonymous namespace)::AddIAddConstant",
    "(anonymous namespace)::AddISubConstantLHS",
    "(anonymous namespace)::AddISubConstantRHS",
    "(anonymous namespace)::SubILHSAddConstant",
    "(anonymous namespace)::SubILHSSubConstantLHS",
    "(anonymous namespace)::SubILHSSubConstantRHS",
    "(anonymous namespace)::SubIRHSAddConstant",
    "(anonymous namespace)::SubIRHSSubConstantLHS",
    "(anonymous namespace)::SubIRHSSubConstantRHS",
    "(anonymous namespace)::MulIMulIConstant"};

static constexpr StringRef comparedIntegerPatterns[] = {"CmpFIntToFPConst"};

static constexpr Guard guards[] = {
    {"unit-dims-of-slices", slicePatterns, nullptr, populateConstantSlices},
    {"rows-of-reshaped-memory", reshapedAccessPatterns, isOneRow, nullptr},
    {"branches-in-while", branchInLoopPatterns, forwardsEachOnce, nullptr},
    {"flags-of-merged-constants", constantPatterns, isWithoutFlags,
     populateFlaglessConstants},
    {"comparisons-of-nothing", comparedIntegerPatterns, comparesSomething,
     nullptr},
};

ArrayRef<Guard> distaff::upstreamGuards() { return guards; }

//===----------------------------------------------------------------------===//
// Applying it
//===----------------------------------------------------------------------===//

namespace {
/// A pattern of upstream's where it is right.
class WhereRight final : public RewritePattern {
public:
  WhereRight(std::unique_ptr<RewritePattern> guarded,
             bool (*isRight)(Operation *))
      : RewritePattern(guarded->getRootKind()->getStringRef(),
                       guarded->getBenefit(), guarded->getContext()),
        guarded(std::move(guarded)), isRight(isRight) {
    // Filters by name see what is inside.
    setDebugName(this->guarded->getDebugName());
    setHasBoundedRewriteRecursion(this->guarded->hasBoundedRewriteRecursion());
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isRight(op))
      return rewriter.notifyMatchFailure(op, "MLIR 22 rewrites it wrongly");
    return guarded->matchAndRewrite(op, rewriter);
  }

private:
  std::unique_ptr<RewritePattern> guarded;
  bool (*isRight)(Operation *);
};
} // namespace

void distaff::applyGuards(RewritePatternSet &patterns, ArrayRef<Guard> guards) {
  auto &native = patterns.getNativePatterns();
  for (const Guard &guard : guards) {
    bool found = false;
    for (std::unique_ptr<RewritePattern> &pattern : native) {
      if (!llvm::is_contained(guard.patterns, pattern->getDebugName()))
        continue;
      found = true;
      if (guard.isRight)
        pattern =
            std::make_unique<WhereRight>(std::move(pattern), guard.isRight);
      else
        pattern.reset();
    }
    llvm::erase(native, nullptr);
    if (found && guard.addOwn)
      guard.addOwn(patterns);
  }
}

FrozenRewritePatternSet distaff::guarded(RewritePatternSet patterns,
                                         ArrayRef<std::string> disabled) {
  applyGuards(patterns, upstreamGuards());
  return FrozenRewritePatternSet(std::move(patterns), disabled);
}
