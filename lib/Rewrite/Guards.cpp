//===- Guards.cpp - Guards of wrong upstream patterns ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/Guards.h"
#include "OwnFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Conditions of patterns
//===----------------------------------------------------------------------===//

/// Returns the rank of the vector that a memory access moves; 0 for none.
static int64_t movedRank(Operation *op) {
  int64_t rank = 0;
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto vector = dyn_cast<VectorType>(type))
      rank = std::max(rank, vector.getRank());
  return rank;
}

/// Returns whether the vector is one row, inside its bounds and along the last
/// dimension: it has no row pitch that a split of dimensions could change, and
/// does not reach past its part of the split dimension.
static bool isOneRow(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return transfer.getVectorType().getRank() == 1 &&
           !transfer.hasOutOfBoundsDim() && !transfer.getMask() &&
           transfer.getPermutationMap().isMinorIdentity();
  return movedRank(op) <= 1;
}

/// Returns whether a vector stays in the rows of the source: one along
/// collapsed dimensions may continue from one row to the next, out of bounds.
static bool staysInRows(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto view = operand.getDefiningOp<memref::CollapseShapeOp>())
      for (ArrayRef<int64_t> joined :
           ArrayRef(view.getReassociationIndices()).take_back(movedRank(op)))
        if (joined.size() > 1)
          return false;
  return true;
}

/// Returns whether the dimensions of a vector, the last ones of memory, are
/// also the last ones of the view, and contiguous.
static bool isContiguousInView(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto view = operand.getDefiningOp<memref::SubViewOp>()) {
      ArrayRef<int64_t> kept = view.getType().getShape(),
                        sizes = view.getStaticSizes();
      // Unit dimensions of the view may match dropped ones.
      size_t rank = movedRank(op);
      if (rank > sizes.size() ||
          llvm::any_of(view.getStaticStrides().take_back(rank),
                       [](int64_t stride) { return stride != 1; }))
        return false;
      if (kept.size() != sizes.size() &&
          (rank > kept.size() || kept.take_back(rank) != sizes.take_back(rank)))
        return false;
    }
  return true;
}

/// Returns whether two views have only non-constant or static operands;
/// composing the views makes constants static, which does not fit the type.
static bool hasNoConstantOperands(Operation *op) {
  auto view = cast<memref::SubViewOp>(op);
  Operation *source = view.getSource().getDefiningOp();
  auto anyConstant = [](Operation *op) {
    return llvm::any_of(op->getOperands().drop_front(), [](Value operand) {
      return matchPattern(operand, m_Constant());
    });
  };
  return !anyConstant(op) &&
         !(isa_and_nonnull<memref::SubViewOp>(source) && anyConstant(source));
}

/// Returns whether a predicate reads its operands; upstream has no case for
/// others.
static bool comparesSomething(Operation *op) {
  arith::CmpFPredicate predicate = cast<arith::CmpFOp>(op).getPredicate();
  return predicate != arith::CmpFPredicate::AlwaysTrue &&
         predicate != arith::CmpFPredicate::AlwaysFalse;
}

/// Returns whether the type between two casts keeps all bits, so that the pair
/// folds to its operand.
static bool keepsAllBits(Operation *op) {
  auto widthOf = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIndex() ? IndexType::kInternalStorageBitWidth
                             : element.getIntOrFloatBitWidth();
  };
  Value between = op->getOperand(0);
  Operation *inner = between.getDefiningOp();
  return !isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(inner) ||
         widthOf(between.getType()) >= widthOf(inner->getOperand(0).getType());
}

/// Returns whether a reduction has no mask; the patterns confuse masked-off and
/// reduced elements.
static bool isUnmasked(Operation *op) {
  return !isa_and_nonnull<vector::MaskOp>(op->getParentOp());
}

/// Returns whether a source has all dims of the slice. Otherwise the pattern,
/// which replaces sizes of the slice by extents before a cast, takes a unit of
/// the source for a dropped one.
static bool hasAllDims(Operation *op) {
  auto insert = cast<OffsetSizeAndStrideOpInterface>(op);
  Value source = op->getOperand(0);
  return cast<ShapedType>(source.getType()).getRank() ==
             int64_t(insert.getStaticSizes().size()) ||
         !source.getDefiningOp<tensor::CastOp>();
}

/// Returns whether insertions are in the order of the outputs, as the patterns
/// assume.
static bool insertsInOrder(Operation *op) {
  auto loop = cast<scf::ForallOp>(op);
  auto insertions = loop.getTerminator().getYieldingOps();
  size_t next = 0;
  for (Operation &insertion : insertions) {
    auto part = dyn_cast<tensor::ParallelInsertSliceOp>(insertion);
    if (!part || next == loop.getRegionIterArgs().size() ||
        part.getDest() != loop.getRegionIterArgs()[next++])
      return false;
  }
  return next == loop.getRegionIterArgs().size();
}

/// Returns whether a result has one operand for each dynamic extent, as the
/// pattern assumes.
static bool hasOperandOfEachExtent(Operation *op) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  return expand.getOutputShape().size() ==
         expand.getResultType().getNumDynamicDims();
}

/// Returns whether a result ends in the extents of a broadcast, which repeats
/// its source along leading dimensions and units; only then can the result be a
/// broadcast of the source.
static bool endsLikeBroadcast(Operation *op) {
  auto broadcast = op->getOperand(0).getDefiningOp<vector::BroadcastOp>();
  auto source = broadcast ? dyn_cast<VectorType>(broadcast.getSourceType())
                          : VectorType();
  if (!source || source.getNumElements() == 1)
    return true;
  size_t rank = source.getRank();
  auto result = cast<VectorType>(op->getResult(0).getType());
  if (size_t(result.getRank()) < rank ||
      result.getShape().take_back(rank) !=
          broadcast.getResultVectorType().getShape().take_back(rank))
    return false;
  auto transpose = dyn_cast<vector::TransposeOp>(op);
  if (!transpose)
    return true;
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  for (size_t dim = permutation.size() - rank; dim < permutation.size(); ++dim)
    if (permutation[dim] != int64_t(dim))
      return false;
  return true;
}

/// Returns whether a pad has static extents where its operands are constant.
/// The patterns swap a pad and a reshape and give the pad the old extents; a
/// pad with a less static type is invalid.
static bool hasStaticExtentsWhereKnown(Operation *op) {
  auto pad = dyn_cast<tensor::PadOp>(op);
  if (!pad)
    pad = op->getOperand(0).getDefiningOp<tensor::PadOp>();
  if (!pad)
    return true;
  for (auto [dim, low, high] :
       llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad()))
    if (pad.getResultType().isDynamicDim(dim) &&
        !pad.getSourceType().isDynamicDim(dim) && getConstantIntValue(low) &&
        getConstantIntValue(high))
      return false;
  return true;
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

static constexpr StringRef parallelCastPatterns[] = {
    "(anonymous namespace)::InsertSliceOpSourceCastInserter<mlir::tensor::"
    "ParallelInsertSliceOp>"};

static constexpr StringRef castSourcePatterns[] = {
    "(anonymous namespace)::InsertSliceOpCastFolder<mlir::tensor::"
    "InsertSliceOp>",
    "(anonymous namespace)::InsertSliceOpCastFolder<mlir::tensor::"
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
    "MaskedStoreOp>"};

static constexpr StringRef joinedAccessPatterns[] = {
    "(anonymous namespace)::LoadOpOfCollapseShapeOpFolder<mlir::vector::"
    "LoadOp>",
    "(anonymous namespace)::LoadOpOfCollapseShapeOpFolder<mlir::vector::"
    "MaskedLoadOp>",
    "(anonymous namespace)::StoreOpOfCollapseShapeOpFolder<mlir::vector::"
    "StoreOp>",
    "(anonymous namespace)::StoreOpOfCollapseShapeOpFolder<mlir::vector::"
    "MaskedStoreOp>"};

static constexpr StringRef viewedAccessPatterns[] = {
    "(anonymous namespace)::LoadOpOfSubViewOpFolder<mlir::vector::LoadOp>",
    "(anonymous namespace)::LoadOpOfSubViewOpFolder<mlir::vector::"
    "MaskedLoadOp>",
    "(anonymous namespace)::StoreOpOfSubViewOpFolder<mlir::vector::StoreOp>",
    "(anonymous namespace)::StoreOpOfSubViewOpFolder<mlir::vector::"
    "MaskedStoreOp>"};

static constexpr StringRef composedViewPatterns[] = {
    "(anonymous namespace)::SubViewOfSubViewFolder"};

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

static constexpr StringRef staticExpansionPatterns[] = {
    "(anonymous namespace)::ConvertToStaticExpandShape"};

static constexpr StringRef broadcastPatterns[] = {
    "(anonymous namespace)::ShapeCastBroadcastFolder",
    "(anonymous namespace)::FoldTransposeBroadcast"};

static constexpr StringRef reshapedPadPatterns[] = {
    "(anonymous namespace)::FoldPadWithProducerReshapeOpByExpansion",
    "(anonymous namespace)::FoldReshapeWithProducerPadOpByExpansion"};

static constexpr StringRef outputPatterns[] = {
    "(anonymous namespace)::FoldTensorCastOfOutputIntoForallOp",
    "(anonymous namespace)::ForallOpSingleOrZeroIterationDimsFolder"};

static constexpr StringRef indexCastPatterns[] = {
    "(anonymous namespace)::IndexCastOfIndexCast",
    "(anonymous namespace)::IndexCastUIOfIndexCastUI"};

static constexpr StringRef maskedReductionPatterns[] = {
    "(anonymous namespace)::ElideUnitDimsInMultiDimReduction",
    "(anonymous namespace)::ElideSingleElementReduction"};

static constexpr StringRef comparedIntegerPatterns[] = {"CmpFIntToFPConst"};

static constexpr Guard guards[] = {
    {"unit-dims-of-slices", slicePatterns, nullptr, populateConstantSlices},
    {"casts-of-reduced-sources", castSourcePatterns, hasAllDims, nullptr},
    // The patterns insert a cast among parallel insertions, which is invalid;
    // the patterns above make the same sizes static.
    {"casts-among-insertions", parallelCastPatterns, nullptr, nullptr},
    {"rows-of-reshaped-memory", reshapedAccessPatterns, isOneRow, nullptr},
    {"rows-of-joined-memory", joinedAccessPatterns, staysInRows, nullptr},
    {"vectors-of-views", viewedAccessPatterns, isContiguousInView, nullptr},
    {"views-of-views", composedViewPatterns, hasNoConstantOperands, nullptr},
    // The patterns are wrong where a value is forwarded twice, and invalid
    // where the branch forwards a value that is visible in the loop's condition
    // only.
    {"branches-in-while", branchInLoopPatterns, nullptr, nullptr},
    {"flags-of-merged-constants", constantPatterns, isWithoutFlags,
     populateFlaglessConstants},
    {"static-expansions", staticExpansionPatterns, hasOperandOfEachExtent,
     nullptr},
    {"shapes-of-broadcasts", broadcastPatterns, endsLikeBroadcast, nullptr},
    {"pads-of-reshapes", reshapedPadPatterns, hasStaticExtentsWhereKnown,
     nullptr},
    {"order-of-insertions", outputPatterns, insertsInOrder, nullptr},
    {"casts-through-narrow-types", indexCastPatterns, keepsAllBits, nullptr},
    {"masked-reductions", maskedReductionPatterns, isUnmasked, nullptr},
    {"comparisons-of-nothing", comparedIntegerPatterns, comparesSomething,
     nullptr},
};

ArrayRef<Guard> distaff::upstreamGuards() { return guards; }

//===----------------------------------------------------------------------===//
// Application of guards
//===----------------------------------------------------------------------===//

namespace {
/// Applies an upstream pattern only where it is right.
class WhereRight final : public RewritePattern {
public:
  WhereRight(std::unique_ptr<RewritePattern> guarded,
             bool (*isRight)(Operation *))
      : RewritePattern(guarded->getRootKind()->getStringRef(),
                       guarded->getBenefit(), guarded->getContext()),
        guarded(std::move(guarded)), isRight(isRight) {
    // Filters by name use the name of the wrapped pattern.
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
