//===- ConstantFlags.cpp - Overflow flags of merged constants -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream rewrites (x + a) + b to x + (a + b) and keeps the flags that both
// sums have, whether or not a + b wraps: with x = 1, a = -2^31 and b = -1
// neither sum overflows, but 1 + (2^31 - 1) does. The patterns here remove the
// invalid flags of the outer op before upstream merges the two; the inner op is
// unchanged.
//
//===----------------------------------------------------------------------===//
#include "OwnFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

bool distaff::isWithoutFlags(Operation *op) {
  auto flagged = cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return !flagged.hasNoSignedWrap() && !flagged.hasNoUnsignedWrap();
}

/// Returns whether one operand is constant and the other is an op of the same
/// family with a constant, as upstream's patterns require.
static bool isMerged(Operation *op) {
  for (unsigned side : {0u, 1u}) {
    Operation *inner = op->getOperand(side).getDefiningOp();
    if (inner && isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner) &&
        matchPattern(op->getOperand(1 - side), m_Constant()) &&
        llvm::any_of(inner->getOperands(), [](Value operand) {
          return matchPattern(operand, m_Constant());
        }))
      return true;
  }
  return false;
}

namespace {
template <typename OpT> struct DropFlagsOfMerged final : OpRewritePattern<OpT> {
  // The benefit is higher than that of any upstream pattern, 1 or 2.
  explicit DropFlagsOfMerged(MLIRContext *context)
      : OpRewritePattern<OpT>(context, /*benefit=*/100) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (isWithoutFlags(op))
      return rewriter.notifyMatchFailure(op, "there is no flag");
    if (!isMerged(op))
      return rewriter.notifyMatchFailure(op, "there are no two constants");
    rewriter.modifyOpInPlace(
        op, [&] { op.setOverflowFlags(arith::IntegerOverflowFlags::none); });
    return success();
  }
};
} // namespace

void distaff::populateFlaglessConstants(RewritePatternSet &patterns) {
  patterns
      .add<DropFlagsOfMerged<arith::AddIOp>, DropFlagsOfMerged<arith::SubIOp>,
           DropFlagsOfMerged<arith::MulIOp>>(patterns.getContext());
}
