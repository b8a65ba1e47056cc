//===- UnrollRings.cpp - Unrolling of loops by the depth of their rings ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iteration n of a loop over a ring of d slots reads slot n mod d and fills
// slot (n + d - 1) mod d. A slot that the iteration computes is part of every
// address; in d consecutive iterations each slot is a constant:
//
//   for %k = 0 to %n step 32 {          for %k = 0 to %n - %n mod 64 step 64 {
//     %i = %k / 32                        ... = load %ring[0, ...]
//     %slot = %i mod 2             =>     ... = load %ring[1, ...]
//     ... = load %ring[%slot, ...]      }
//   }                                   the same for an iteration that is left
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/IndexFacts.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

namespace distaff {
#define GEN_PASS_DEF_UNROLLRINGS
#include "distaff/Staging/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// The limit of ops of an unrolled loop. One of 256 matrix products and their
/// reads has some 800.
static constexpr int64_t mostOps = 2048;

static std::optional<int64_t> numberOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  std::optional<int64_t> lhs = numberOf(product.getLhs()),
                         rhs = numberOf(product.getRhs());
  return lhs && rhs ? std::optional(*lhs * *rhs) : std::nullopt;
}

namespace {
/// Finds the slots that a loop from 0 computes in each iteration.
class RingSlots {
public:
  /// `step` is that of the iterations that are counted.
  RingSlots(Value counter, int64_t step) : counter(counter), step(step) {}

  /// A slot is (n + ahead) mod depth in iteration n.
  struct Slot {
    int64_t ahead, depth;
  };
  std::optional<Slot> slotOf(Operation *op) const {
    auto rest = dyn_cast<arith::RemUIOp>(op);
    std::optional<int64_t> depth =
        rest ? numberOf(rest.getRhs()) : std::nullopt;
    std::optional<int64_t> ahead =
        depth && *depth > 0 ? iterationOf(rest.getLhs()) : std::nullopt;
    return ahead ? std::optional(Slot{*ahead, *depth}) : std::nullopt;
  }

private:
  /// Returns the constant that a value is ahead of the counter, not negative.
  std::optional<int64_t> positionOf(Value value) const {
    if (value == counter)
      return 0;
    return sumOf(value, [&](Value part) { return positionOf(part); });
  }
  /// Returns the number of iterations that a value is ahead of the current one.
  std::optional<int64_t> iterationOf(Value value) const {
    auto quotient = value.getDefiningOp<arith::DivUIOp>();
    std::optional<int64_t> position;
    if (step == 1)
      position = positionOf(value);
    else if (quotient && numberOf(quotient.getRhs()) == step)
      position = positionOf(quotient.getLhs());
    if (position)
      return *position / step;
    return sumOf(value, [&](Value part) { return iterationOf(part); });
  }
  std::optional<int64_t>
  sumOf(Value value,
        llvm::function_ref<std::optional<int64_t>(Value)> of) const {
    auto sum = value.getDefiningOp<arith::AddIOp>();
    std::optional<int64_t> rhs = sum ? numberOf(sum.getRhs()) : std::nullopt;
    if (!rhs || *rhs < 0)
      return std::nullopt;
    std::optional<int64_t> lhs = of(sum.getLhs());
    return lhs ? std::optional(*lhs + *rhs) : std::nullopt;
  }

  Value counter;
  int64_t step;
};
} // namespace

/// Returns the depth of the rings of a loop; 1 where it has none, and where
/// rings of several depths or long iterations would make it too long.
static int64_t depthOf(scf::ForOp loop, const RingSlots &slots) {
  int64_t depth = 1, ops = 0;
  loop.getBody()->walk([&](Operation *op) {
    ++ops;
    if (std::optional<RingSlots::Slot> slot = slots.slotOf(op))
      depth = std::lcm(depth, std::min(slot->depth, mostOps));
  });
  return depth * ops <= mostOps ? depth : 1;
}

/// Returns whether a loop of this kernel accesses workgroup memory.
static bool hasPanels(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](Operation *op) {
        return llvm::any_of(
                   op->getOperandTypes(),
                   [](Type type) {
                     auto memory = dyn_cast<MemRefType>(type);
                     return memory &&
                            gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                                memory);
                   })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether iterations are counted from 0 by a constant. Upstream's trip
/// count is wrong where a loop ends before it begins.
static bool isCounted(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return getConstantIntValue(loop.getLowerBound()) == 0 && step && *step > 0 &&
         !loop.getUnsignedCmp() &&
         IndexFacts().isNonNegative(loop.getUpperBound());
}

static LogicalResult unroll(scf::ForOp loop) {
  if (!isCounted(loop) || !hasPanels(loop))
    return success();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  RingSlots slots(loop.getInductionVar(), *step);
  int64_t depth = depthOf(loop, slots);
  if (depth == 1)
    return success();
  FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, depth);
  if (failed(unrolled))
    return failure();
  // A loop of fewer iterations has no unrolled part, or is one iteration.
  if (!unrolled->mainLoopOp)
    return success();
  scf::ForOp main = *unrolled->mainLoopOp;
  RingSlots ofMain(main.getInductionVar(), *step);
  IRRewriter rewriter(loop.getContext());
  main.getBody()->walk([&](Operation *op) {
    std::optional<RingSlots::Slot> slot = ofMain.slotOf(op);
    if (!slot)
      return;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, slot->ahead %
                                                                slot->depth);
  });
  return success();
}

namespace {
struct UnrollRings final : distaff::impl::UnrollRingsBase<UnrollRings> {
  void runOnOperation() override {
    // Skips code without matrix products, which would double for a few sums.
    WalkResult product = getOperation().walk(
        [](iree::InnerTiledOp) { return WalkResult::interrupt(); });
    if (!product.wasInterrupted())
      return markAllAnalysesPreserved();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
  }
};
} // namespace
