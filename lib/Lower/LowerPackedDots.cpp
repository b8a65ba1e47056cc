//===- LowerPackedDots.cpp - Dot products of packed operands --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer arithmetic is exact, so that an instruction is equivalent to
// widening, multiplying and adding neighbours:
//
//   packed_dot %a as si16, %b as si16 : vector<8xi32> to vector<8xi32>
//   =>  p = extsi(a as vector<16xi16>) * extsi(b as vector<16xi16>)
//       p[0, 2, 4, ...] + p[1, 3, 5, ...]
//
// for which LLVM selects vpmaddwd, and vpdpwssd if an addition follows. An op
// without such a pattern stays, for emission, and absorbs the addition.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERPACKEDDOTS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// Returns whether the parts of an op are those of the instruction, in any
/// order.
static bool isOf(core::PackedDotOp op, const PackedDot &dot) {
  Type lhs = op.getLhsPart(), rhs = op.getRhsPart();
  return (isPart(lhs, dot.lhs) && isPart(rhs, dot.rhs)) ||
         (isPart(lhs, dot.rhs) && isPart(rhs, dot.lhs));
}

/// Gives an op the operand order of the instruction, and absorbs the addition
/// of its result.
static void takeForm(core::PackedDotOp op, const PackedDot &dot) {
  auto lhs = dyn_cast<IntegerType>(op.getLhsPart());
  if (dot.lhs != dot.rhs && lhs.isUnsigned() != isUnsigned(dot.lhs)) {
    Value other = op.getLhs();
    TypeAttr part = op.getLhsPartAttr();
    op.getLhsMutable().assign(op.getRhs());
    op.getRhsMutable().assign(other);
    op.setLhsPartAttr(op.getRhsPartAttr());
    op.setRhsPartAttr(part);
  }
  Operation *sum = op->hasOneUse() ? *op->getUsers().begin() : nullptr;
  if (op.getAcc() || !isa_and_nonnull<arith::AddIOp, arith::AddFOp>(sum))
    return;
  bool isFirst = sum->getOperand(0) == op.getResult();
  op.getAccMutable().assign(sum->getOperand(isFirst ? 1 : 0));
  op->moveBefore(sum);
  sum->getResult(0).replaceAllUsesWith(op.getResult());
  sum->erase();
}

/// Returns the parts of words, in rows, each in as many bits as a word.
static Value partsOf(ImplicitLocOpBuilder &b, Value words, IntegerType part) {
  auto type = cast<VectorType>(words.getType());
  int64_t count = type.getNumElements() * (32 / part.getWidth());
  Value parts = vector::BitCastOp::create(
      b, VectorType::get(count, b.getIntegerType(part.getWidth())), words);
  auto wide = VectorType::get(count, b.getI32Type());
  return part.isUnsigned() ? arith::ExtUIOp::create(b, wide, parts).getResult()
                           : arith::ExtSIOp::create(b, wide, parts).getResult();
}

static void lowerIntegers(core::PackedDotOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getResult().getType();
  bool isScalar = !isa<VectorType>(type);
  auto wordsOf = [&](Value operand) {
    auto vector = VectorType::get(1, b.getI32Type());
    return isScalar
               ? vector::BroadcastOp::create(b, vector, operand).getResult()
               : operand;
  };
  Value sums = arith::MulIOp::create(
      b, partsOf(b, wordsOf(op.getLhs()), cast<IntegerType>(op.getLhsPart())),
      partsOf(b, wordsOf(op.getRhs()), cast<IntegerType>(op.getRhsPart())));
  int64_t words = isScalar ? 1 : cast<VectorType>(type).getNumElements();
  while (cast<VectorType>(sums.getType()).getNumElements() > words) {
    auto halves = vector::DeinterleaveOp::create(b, sums);
    sums = arith::AddIOp::create(b, halves.getRes1(), halves.getRes2());
  }
  if (isScalar)
    sums = vector::ExtractOp::create(b, sums, ArrayRef<int64_t>{0});
  if (Value acc = op.getAcc())
    sums = arith::AddIOp::create(b, acc, sums);
  op.replaceAllUsesWith(sums);
  op.erase();
}

namespace {
struct LowerPackedDots final
    : distaff::impl::LowerPackedDotsBase<LowerPackedDots> {
  using LowerPackedDotsBase::LowerPackedDotsBase;

  void runOnOperation() override {
    const Target *host = requireTarget(getOperation()->getLoc(), target);
    if (!host)
      return signalPassFailure();
    SmallVector<core::PackedDotOp> ops;
    getOperation()->walk([&](core::PackedDotOp op) { ops.push_back(op); });
    for (core::PackedDotOp op : ops) {
      auto dot =
          llvm::find_if(host->simd.packedDots, [&](const PackedDot &each) {
            return !each.intrinsic.empty() && isOf(op, each);
          });
      bool isInteger = isa<IntegerType>(op.getLhsPart());
      if (dot != host->simd.packedDots.end() &&
          !(isInteger && op.getType().isInteger()))
        takeForm(op, *dot);
      else if (isInteger)
        lowerIntegers(op);
    }
  }
};
} // namespace
