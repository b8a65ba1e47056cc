//===- NarrowComparisons.cpp - Narrowing of index comparisons -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers of GPUs have 32 bits: a comparison of two positions of 64 bits is
// two instructions, and so is every addition in them. A causal mask compares a
// position of each key with one of each row. A comparison of sums
//
//   x1 + x2 + c <= y1 + y2 + d    becomes    x1 + x2 - y1 - y2 <= d - c
//
// in 32 bits, if both sides are known to be below 2^30: elements of a lane that
// differ only in constants share the difference.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "PositionSums.h"
#include "distaff/Analysis/Access/IndexFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {

constexpr int64_t kBound = int64_t(1) << 30;

/// Returns the signed predicate that is equivalent for nonnegative numbers.
arith::CmpIPredicate signedOf(arith::CmpIPredicate predicate) {
  using enum arith::CmpIPredicate;
  switch (predicate) {
  case ult:
    return slt;
  case ule:
    return sle;
  case ugt:
    return sgt;
  case uge:
    return sge;
  default:
    return predicate;
  }
}

class ComparisonRewriter {
public:
  void rewrite(arith::CmpIOp op);

private:
  Value narrow(ImplicitLocOpBuilder &b, Value term);
  Value total(ImplicitLocOpBuilder &b, ArrayRef<Value> terms);
  Value difference(ImplicitLocOpBuilder &b, const PositionSum &lhs,
                   const PositionSum &rhs);

  IndexFacts facts;
};

Value ComparisonRewriter::narrow(ImplicitLocOpBuilder &b, Value term) {
  return arith::IndexCastOp::create(b, b.getI32Type(), term);
}

Value ComparisonRewriter::total(ImplicitLocOpBuilder &b,
                                ArrayRef<Value> terms) {
  Value sum;
  for (Value term : terms) {
    Value next = narrow(b, term);
    sum = sum ? arith::AddIOp::create(b, sum, next).getResult() : next;
  }
  return sum ? sum
             : arith::ConstantIntOp::create(b, b.getI32Type(), 0).getResult();
}

/// Returns the terms of one sum minus those of another; common terms cancel.
Value ComparisonRewriter::difference(ImplicitLocOpBuilder &b,
                                     const PositionSum &lhs,
                                     const PositionSum &rhs) {
  SmallVector<Value> left, right(rhs.terms);
  for (Value term : lhs.terms)
    if (auto *it = llvm::find(right, term); it != right.end())
      right.erase(it);
    else
      left.push_back(term);
  Value difference = total(b, left);
  return right.empty() ? difference
                       : arith::SubIOp::create(b, difference, total(b, right))
                             .getResult();
}

void ComparisonRewriter::rewrite(arith::CmpIOp op) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  if (!facts.isBelow(lhs, kBound) || !facts.isBelow(rhs, kBound))
    return;
  PositionSum left = PositionSum::of(lhs), right = PositionSum::of(rhs);
  // The difference of the terms is that of the sides less this constant.
  int64_t distance = right.constant - left.constant;
  if (std::abs(distance) >= kBound ||
      (left.terms.empty() && right.terms.empty()))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value compared = arith::CmpIOp::create(
      b, signedOf(op.getPredicate()), difference(b, left, right),
      arith::ConstantIntOp::create(b, b.getI32Type(), distance));
  op.replaceAllUsesWith(compared);
}

} // namespace

void distaff::narrowComparisons(gpu::GPUFuncOp kernel) {
  SmallVector<arith::CmpIOp> comparisons;
  kernel.walk([&](arith::CmpIOp op) {
    if (op.getLhs().getType().isIndex())
      comparisons.push_back(op);
  });
  ComparisonRewriter rewriter;
  for (arith::CmpIOp op : comparisons)
    rewriter.rewrite(op);
  // Erasing earlier would invalidate facts, which are stored by value
  // addresses.
  for (arith::CmpIOp op : comparisons)
    if (op->use_empty())
      op->erase();
}
