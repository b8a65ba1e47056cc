//===- IndexFacts.cpp - Divisibility and known bits of indices ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one case per operation. A value whose facts are being computed
// further up the stack (a loop-carried value) has no known facts.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/IndexFacts.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace distaff;
using llvm::KnownBits;

static constexpr unsigned kWidth = 64;

IndexFacts::Fact IndexFacts::Fact::unknown() { return {1, KnownBits(kWidth)}; }

IndexFacts::Fact IndexFacts::Fact::bounded(unsigned bits) {
  Fact fact = unknown();
  fact.bits.Zero.setBitsFrom(bits);
  return fact;
}

int64_t IndexFacts::divisor(Value value) { return get(value).divisor; }

bool IndexFacts::isNonNegative(Value value) {
  return get(value).isNonNegative();
}

bool IndexFacts::isBelow(Value value, int64_t bound) {
  const KnownBits &bits = get(value).bits;
  return bits.isNonNegative() && bits.getMaxValue().slt(bound);
}

bool IndexFacts::areDisjoint(Value value, uint64_t number) {
  return (~get(value).bits.Zero & number).isZero();
}

std::optional<int64_t> IndexFacts::constant(Value value) {
  const KnownBits &bits = get(value).bits;
  if (!bits.isConstant())
    return std::nullopt;
  return bits.getConstant().getSExtValue();
}

const IndexFacts::Fact &IndexFacts::get(Value value) {
  auto [it, isNew] = facts.try_emplace(value, Fact::unknown());
  if (!isNew)
    return it->second;
  Fact fact = compute(value);
  // The divisor's power of two and known trailing zeros are one fact.
  constexpr int64_t kLarge = int64_t(1) << 31;
  if (fact.bits.isZero())
    fact.divisor = 0;
  if (fact.divisor != 0 && fact.divisor < kLarge) {
    fact.bits.Zero.setLowBits(llvm::countr_zero(uint64_t(fact.divisor)));
    unsigned zeros = std::min(31u, fact.bits.countMinTrailingZeros());
    fact.divisor = std::lcm(fact.divisor, int64_t(1) << zeros);
  }
  return facts[value] = fact;
}

IndexFacts::Fact IndexFacts::Fact::constant(int64_t number) {
  return {std::abs(number),
          KnownBits::makeConstant(APInt(kWidth, number, /*isSigned=*/true))};
}

IndexFacts::Fact IndexFacts::get(OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return get(value);
  return Fact::constant(*getConstantIntValue(number));
}

IndexFacts::Fact IndexFacts::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= 62)
    return Fact::constant(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofBlockArgument(argument);
  return ofOperation(value.getDefiningOp());
}

/// Returns the facts of a loop's counter, which is between its bounds.
IndexFacts::Fact IndexFacts::ofBlockArgument(BlockArgument argument) {
  if (auto forall =
          dyn_cast<scf::ForallOp>(argument.getOwner()->getParentOp())) {
    unsigned dim = argument.getArgNumber();
    if (dim >= forall.getRank()) // a shared output
      return Fact::unknown();
    return ofCounter(forall.getMixedLowerBound()[dim],
                     forall.getMixedUpperBound()[dim],
                     forall.getMixedStep()[dim]);
  }
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar())
    return Fact::unknown();
  return ofCounter(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
}

IndexFacts::Fact IndexFacts::ofCounter(OpFoldResult from, OpFoldResult to,
                                       OpFoldResult step) {
  Fact lower = get(from), upper = get(to);
  Fact fact = Fact::unknown();
  fact.divisor = std::gcd(lower.divisor, get(step).divisor);
  if (lower.isNonNegative()) {
    fact.bits.makeNonNegative();
    if (upper.isNonNegative())
      fact.bits.Zero.setBitsFrom(upper.bits.countMaxActiveBits());
  }
  return fact;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

int64_t distaff::divisorOfProduct(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? 1 : product;
}

/// Returns the bits of a thread's id along a dim, from the workgroup's size.
static unsigned threadIdBits(gpu::ThreadIdOp op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  LaunchSizes sizes = function ? launchSizesOf(function) : LaunchSizes();
  if (!sizes.workgroup)
    return llvm::Log2_64_Ceil(largestWorkgroupSize());
  return llvm::Log2_64_Ceil((*sizes.workgroup)[size_t(op.getDimension())]);
}

/// Returns the bits of a workgroup's id along a dim, if all launches have one
/// grid.
static unsigned blockIdBits(gpu::BlockIdOp op) {
  constexpr unsigned ofHardware = 31;
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto lane = dyn_cast_if_present<gpu::GPUFuncOp>(function.getOperation());
  bool isKnown = (lane && lane.getKnownGridSize()) ||
                 (function && findGridFunction(function));
  if (!isKnown)
    return ofHardware;
  std::optional<std::array<int64_t, 3>> grid = fixedGridOf(function);
  return grid ? std::min(ofHardware,
                         unsigned(llvm::Log2_64_Ceil(std::max<int64_t>(
                             1, (*grid)[size_t(op.getDimension())]))))
              : ofHardware;
}

/// Bounds the bits of a minimum of two non-negative numbers by those of either
/// one.
static void boundMinimum(Operation *op, const KnownBits &lhs,
                         const KnownBits &rhs, KnownBits &result) {
  if (isa<arith::MinSIOp, arith::MinUIOp>(op) && lhs.isNonNegative() &&
      rhs.isNonNegative())
    result.Zero.setBitsFrom(
        std::min(lhs.countMaxActiveBits(), rhs.countMaxActiveBits()));
}

IndexFacts::Fact IndexFacts::ofBits(Operation *op) {
  Fact lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
  return llvm::TypeSwitch<Operation *, Fact>(op)
      .Case([&](arith::AndIOp) { return Fact{1, lhs.bits & rhs.bits}; })
      .Case([&](arith::OrIOp) { return Fact{1, lhs.bits | rhs.bits}; })
      .Case([&](arith::XOrIOp) { return Fact{1, lhs.bits ^ rhs.bits}; })
      .Case([&](arith::ShLIOp) {
        return Fact{1, KnownBits::shl(lhs.bits, rhs.bits)};
      })
      .Case([&](arith::ShRUIOp) {
        return Fact{1, KnownBits::lshr(lhs.bits, rhs.bits)};
      })
      .Default([](Operation *) { return Fact::unknown(); });
}

IndexFacts::Fact IndexFacts::ofQuotient(Operation *op) {
  Fact lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
  bool isQuotient = isa<arith::DivUIOp, arith::DivSIOp>(op);
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  // A negative number is a different one as an unsigned number.
  if (!lhs.isNonNegative() && !isSigned)
    lhs.divisor = 1;
  if (!rhs.bits.isConstant() || !rhs.bits.getConstant().isStrictlyPositive() ||
      (isSigned && !lhs.isNonNegative())) {
    Fact fact = Fact::unknown();
    if (!isQuotient) // the remainder of a multiple is a multiple
      fact.divisor = std::gcd(lhs.divisor, rhs.divisor);
    return fact;
  }
  int64_t by = rhs.bits.getConstant().getSExtValue();
  if (!isQuotient)
    return {std::gcd(lhs.divisor, by), KnownBits::urem(lhs.bits, rhs.bits)};
  KnownBits bits =
      llvm::isPowerOf2_64(by)
          ? KnownBits::lshr(lhs.bits, KnownBits::makeConstant(
                                          APInt(kWidth, llvm::Log2_64(by))))
          : KnownBits::udiv(lhs.bits, rhs.bits);
  return {lhs.divisor % by == 0 ? lhs.divisor / by : 1, bits};
}

/// Returns a divisor; the bits of sums and products stay unknown.
IndexFacts::Fact IndexFacts::ofExpression(AffineExpr expr, unsigned numDims,
                                          ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Fact::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return get(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return get(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Fact lhs = ofExpression(binary.getLHS(), numDims, operands);
  Fact rhs = ofExpression(binary.getRHS(), numDims, operands);
  Fact fact = Fact::unknown();
  if (expr.getKind() == AffineExprKind::Add ||
      expr.getKind() == AffineExprKind::Mod)
    fact.divisor = std::gcd(lhs.divisor, rhs.divisor);
  else if (expr.getKind() == AffineExprKind::Mul)
    fact.divisor = divisorOfProduct(lhs.divisor, rhs.divisor);
  else if (rhs.divisor != 0 && rhs.bits.isConstant() &&
           lhs.divisor % rhs.divisor == 0)
    fact.divisor = lhs.divisor / rhs.divisor;
  return fact;
}

/// Returns a common divisor of all results of an affine map.
IndexFacts::Fact IndexFacts::ofResults(AffineMap map, ValueRange operands) {
  Fact fact = Fact::unknown();
  fact.divisor = 0;
  for (AffineExpr result : map.getResults())
    fact.divisor = std::gcd(
        fact.divisor, ofExpression(result, map.getNumDims(), operands).divisor);
  return fact;
}

IndexFacts::Fact IndexFacts::ofArithmetic(Operation *op) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  auto either = [&](unsigned i, unsigned j) {
    Fact lhs = operand(i), rhs = operand(j);
    return Fact{std::gcd(lhs.divisor, rhs.divisor),
                lhs.bits.intersectWith(rhs.bits)};
  };
  auto sum = [&](bool isAdd) {
    Fact lhs = operand(0), rhs = operand(1);
    return Fact{std::gcd(lhs.divisor, rhs.divisor),
                KnownBits::computeForAddSub(isAdd, /*NSW=*/true, /*NUW=*/false,
                                            lhs.bits, rhs.bits)};
  };
  return llvm::TypeSwitch<Operation *, Fact>(op)
      .Case([&](arith::AddIOp) { return sum(/*isAdd=*/true); })
      .Case([&](arith::SubIOp) { return sum(/*isAdd=*/false); })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
          [&](Operation *) {
            Fact fact = either(0, 1);
            boundMinimum(op, operand(0).bits, operand(1).bits, fact.bits);
            return fact;
          })
      .Case([&](arith::SelectOp) { return either(1, 2); })
      .Case([&](arith::MulIOp) {
        Fact lhs = operand(0), rhs = operand(1);
        KnownBits bits = KnownBits::mul(lhs.bits, rhs.bits);
        if (lhs.isNonNegative() && rhs.isNonNegative())
          bits.makeNonNegative();
        return Fact{divisorOfProduct(lhs.divisor, rhs.divisor), bits};
      })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(
          [&](Operation *) { return ofQuotient(op); })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
            arith::ShRUIOp>([&](Operation *) { return ofBits(op); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](Operation *) {
        // Sign extension keeps a number, zero extension a non-negative one.
        Fact source = operand(0);
        if (isa<arith::IndexCastUIOp>(op) && !source.isNonNegative())
          return Fact::unknown();
        return source;
      })
      .Default([](Operation *) { return Fact::unknown(); });
}

IndexFacts::Fact IndexFacts::ofOperation(Operation *op) {
  // Other integers may wrap.
  if (!op->getResult(0).getType().isIndex())
    return Fact::unknown();
  return llvm::TypeSwitch<Operation *, Fact>(op)
      .Case([](gpu::ThreadIdOp id) { return Fact::bounded(threadIdBits(id)); })
      .Case([](gpu::BlockIdOp id) { return Fact::bounded(blockIdBits(id)); })
      .Case<gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::BlockDimOp, gpu::GridDimOp,
            gpu::SubgroupSizeOp, gpu::NumSubgroupsOp>(
          [](Operation *) { return Fact::bounded(31); })
      .Case<gpu::GlobalIdOp, memref::DimOp>(
          [](Operation *) { return Fact::bounded(kWidth - 1); })
      .Case([&](affine::AffineApplyOp apply) {
        AffineMap map = apply.getAffineMap();
        return map.getNumResults() == 1
                   ? ofExpression(map.getResult(0), map.getNumDims(),
                                  apply.getMapOperands())
                   : Fact::unknown();
      })
      .Case<affine::AffineMinOp, affine::AffineMaxOp>([&](auto extremum) {
        return ofResults(extremum.getAffineMap(), extremum->getOperands());
      })
      .Default([&](Operation *) { return ofArithmetic(op); });
}
