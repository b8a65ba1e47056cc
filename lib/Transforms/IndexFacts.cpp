//===- IndexFacts.cpp - What is known about index values ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One case per operation. A value that is being computed further up the stack
// (a loop's carried value) has no known facts.
//
//===----------------------------------------------------------------------===//
#include "IndexFacts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace distaff;

int64_t IndexFacts::divisor(Value value) { return get(value).divisor; }

bool IndexFacts::isNonNegative(Value value) { return get(value).nonNegative; }

const IndexFacts::Fact &IndexFacts::get(Value value) {
  auto [it, isNew] = facts.try_emplace(value, Fact{1, false});
  if (!isNew)
    return it->second;
  Fact fact = compute(value);
  return facts[value] = fact;
}

IndexFacts::Fact IndexFacts::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (constant.getSignificantBits() > 62)
      return {1, !constant.isNegative()};
    int64_t number = constant.getSExtValue();
    return {std::abs(number), number >= 0};
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofBlockArgument(argument);
  return ofOperation(value.getDefiningOp());
}

IndexFacts::Fact IndexFacts::ofBlockArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar())
    return {1, false};
  Fact lower = get(loop.getLowerBound()), step = get(loop.getStep());
  return {std::gcd(lower.divisor, step.divisor), lower.nonNegative};
}

static int64_t saturatingProduct(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? 1 : product;
}

/// Facts of `value / by` and `value % by` for a known positive `by`.
static int64_t quotientDivisor(int64_t divisor, int64_t by) {
  return by > 0 && divisor % by == 0 ? divisor / by : 1;
}

IndexFacts::Fact IndexFacts::ofOperation(Operation *op) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  auto common = [&](unsigned i, unsigned j) {
    return Fact{std::gcd(operand(i).divisor, operand(j).divisor),
                operand(i).nonNegative && operand(j).nonNegative};
  };
  return llvm::TypeSwitch<Operation *, Fact>(op)
      .Case<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp,
            gpu::BlockDimOp, gpu::GridDimOp, gpu::GlobalIdOp,
            gpu::SubgroupSizeOp, gpu::NumSubgroupsOp, memref::DimOp>(
          [](Operation *) { return Fact{1, true}; })
      .Case<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
            arith::MaxUIOp>([&](Operation *) { return common(0, 1); })
      .Case([&](arith::SubIOp) { return Fact{common(0, 1).divisor, false}; })
      .Case([&](arith::SelectOp) { return common(1, 2); })
      .Case([&](arith::MulIOp) {
        return Fact{saturatingProduct(operand(0).divisor, operand(1).divisor),
                    common(0, 1).nonNegative};
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](Operation *) {
        APInt by;
        if (!matchPattern(op->getOperand(1), m_ConstantInt(&by)))
          return Fact{1, common(0, 1).nonNegative};
        return Fact{quotientDivisor(operand(0).divisor, by.getSExtValue()),
                    operand(0).nonNegative && by.isStrictlyPositive()};
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](Operation *) {
        return Fact{common(0, 1).divisor, operand(0).nonNegative};
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>(
          [&](Operation *) { return operand(0); })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](Operation *) {
        // A negative number becomes 2^n more, which only powers of two divide.
        Fact source = operand(0);
        bool exact = source.nonNegative || llvm::isPowerOf2_64(source.divisor);
        return Fact{exact ? source.divisor : 1, true};
      })
      .Default([](Operation *) { return Fact{1, false}; });
}
