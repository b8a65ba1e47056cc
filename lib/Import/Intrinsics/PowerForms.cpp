//===- PowerForms.cpp - LLVM's powers by other ops ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits x^n, 10^x and x 2^n. The last one is exact except for the rounding of a
// subnormal result. n may be larger, or smaller, than the exponent of any power
// of two of the type, so up to three factors are applied in sequence; those
// that make x smaller leave room for all of its digits, so that only one of
// them rounds:
//
//   n > 127           x 2^127 2^(n - 127), of which n - 127 may still be > 127
//   n < -126          x 2^-102 2^(n + 102), the same
//
// (of f32; -102 is -126 and the 24 digits of a float).
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace distaff;

/// Returns the type with another element type.
static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// Returns one exponent, or one per element, for each element of `like`.
static Value exponentFor(ImplicitLocOpBuilder &b, Value exponent, Type like) {
  auto vector = dyn_cast<VectorType>(like);
  if (!vector || isa<VectorType>(exponent.getType()))
    return exponent;
  return vector::BroadcastOp::create(b, vector.clone(exponent.getType()),
                                     exponent);
}

namespace {
/// Builds products of numbers of f32 or f64 by powers of two.
class PowerOfTwoWriter {
public:
  PowerOfTwoWriter(ImplicitLocOpBuilder &b, Type type)
      : b(b), type(type), element(cast<FloatType>(getElementTypeOrSelf(type))),
        integers(withElement(type, b.getIntegerType(element.getWidth()))) {
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    digits = APFloat::semanticsPrecision(semantics);
    most = APFloat::semanticsMaxExponent(semantics);
    least = APFloat::semanticsMinExponent(semantics);
  }

  Value scaled(Value x, Value n);

private:
  Value integer(int64_t value) {
    return constant(integers,
                    b.getIntegerAttr(getElementTypeOrSelf(integers), value));
  }
  Value number(double value) {
    return constant(type, b.getFloatAttr(element, value));
  }
  Value constant(Type of, TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(of))
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(vector, Attribute(value)));
    return arith::ConstantOp::create(b, value);
  }
  /// Returns exponents in the width of the numbers; those that scale every
  /// number to 0 or infinity are clamped.
  Value exponents(Value n);
  /// Multiplies by 2^by where n is beyond `limit`.
  void step(Value &x, Value &n, arith::CmpIPredicate beyond, int64_t limit,
            int64_t by);

  ImplicitLocOpBuilder &b;
  Type type;
  FloatType element;
  Type integers;
  int64_t digits, most, least;
};
} // namespace

Value PowerOfTwoWriter::exponents(Value n) {
  unsigned from = getElementTypeOrSelf(n.getType()).getIntOrFloatBitWidth(),
           to = element.getWidth();
  if (from < to)
    return arith::ExtSIOp::create(b, integers, n);
  if (from == to)
    return n;
  auto limit = [&](int64_t value) {
    return constant(n.getType(),
                    b.getIntegerAttr(getElementTypeOrSelf(n.getType()), value));
  };
  n = arith::MinSIOp::create(b, n, limit(4 * most));
  n = arith::MaxSIOp::create(b, n, limit(4 * least));
  return arith::TruncIOp::create(b, integers, n);
}

void PowerOfTwoWriter::step(Value &x, Value &n, arith::CmpIPredicate beyond,
                            int64_t limit, int64_t by) {
  Value is = arith::CmpIOp::create(b, beyond, n, integer(limit));
  Value product = arith::MulFOp::create(b, x, number(std::ldexp(1.0, int(by))));
  x = arith::SelectOp::create(b, is, product, x);
  Value rest = arith::SubIOp::create(b, n, integer(by));
  n = arith::SelectOp::create(b, is, rest, n);
}

Value PowerOfTwoWriter::scaled(Value x, Value n) {
  n = exponents(n);
  for (int i = 0; i < 2; ++i)
    step(x, n, arith::CmpIPredicate::sgt, most, most);
  for (int i = 0; i < 2; ++i)
    step(x, n, arith::CmpIPredicate::slt, least, least + digits);
  n = arith::MinSIOp::create(b, n, integer(most));
  n = arith::MaxSIOp::create(b, n, integer(least));
  Value exponent = arith::AddIOp::create(b, n, integer(most));
  Value bits = arith::ShLIOp::create(b, exponent, integer(digits - 1));
  Value power = isa<VectorType>(type)
                    ? vector::BitCastOp::create(b, type, bits).getResult()
                    : arith::BitcastOp::create(b, type, bits).getResult();
  return arith::MulFOp::create(b, x, power);
}

/// Emits x 2^n. In f32 each step is exact for the numbers of smaller types, and
/// values that f32 rounds are 0 in those types.
static Value emitScaled(ImplicitLocOpBuilder &b, Value x, Value n) {
  Type type = x.getType();
  n = exponentFor(b, n, type);
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  if (element.getWidth() >= 32)
    return PowerOfTwoWriter(b, type).scaled(x, n);
  Type wide = withElement(type, b.getF32Type());
  Value extended = arith::ExtFOp::create(b, wide, x);
  Value scaled = PowerOfTwoWriter(b, wide).scaled(extended, n);
  return arith::TruncFOp::create(b, type, scaled);
}

Value distaff::emitPowerForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                             Operation *op) {
  Value x = op->getOperand(0);
  Type type = x.getType();
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          getElementTypeOrSelf(type)))
    return nullptr;
  if (intrinsic == "ldexp")
    return emitScaled(b, x, op->getOperand(1));
  if (intrinsic == "powi")
    return createWithFlagsOf(b, op, "math.fpowi",
                             {x, exponentFor(b, op->getOperand(1), type)});
  auto ten = b.getFloatAttr(getElementTypeOrSelf(type), 10.0);
  auto vector = dyn_cast<VectorType>(type);
  Value base = arith::ConstantOp::create(
      b, vector ? TypedAttr(DenseElementsAttr::get(vector, Attribute(ten)))
                : TypedAttr(ten));
  return createWithFlagsOf(b, op, "math.powf", {base, x});
}
