//===- ControlFlow.cpp - Loops and branches over tensors ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %r = scf.if %go -> tensor<8xf32> {
//     %y = math.exp %x                 %y = math.exp %x
//     scf.yield %y               ->    %r = linalg.generic ins(%y, %x) {
//   } else {                             arith.select %go, %in, %in_0
//     scf.yield %x                     }
//   }
//
// Launches follow one another without asking the host for anything, so nothing
// is decided between them.
//
//===----------------------------------------------------------------------===//
#include "ControlFlow.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace distaff;

/// Ops that a loop may become. Each is a launch at worst.
static constexpr int64_t mostOps = 1024;

static bool carriesTensors(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// An op that must not run where its branch is not taken; null if there is
/// none.
static Operation *findConditional(Region &region) {
  Operation *found = nullptr;
  region.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, linalg::SoftmaxOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>() || isSpeculatable(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static bool haveEqualExtents(Value one, Value other) {
  auto type = dyn_cast<RankedTensorType>(one.getType());
  if (!type || one == other)
    return true;
  return llvm::all_of(llvm::seq(type.getRank()), [&](int64_t dim) {
    return !type.isDynamicDim(dim) ||
           ValueBoundsConstraintSet::areEqual({one, dim}, {other, dim})
               .value_or(false);
  });
}

static Value select(OpBuilder &b, Location loc, Value condition, Value taken,
                    Value other) {
  auto type = dyn_cast<RankedTensorType>(taken.getType());
  if (!type)
    return arith::SelectOp::create(b, loc, condition, taken, other);
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, taken), type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(
             b, loc, empty.getType(), ValueRange{taken, other}, empty,
             ArrayRef<AffineMap>{identity, identity, identity},
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &inside, Location, ValueRange args) {
               Value kept = arith::SelectOp::create(inside, loc, condition,
                                                    args[0], args[1]);
               linalg::YieldOp::create(inside, loc, kept);
             })
      .getResult(0);
}

static LogicalResult takeBothWays(RewriterBase &rewriter, scf::IfOp branch) {
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (Operation *conditional = findConditional(*region)) {
      InFlightDiagnostic diagnostic = branch.emitOpError(
          "over tensors is computed both ways, of which one is selected, and "
          "one of its ops may not run where its branch is not taken; give it "
          "operands that it can always run with, by arith.select say");
      diagnostic.attachNote(conditional->getLoc())
          << "'" << conditional->getName() << "'";
      return diagnostic;
    }
  SmallVector<Value> taken(branch.thenYield().getResults()),
      other(branch.elseYield().getResults());
  for (auto [number, ours, theirs] : llvm::enumerate(taken, other))
    if (!haveEqualExtents(ours, theirs))
      return branch.emitOpError("result ")
             << number
             << " may have other extents one way than the other; yield what "
                "has "
                "the extents of one tensor both ways, by "
                "tensor.extract_slice say";
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    Operation *yield = region->front().getTerminator();
    rewriter.inlineBlockBefore(&region->front(), branch);
    rewriter.eraseOp(yield);
  }
  rewriter.setInsertionPoint(branch);
  SmallVector<Value> results;
  for (auto [ours, theirs] : llvm::zip_equal(taken, other))
    results.push_back(
        select(rewriter, branch.getLoc(), branch.getCondition(), ours, theirs));
  rewriter.replaceOp(branch, results);
  return success();
}

static int64_t countOps(scf::ForOp loop) {
  int64_t count = 0;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    count += !op->hasTrait<OpTrait::IsTerminator>();
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  return count;
}

static LogicalResult writeOut(RewriterBase &rewriter, scf::ForOp loop) {
  std::optional<llvm::APInt> trips = loop.getStaticTripCount();
  if (!trips)
    return loop.emitOpError(
        "over tensors has a number of iterations that is not known here; give "
        "it constant bounds, or launch a kernel of its body once for each");
  if (trips->isZero()) {
    rewriter.replaceOp(loop, loop.getInitArgs());
    return success();
  }
  int64_t count = trips->getActiveBits() < 32 ? trips->getSExtValue() : mostOps;
  if (saturatingProduct(count, countOps(loop)) > mostOps)
    return loop.emitOpError("over tensors has ")
           << count << " iterations of " << countOps(loop)
           << " ops, each of which is written out, more than " << mostOps
           << " in all; let linalg.generic have the loop as one of its own, or "
              "launch a kernel of its body once for each";
  return loopUnrollFull(loop);
}

LogicalResult distaff::straightenControlFlow(func::FuncOp kernel) {
  SmallVector<Operation *> found;
  kernel.walk([&](Operation *op) { // inner ones first
    if (isa<scf::ForOp, scf::IfOp>(op) && carriesTensors(op))
      found.push_back(op);
  });
  if (found.empty())
    return success();
  // What has the extents of what is asked of linalg ops.
  RewritePatternSet elementwise(kernel.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(elementwise);
  walkAndApplyPatterns(kernel, std::move(elementwise));
  IRRewriter rewriter(kernel.getContext());
  for (Operation *op : found) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (failed(branch ? takeBothWays(rewriter, branch)
                      : writeOut(rewriter, cast<scf::ForOp>(op))))
      return failure();
  }
  // Positions that the loops counted are numbers now.
  RewritePatternSet patterns(kernel.getContext());
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                      kernel.getContext());
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns,
                                                     kernel.getContext());
  return applyPatternsGreedily(kernel, std::move(patterns));
}
