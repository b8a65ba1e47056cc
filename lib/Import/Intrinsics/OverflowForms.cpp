//===- OverflowForms.cpp - Arithmetic with overflow bits ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm.sadd.with.overflow and similar intrinsics return a struct of a number
// and a bit. Vectors have no structs, so each llvm.extractvalue of one becomes
// the member that it extracts (VX-216):
//
//   signed   a + b   the sum's sign is neither a's nor b's
//            a - b   a's sign is not b's, and the difference's is not a's
//            a * b   the upper half is not the lower one's sign
//   unsigned a + b   the sum is below a
//            a - b   a is below b
//            a * b   the upper half is not 0
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;

namespace {
/// An op of two numbers, and its result.
struct Checked {
  Value a, b, result;
  Value zero;
};
} // namespace

static Value isNegative(ImplicitLocOpBuilder &b, Value value, Value zero) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value, zero);
}

/// Returns whether `x` and `y` differ in sign, and so do `u` and `v`.
static Value bothDiffer(ImplicitLocOpBuilder &b, Value x, Value y, Value u,
                        Value v, Value zero) {
  Value first = arith::XOrIOp::create(b, x, y);
  Value second = arith::XOrIOp::create(b, u, v);
  return isNegative(b, arith::AndIOp::create(b, first, second), zero);
}

static Value multiplied(ImplicitLocOpBuilder &b, const Checked &n,
                        bool isSigned) {
  using arith::CmpIPredicate;
  if (!isSigned) {
    auto wide = arith::MulUIExtendedOp::create(b, n.a, n.b);
    return arith::CmpIOp::create(b, CmpIPredicate::ne, wide.getHigh(), n.zero);
  }
  auto wide = arith::MulSIExtendedOp::create(b, n.a, n.b);
  Type type = n.a.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto number = b.getIntegerAttr(getElementTypeOrSelf(type), width - 1);
  TypedAttr by = number;
  if (auto vector = dyn_cast<VectorType>(type))
    by = DenseElementsAttr::get(vector, number);
  Value sign = arith::ShRSIOp::create(b, wide.getLow(),
                                      arith::ConstantOp::create(b, by));
  return arith::CmpIOp::create(b, CmpIPredicate::ne, wide.getHigh(), sign);
}

Value distaff::emitOverflowForm(ImplicitLocOpBuilder &b, Operation *op) {
  auto field = cast<LLVM::ExtractValueOp>(op);
  Operation *made = field.getContainer().getDefiningOp();
  StringRef name = made ? intrinsicOf(made) : "";
  StringRef function = name.take_front(4);
  name = name.drop_front(function.size());
  bool isSigned = function.starts_with("s");
  function = function.drop_front(function.empty() ? 0 : 1);
  if (!isIntrinsicNamed(name, ".with.overflow") ||
      field.getPosition().size() != 1 || made->getNumOperands() != 2)
    return nullptr;
  Checked n{made->getOperand(0), made->getOperand(1), Value(), Value()};
  n.zero = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(n.a.getType())));
  bool wantsBit = field.getPosition().front() == 1;
  using arith::CmpIPredicate;
  if (function == "mul")
    return wantsBit ? multiplied(b, n, isSigned)
                    : arith::MulIOp::create(b, n.a, n.b).getResult();
  bool adds = function == "add";
  n.result = adds ? arith::AddIOp::create(b, n.a, n.b).getResult()
                  : arith::SubIOp::create(b, n.a, n.b).getResult();
  if (!wantsBit)
    return n.result;
  if (isSigned)
    return adds ? bothDiffer(b, n.a, n.result, n.b, n.result, n.zero)
                : bothDiffer(b, n.a, n.b, n.a, n.result, n.zero);
  return arith::CmpIOp::create(b, CmpIPredicate::ult, adds ? n.result : n.a,
                               adds ? n.a : n.b);
}
