//===- LowerMath.cpp - Legalization of math functions ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that both targets have as instructions stay: exp2 in f32, square roots,
// rounding, fma, sign and bit counts. exp(x) is exp2(x log2 e); the rest is
// upstream's expansions and polynomials, in f32 for narrower types. No call to
// a device library remains, because none is linked.
//
// A CPU has no exp2, so exp2 and exp are polynomials there. It has a library
// with the functions of f64.
//
//===----------------------------------------------------------------------===//
#include "LowerMathFunctions.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERMATH
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

constexpr double kLog2E = 1.442695040888963407359924681001892137;

/// Returns whether an op is exp2 or has an instruction in every float type that
/// kernels use.
bool isNative(Operation *op) {
  if (isa<math::Exp2Op>(op))
    return op->getResult(0).getType().isF32();
  return isa<math::SqrtOp, math::RsqrtOp, math::FmaOp, math::AbsFOp,
             math::AbsIOp, math::CopySignOp, math::FloorOp, math::CeilOp,
             math::TruncOp, math::RoundOp, math::RoundEvenOp, math::CtPopOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::IsNaNOp>(op);
}

/// Returns whether an op is computed in f32 if its type is narrower.
bool isTranscendental(StringRef name) {
  static const llvm::StringSet<> names = {
      "math.acos",  "math.acosh", "math.asin",  "math.asinh", "math.atan",
      "math.atan2", "math.atanh", "math.cbrt",  "math.cos",   "math.cosh",
      "math.erf",   "math.exp",   "math.exp2",  "math.expm1", "math.fpowi",
      "math.log",   "math.log10", "math.log1p", "math.log2",  "math.powf",
      "math.sin",   "math.sinh",  "math.tan",   "math.tanh"};
  return names.contains(name);
}

/// Returns whether upstream approximates the op in f32 to within a few units.
bool hasPolynomial(StringRef name) {
  static const llvm::StringSet<> names = {
      "math.acos", "math.asin", "math.atan",  "math.atan2", "math.cbrt",
      "math.cos",  "math.erf",  "math.expm1", "math.log",   "math.log1p",
      "math.log2", "math.sin",  "math.tanh"};
  return names.contains(name);
}

/// Functions that are combinations of others.
const StringRef kExpanded[] = {"acosh", "asinh", "atanh", "cosh",
                               "fpowi", "powf",  "sinh",  "tan"};

struct ExpToExp2 final : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "only f32 has exp2");
    Value factor = arith::ConstantOp::create(rewriter, op.getLoc(),
                                             rewriter.getF32FloatAttr(kLog2E));
    Value scaled = arith::MulFOp::create(rewriter, op.getLoc(), op.getOperand(),
                                         factor, op.getFastmathAttr());
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, scaled, op.getFastmathAttr());
    return success();
  }
};

struct ExpandExponential final : RewritePattern {
  explicit ExpandExponential(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/10, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return isa<math::ExpOp, math::Exp2Op>(op)
               ? expandExponential(op, rewriter)
               : rewriter.notifyMatchFailure(op, "is no exponential");
  }
};

struct LowerMath final : distaff::impl::LowerMathBase<LowerMath> {
  using LowerMathBase::LowerMathBase;

  void runOnOperation() override {
    if (failed(dropRoundingModes()))
      return signalPassFailure();
    if (!hasWork())
      return;
    expandWhereUpstreamIsInaccurate();
    RewritePatternSet patterns(&getContext());
    if (ofHost)
      patterns.add<ExpandExponential>(&getContext());
    else
      patterns.add<ExpToExp2>(&getContext());
    math::populateExpansionPatterns(patterns, kExpanded);
    populateMathF32ExpansionPatterns(patterns, isTranscendental);
    populateMathPolynomialApproximationPatterns(patterns, hasPolynomial);
    // Ops that the target has are excluded: expansions of f64 lose digits. The
    // check below reports ops for which this does not converge.
    GreedyRewriteConfig onlyThese;
    onlyThese.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(foreignOps(), guarded(std::move(patterns)),
                                  onlyThese);
    reportLeftovers();
  }

private:
  /// Removes rounding modes that round to nearest, which is also the default.
  LogicalResult dropRoundingModes() {
    WalkResult walked =
        getOperation()->walk([](arith::ArithRoundingModeInterface op) {
          arith::RoundingModeAttr mode = op.getRoundingModeAttr();
          if (!mode)
            return WalkResult::advance();
          if (mode.getValue() == arith::RoundingMode::to_nearest_even) {
            op->removeAttr(op.getRoundingModeAttrName());
            return WalkResult::advance();
          }
          op->emitOpError("to ") << op->getResult(0).getType() << " rounds "
                                 << stringifyRoundingMode(mode.getValue())
                                 << "; kernels round to_nearest_even";
          return WalkResult::interrupt();
        });
    return failure(walked.wasInterrupted());
  }
  /// Runs once: the expansions use upstream's for functions of other numbers.
  void expandWhereUpstreamIsInaccurate() {
    IRRewriter rewriter(&getContext());
    splitSincos(getOperation(), rewriter);
    for (Operation *op : foreignOps())
      if (auto remainder = dyn_cast<arith::RemFOp>(op))
        expandRemainder(remainder, rewriter);
      else
        (void)expandAccurately(op, rewriter); // on failure upstream's expansion
                                              // applies
  }
  template <typename Visit> void forEachForeign(Visit visit) {
    getOperation().walk([&](Operation *op) {
      if ((isa_and_present<math::MathDialect>(op->getDialect()) ||
           isa<arith::RemFOp>(op)) &&
          !has(op))
        visit(op);
    });
  }
  SmallVector<Operation *> foreignOps() {
    SmallVector<Operation *> ops;
    forEachForeign([&](Operation *op) { ops.push_back(op); });
    return ops;
  }
  /// Returns whether the target or its library has the op.
  bool has(Operation *op) {
    if (ofHost && isa<math::Exp2Op>(op))
      return getElementTypeOrSelf(op->getResult(0)).isF64();
    if (isa<arith::RemFOp>(op)) // in C's library
      return ofHost;
    if (isa<math::FPowIOp>(op)) // LLVM's op has one exponent for all elements
      return false;
    if (isa<math::ClampFOp, math::IsFiniteOp, math::IsInfOp, math::IsNormalOp,
            math::IPowIOp, math::SincosOp>(op))
      return false;
    return isNative(op) ||
           (ofHost && getElementTypeOrSelf(op->getResult(0)).isF64());
  }
  bool hasWork() {
    bool found = false;
    forEachForeign([&](Operation *) { found = true; });
    return found;
  }
  /// Reports once for ops that were unrolled and distributed from one op.
  void reportLeftovers() {
    llvm::DenseSet<std::pair<Attribute, OperationName>> reported;
    forEachForeign([&](Operation *op) {
      if (!reported.insert({op->getLoc(), op->getName()}).second)
        return;
      Type type = op->getResult(0).getType();
      op->emitOpError("on ") << type << " has no instruction and no expansion "
                             << (ofHost ? "for CPUs" : "for GPUs");
      signalPassFailure();
    });
  }
};

} // namespace
