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
// Launches follow one another without host control flow, so no branch is taken
// between them.
//
//===----------------------------------------------------------------------===//
#include "ControlFlow.h"
#include "../PreparedLaunch.h"
#include "ConditionalLoops.h"
#include "Recurrences.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace distaff;

/// The most ops that a loop may become. Each is a launch at worst.
static constexpr int64_t mostOps = 1024;

/// The most ops of a loop that is unrolled though it could be one launch,
/// because its steps may fuse with other ops.
static constexpr int64_t fewOps = 128;

/// Returns whether a divisor is the same nonzero number everywhere.
static bool isSafeDivisor(Value divisor, bool isSigned) {
  if (auto argument = dyn_cast<BlockArgument>(divisor))
    if (auto op =
            dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp()))
      divisor = op->getOperand(argument.getArgNumber());
  if (auto fill = divisor.getDefiningOp<linalg::FillOp>())
    divisor = fill.value();
  llvm::APInt value;
  return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() &&
         !(isSigned && value.isAllOnes());
}

static bool mayAlwaysRun(Operation *op) {
  if (isa<linalg::LinalgOp, linalg::SoftmaxOp>(op) || preparedLaunchOf(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || isSpeculatable(op) ||
      // The ops inside are checked themselves; guardLoop makes the third one
      // end.
      isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
    return true;
  if (isa<arith::DivUIOp, arith::RemUIOp>(op))
    return isSafeDivisor(op->getOperand(1), /*isSigned=*/false);
  return isa<arith::DivSIOp, arith::RemSIOp>(op) &&
         isSafeDivisor(op->getOperand(1), /*isSigned=*/true);
}

/// Returns an op that must not run where its branch is not taken; null if there
/// is none.
static Operation *findConditional(Region &region) {
  Operation *found = nullptr;
  region.walk([&](Operation *op) {
    if (mayAlwaysRun(op))
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

/// Guards loops by the branch's condition: they may not end where it is not
/// taken.
static void guardLoops(RewriterBase &rewriter, scf::IfOp branch) {
  SmallVector<scf::WhileOp> loops, others;
  branch.getThenRegion().walk(
      [&](scf::WhileOp loop) { loops.push_back(loop); });
  branch.getElseRegion().walk(
      [&](scf::WhileOp loop) { others.push_back(loop); });
  for (scf::WhileOp loop : loops)
    guardLoop(rewriter, loop, branch.getCondition());
  if (others.empty())
    return;
  rewriter.setInsertionPoint(branch);
  Value one = arith::ConstantIntOp::create(rewriter, branch.getLoc(), 1, 1);
  Value isOther = arith::XOrIOp::create(rewriter, branch.getLoc(),
                                        branch.getCondition(), one);
  for (scf::WhileOp loop : others)
    guardLoop(rewriter, loop, isOther);
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
  guardLoops(rewriter, branch);
  SmallVector<Value> taken(branch.thenYield().getResults()),
      other(branch.elseYield().getResults());
  for (auto [number, ours, theirs] : llvm::enumerate(taken, other))
    if (!haveEqualExtents(ours, theirs))
      return branch.emitOpError("result ")
             << number
             << " may have other extents one way than the other; yield what "
                "has the extents of one tensor both ways, by "
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

/// Returns the trip count of a loop, for any type of counter; none where its
/// bounds are not constant.
static std::optional<int64_t> countTrips(scf::ForOp loop) {
  llvm::APInt first, end, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&end)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  // Wide enough for differences.
  constexpr unsigned width = 128;
  auto widen = [&](const llvm::APInt &value) {
    return loop.getUnsignedCmp() ? value.zext(width) : value.sext(width);
  };
  llvm::APInt length = widen(end) - widen(first), by = widen(step);
  if (by.isNonPositive())
    return std::nullopt;
  if (length.isNonPositive())
    return 0;
  llvm::APInt trips =
      llvm::APIntOps::RoundingUDiv(length, by, llvm::APInt::Rounding::UP);
  return trips.getLimitedValue(std::numeric_limits<int32_t>::max());
}

/// Returns the ops that a loop becomes when it is fully unrolled; none where
/// its trip count is not known. Each iteration counts, though it may have no
/// ops.
static std::optional<int64_t> countWrittenOut(scf::ForOp loop) {
  std::optional<int64_t> trips = countTrips(loop);
  if (!trips)
    return std::nullopt;
  return saturatingProduct(*trips, std::max<int64_t>(1, countOps(loop)));
}

void distaff::raiseRecurrences(func::FuncOp kernel) {
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return; // a later check reports it
  for (auto loop :
       llvm::to_vector(kernel.getBody().front().getOps<scf::ForOp>())) {
    std::optional<int64_t> ops = countWrittenOut(loop);
    NoRecurrence why;
    if (loop.getNumResults() == 0 || (ops && *ops <= fewOps))
      continue;
    if (std::optional<Recurrence> plan = planRecurrence(loop, *formulas, why))
      writeRecurrence(*plan);
  }
}

/// Emits an error at the op that a loop was in the source.
static InFlightDiagnostic emitLoopError(scf::ForOp loop) {
  if (isScalarLoop(loop.getUpperBound().getDefiningOp()))
    return loop.emitError()
           << "'" << scf::WhileOp::getOperationName() << "' op ";
  return loop.emitOpError();
}

/// Reports why a loop that is not unrolled is no recurrence either.
static LogicalResult refuseLoop(InFlightDiagnostic diagnostic,
                                scf::ForOp loop) {
  auto kernel = loop->getParentOfType<func::FuncOp>();
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  NoRecurrence why;
  if (succeeded(formulas) && !planRecurrence(loop, *formulas, why) && why.op) {
    // Assertions are checks by now (BodyAssertions.cpp).
    StringRef name = isa<core::CheckOp>(why.op)
                         ? cf::AssertOp::getOperationName()
                         : why.op->getName().getStringRef();
    diagnostic.attachNote(why.op->getLoc())
        << "it is not one launch that walks the loop, for '" << name << "' "
        << why.reason;
  }
  return diagnostic;
}

/// Unrolls a loop fully; `budget` is the number of ops that all loops may still
/// become.
static LogicalResult writeOut(RewriterBase &rewriter, scf::ForOp loop,
                              int64_t &budget) {
  std::optional<int64_t> trips = countTrips(loop);
  if (!trips)
    return refuseLoop(
        emitLoopError(loop)
            << "over tensors has a number of iterations that is not "
               "known here; give it constant bounds, or launch a "
               "kernel of its body once for each",
        loop);
  int64_t count = *trips, total = *countWrittenOut(loop);
  if (total > budget)
    return refuseLoop(
        loop.emitOpError("over tensors has ")
            << count << " iterations of " << countOps(loop)
            << " ops, each of which is written out, more than " << mostOps
            << " in all; let linalg.generic have the loop as one of its own, "
               "or launch a kernel of its body once for each",
        loop);
  budget -= total;
  rewriter.setInsertionPoint(loop);
  llvm::APInt first, step;
  matchPattern(loop.getLowerBound(), m_ConstantInt(&first));
  matchPattern(loop.getStep(), m_ConstantInt(&step));
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t trip = 0; trip < count; ++trip, first += step) {
    IRMapping mapping;
    mapping.map(
        loop.getInductionVar(),
        arith::ConstantOp::create(
            rewriter, loop.getLoc(),
            rewriter.getIntegerAttr(loop.getInductionVar().getType(), first)));
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator()) {
      // Bounds of inner loops may be computed from the position.
      Operation *copy = rewriter.clone(op, mapping);
      SmallVector<Value> folded;
      if (!isa<linalg::LinalgOp>(copy) &&
          succeeded(rewriter.tryFold(copy, folded)) && !folded.empty()) {
        mapping.map(op.getResults(), folded);
        rewriter.eraseOp(copy);
      }
    }
    carried = llvm::map_to_vector(
        loop.getBody()->getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  }
  rewriter.replaceOp(loop, carried);
  return success();
}

/// Replaces switches that have results by branches.
static void branchOnSwitches(func::FuncOp kernel) {
  SmallVector<scf::IndexSwitchOp> switches;
  // Inner ones come first.
  kernel.walk([&](scf::IndexSwitchOp op) {
    if (op->getNumResults() > 0)
      switches.push_back(op);
  });
  IRRewriter rewriter(kernel.getContext());
  for (scf::IndexSwitchOp op : switches)
    branchOnCases(rewriter, op);
}

LogicalResult distaff::selectBranches(func::FuncOp kernel) {
  branchOnSwitches(kernel);
  SmallVector<scf::IfOp> branches;
  // Inner ones come first.
  kernel.walk([&](scf::IfOp branch) {
    if (llvm::any_of(branch.getResultTypes(), llvm::IsaPred<TensorType>))
      branches.push_back(branch);
  });
  IRRewriter rewriter(kernel.getContext());
  for (scf::IfOp branch : branches)
    if (failed(takeBothWays(rewriter, branch)))
      return failure();
  return success();
}

LogicalResult distaff::countConditionalLoops(func::FuncOp kernel) {
  branchOnSwitches(kernel);
  IRRewriter rewriter(kernel.getContext());
  for (auto loop :
       llvm::to_vector(kernel.getBody().front().getOps<scf::WhileOp>()))
    if (!isScalarLoop(loop) && failed(countLoop(rewriter, loop)))
      return failure();
  return success();
}

/// Returns the first loop or branch of a block's ops; null if there is none.
static Operation *findControlFlow(Block &block) {
  for (Operation &op : block)
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) &&
        op.getNumResults() > 0 && !isScalarLoop(&op))
      return &op;
  return nullptr;
}

static LogicalResult straighten(RewriterBase &rewriter, Block &block,
                                int64_t &budget);

/// Replaces a loop with a dynamic trip count by one launch, if it is a
/// recurrence once its steps have no control flow.
static LogicalResult raiseLoop(RewriterBase &rewriter, scf::ForOp loop,
                               int64_t &budget) {
  if (failed(straighten(rewriter, *loop.getBody(), budget)))
    return failure();
  auto kernel = dyn_cast<func::FuncOp>(loop->getParentOp());
  FailureOr<ExtentFormulas> formulas = failure();
  if (kernel)
    formulas = ExtentFormulas::get(kernel);
  NoRecurrence why;
  std::optional<Recurrence> plan;
  if (succeeded(formulas))
    plan = planRecurrence(loop, *formulas, why);
  if (!plan)
    return writeOut(rewriter, loop, budget);
  writeRecurrence(*plan);
  return success();
}

// Proceeds from the outside, so that bounds counted by an outer loop are
// constant.
static LogicalResult straighten(RewriterBase &rewriter, Block &block,
                                int64_t &budget) {
  while (Operation *op = findControlFlow(block)) {
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      if (failed(countLoop(rewriter, loop)))
        return failure();
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(takeBothWays(rewriter, branch)))
        return failure();
    } else {
      auto loop = cast<scf::ForOp>(op);
      if (failed(countTrips(loop) ? writeOut(rewriter, loop, budget)
                                  : raiseLoop(rewriter, loop, budget)))
        return failure();
    }
  }
  return success();
}

/// Erases loops that counted iterations: the launches have clones of them.
static void eraseScalarLoops(RewriterBase &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isScalarLoop(&op) && op.use_empty())
      rewriter.eraseOp(&op);
}

LogicalResult distaff::straightenControlFlow(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  Block &body = kernel.getBody().front();
  eraseScalarLoops(rewriter, body);
  if (!findControlFlow(body))
    return success();
  // Ops that carry the extents of elementwise ops become linalg.
  RewritePatternSet elementwise(kernel.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(elementwise);
  walkAndApplyPatterns(kernel, guarded(std::move(elementwise)));
  int64_t budget = mostOps;
  if (failed(straighten(rewriter, body, budget)))
    return failure();
  eraseScalarLoops(rewriter, body);
  // Positions that the loops counted are constants now.
  RewritePatternSet patterns(kernel.getContext());
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                      kernel.getContext());
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns,
                                                     kernel.getContext());
  return applyPatternsGreedily(kernel, guarded(std::move(patterns)));
}
