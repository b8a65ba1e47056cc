//===- ConstantsLast.cpp - Constants last in sums of indices --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ConstantsLast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace distaff;

IndexSum IndexSum::of(Value index) {
  APInt number;
  if (matchPattern(index, m_ConstantInt(&number)))
    return {Value(), number.getZExtValue()};
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&number)))
    return {sum.getLhs(), number.getZExtValue()};
  return {index};
}

namespace {
/// Rewrites ops one by one, each after its operands:
///
///   (x + c) + (y + d)   =>   (x + y) + (c + d)
///   (x + c) * d         =>   x * d + c * d
class ConstantMover {
public:
  explicit ConstantMover(MLIRContext *context) : rewriter(context) {}

  void rewrite(Operation *op) {
    if (!isa<arith::AddIOp, arith::MulIOp>(op) ||
        !op->getResult(0).getType().isIndex())
      return;
    IndexSum lhs = IndexSum::of(op->getOperand(0)),
             rhs = IndexSum::of(op->getOperand(1));
    rewriter.setInsertionPoint(op);
    loc = op->getLoc();
    if (isa<arith::AddIOp>(op))
      replace(op, {add(lhs.value, rhs.value), lhs.constant + rhs.constant});
    else if (!rhs.value)
      replace(op, {mul(lhs.value, rhs.constant), lhs.constant * rhs.constant});
    else if (!lhs.value)
      replace(op, {mul(rhs.value, lhs.constant), lhs.constant * rhs.constant});
  }

private:
  void replace(Operation *op, IndexSum sum) {
    Value constant =
        sum.value && sum.constant == 0 ? Value() : index(sum.constant);
    rewriter.replaceOp(op, add(sum.value, constant));
  }
  Value index(uint64_t number) {
    return arith::ConstantIndexOp::create(rewriter, loc, int64_t(number));
  }
  Value add(Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return rewriter.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value mul(Value value, uint64_t number) {
    return value && number
               ? rewriter.createOrFold<arith::MulIOp>(loc, value, index(number))
               : Value();
  }

  IRRewriter rewriter;
  Location loc = rewriter.getUnknownLoc();
};
} // namespace

void distaff::moveConstantsLast(Operation *root) {
  ConstantMover mover(root->getContext());
  root->walk([&](Operation *op) { mover.rewrite(op); });
}
