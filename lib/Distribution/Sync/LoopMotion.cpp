//===- LoopMotion.cpp - Steps of indices in loops -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one function per kind of value. A value that is not linear in the
// counters of loops has no motion, unless no loop moves its operands.
//
//===----------------------------------------------------------------------===//
#include "LoopMotion.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;

int64_t LoopMotion::along(Operation *loop) const {
  for (auto [mover, step] : steps)
    if (mover == loop)
      return step;
  return 0;
}

/// Returns a + factor * b, or nothing where that overflows.
static std::optional<LoopMotion> sum(const LoopMotion &a, int64_t factor,
                                     const LoopMotion &b) {
  LoopMotion result = a;
  for (auto [loop, step] : b.steps) {
    int64_t scaled, total;
    if (llvm::MulOverflow(factor, step, scaled) ||
        llvm::AddOverflow(result.along(loop), scaled, total))
      return std::nullopt;
    llvm::erase_if(result.steps,
                   [&](const auto &known) { return known.first == loop; });
    result.steps.push_back({loop, total});
  }
  return result;
}

/// Returns the motion of index arithmetic whose expression is linear.
static std::optional<LoopMotion> motionOf(AffineExpr expr, unsigned numDims,
                                          ValueRange operands,
                                          const LoopMotions &motions) {
  if (isa<AffineConstantExpr>(expr))
    return LoopMotion();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return motions.of(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return motions.of(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<LoopMotion> lhs =
      motionOf(binary.getLHS(), numDims, operands, motions);
  std::optional<LoopMotion> rhs =
      motionOf(binary.getRHS(), numDims, operands, motions);
  if (!lhs || !rhs)
    return std::nullopt;
  if (lhs->steps.empty() && rhs->steps.empty())
    return LoopMotion();
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Add)
    return sum(*lhs, 1, *rhs);
  if (expr.getKind() == AffineExprKind::Mul && factor)
    return sum(LoopMotion(), factor.getValue(), *lhs);
  return std::nullopt;
}

/// Returns the motion of a counter: its loop's step, from a start that outer
/// loops may move.
static std::optional<LoopMotion> motionOf(BlockArgument argument,
                                          const LoopMotions &motions) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<FunctionOpInterface, scf::ForallOp>(parent))
    return LoopMotion(); // one place per workgroup
  auto loop = dyn_cast<scf::ForOp>(parent);
  std::optional<int64_t> step =
      loop ? getConstantIntValue(loop.getStep()) : std::nullopt;
  if (!step || argument != loop.getInductionVar())
    return std::nullopt;
  std::optional<LoopMotion> start = motions.of(loop.getLowerBound());
  if (!start)
    return std::nullopt;
  return sum(*start, 1, LoopMotion{{{loop, *step}}});
}

/// Returns the motion of a sum, difference or product of two values.
static std::optional<LoopMotion> motionOf(Operation *op,
                                          const LoopMotions &motions) {
  std::optional<LoopMotion> lhs = motions.of(op->getOperand(0));
  std::optional<LoopMotion> rhs = motions.of(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (!isa<arith::MulIOp>(op))
    return sum(*lhs, isa<arith::AddIOp>(op) ? 1 : -1, *rhs);
  for (auto [moved, other] : {std::pair(&*lhs, op->getOperand(1)),
                              std::pair(&*rhs, op->getOperand(0))})
    if (std::optional<int64_t> factor = getConstantIntValue(other))
      return sum(LoopMotion(), *factor, *moved);
  if (!lhs->steps.empty() || !rhs->steps.empty())
    return std::nullopt;
  return LoopMotion();
}

bool distaff::isLoopInWorkgroup(Operation *op) {
  return isa<LoopLikeOpInterface>(op) && !isa<scf::ForallOp>(op);
}

/// Returns the innermost loop around `op` that a workgroup repeats, or null.
static Operation *loopAround(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  while (loop && isa<scf::ForallOp>(loop))
    loop = loop->getParentOfType<LoopLikeOpInterface>();
  return loop;
}

LoopMotions::LoopMotions(FunctionOpInterface function) {
  function.walk([&](Operation *op) {
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex())
      return;
    Value result = op->getResult(0);
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
      arithmetic[result] = motionOf(apply.getAffineMap().getResult(0),
                                    apply.getAffineMap().getNumDims(),
                                    apply.getMapOperands(), *this);
    else if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      arithmetic[result] = motionOf(op, *this);
  });
}

std::optional<LoopMotion> LoopMotions::of(Value index) const {
  auto found = arithmetic.find(index);
  if (found != arithmetic.end())
    return found->second;
  if (auto argument = dyn_cast<BlockArgument>(index))
    return motionOf(argument, *this);
  Operation *op = index.getDefiningOp();
  if (!loopAround(op) || op->hasTrait<OpTrait::ConstantLike>())
    return LoopMotion();
  return std::nullopt;
}
