//===- FloatFormulas.h - Formulas over float values -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A formula is written with operators on F, a float value, and on I, an integer
// of the same width; each operator creates an op of arith or math, on scalars
// and on vectors alike.
//
//   F magnitude = absolute(x);
//   return select(less(x, 0), 0.0 - magnitude, magnitude);
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_FLOATFORMULAS_H
#define DISTAFF_LIB_LOWER_FLOATFORMULAS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace distaff::formulas {

/// A float value and the builder of its uses; a constant takes its type.
struct F {
  OpBuilder *builder;
  Location loc;
  Value value;

  F with(Value other) const { return {builder, loc, other}; }
  F constant(double number) const {
    Type type = value.getType();
    TypedAttr attribute =
        builder->getFloatAttr(getElementTypeOrSelf(type), number);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, attribute);
    return with(arith::ConstantOp::create(*builder, loc, attribute));
  }
  template <typename Op> F apply() const {
    return with(Op::create(*builder, loc, value));
  }
  template <typename Op> F apply(F other) const {
    return with(Op::create(*builder, loc, value, other.value));
  }
  F converted(Type element) const {
    Type from = value.getType(), to = element;
    if (auto shaped = dyn_cast<ShapedType>(from))
      to = shaped.clone(element);
    if (from == to)
      return *this;
    bool widens = getElementTypeOrSelf(from).getIntOrFloatBitWidth() <
                  element.getIntOrFloatBitWidth();
    if (widens)
      return with(arith::ExtFOp::create(*builder, loc, to, value));
    return with(arith::TruncFOp::create(*builder, loc, to, value));
  }
};

inline F operator+(F a, F b) { return a.apply<arith::AddFOp>(b); }
inline F operator-(F a, F b) { return a.apply<arith::SubFOp>(b); }
inline F operator*(F a, F b) { return a.apply<arith::MulFOp>(b); }
inline F operator/(F a, F b) { return a.apply<arith::DivFOp>(b); }
inline F operator+(F a, double b) { return a + a.constant(b); }
inline F operator-(F a, double b) { return a - a.constant(b); }
inline F operator*(F a, double b) { return a * a.constant(b); }
inline F operator/(double a, F b) { return b.constant(a) / b; }
inline F operator-(double a, F b) { return b.constant(a) - b; }

inline F fma(F a, F b, F c) {
  return a.with(
      math::FmaOp::create(*a.builder, a.loc, a.value, b.value, c.value));
}
inline F absolute(F a) { return a.apply<math::AbsFOp>(); }
inline F copySign(F a, F b) { return a.apply<math::CopySignOp>(b); }
inline F roundEven(F a) { return a.apply<math::RoundEvenOp>(); }

inline Value compare(arith::CmpFPredicate predicate, F a, F b) {
  return arith::CmpFOp::create(*a.builder, a.loc, predicate, a.value, b.value);
}
/// Returns whether a < b, which is false if either is NaN.
inline Value less(F a, F b) { return compare(arith::CmpFPredicate::OLT, a, b); }
inline Value less(F a, double b) { return less(a, a.constant(b)); }
inline Value equal(F a, double b) {
  return compare(arith::CmpFPredicate::OEQ, a, a.constant(b));
}
inline F select(Value condition, F a, F b) {
  return a.with(
      arith::SelectOp::create(*a.builder, a.loc, condition, a.value, b.value));
}

/// Returns the polynomial with these coefficients, highest power first.
inline F polynomial(F x, ArrayRef<double> coefficients) {
  F sum = x.constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = fma(sum, x, x.constant(coefficient));
  return sum;
}

/// An integer value, the counterpart of F.
struct I {
  OpBuilder *builder;
  Location loc;
  Value value;

  I with(Value other) const { return {builder, loc, other}; }
  unsigned width() const {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  }
  I constant(int64_t number) const {
    TypedAttr attribute = builder->getIntegerAttr(
        getElementTypeOrSelf(value), APInt(width(), number, /*isSigned=*/true,
                                           /*implicitTrunc=*/true));
    if (auto shaped = dyn_cast<ShapedType>(value.getType()))
      attribute = DenseElementsAttr::get(shaped, attribute);
    return with(arith::ConstantOp::create(*builder, loc, attribute));
  }
  template <typename Op> I apply(I other) const {
    return with(Op::create(*builder, loc, value, other.value));
  }
  /// Returns the value's type with other elements.
  Type shaped(Type element) const {
    auto vector = dyn_cast<ShapedType>(value.getType());
    return vector ? Type(vector.clone(element)) : element;
  }
};

inline I operator+(I a, I b) { return a.apply<arith::AddIOp>(b); }
inline I operator-(I a, I b) { return a.apply<arith::SubIOp>(b); }
inline I operator*(I a, I b) { return a.apply<arith::MulIOp>(b); }
inline I operator&(I a, I b) { return a.apply<arith::AndIOp>(b); }
inline I operator|(I a, I b) { return a.apply<arith::OrIOp>(b); }
inline I operator+(I a, int64_t b) { return a + a.constant(b); }
inline I operator-(I a, int64_t b) { return a - a.constant(b); }
inline I operator&(I a, int64_t b) { return a & a.constant(b); }
inline I operator|(I a, int64_t b) { return a | a.constant(b); }
inline I shiftLeft(I a, I b) { return a.apply<arith::ShLIOp>(b); }
inline I shiftRight(I a, I b) { return a.apply<arith::ShRUIOp>(b); }
inline I shiftLeft(I a, int64_t b) { return shiftLeft(a, a.constant(b)); }
inline I shiftRight(I a, int64_t b) { return shiftRight(a, a.constant(b)); }
inline I shiftSigned(I a, int64_t b) {
  return a.apply<arith::ShRSIOp>(a.constant(b));
}
inline Value compare(arith::CmpIPredicate predicate, I a, I b) {
  return arith::CmpIOp::create(*a.builder, a.loc, predicate, a.value, b.value);
}
inline Value compare(arith::CmpIPredicate predicate, I a, int64_t b) {
  return compare(predicate, a, a.constant(b));
}
inline I select(Value condition, I a, I b) {
  return a.with(
      arith::SelectOp::create(*a.builder, a.loc, condition, a.value, b.value));
}
inline Value both(I like, Value a, Value b) {
  return arith::AndIOp::create(*like.builder, like.loc, a, b);
}
inline Value either(I like, Value a, Value b) {
  return arith::OrIOp::create(*like.builder, like.loc, a, b);
}

/// Returns the bits of a float.
inline I bitsOf(F x) {
  Type element = x.builder->getIntegerType(
      getElementTypeOrSelf(x.value).getIntOrFloatBitWidth());
  I like{x.builder, x.loc, x.value};
  return like.with(arith::BitcastOp::create(*x.builder, x.loc,
                                            like.shaped(element), x.value));
}
/// Returns the float of the type of `like` that has these bits.
inline F numberOf(I bits, F like) {
  return like.with(arith::BitcastOp::create(*bits.builder, bits.loc,
                                            like.value.getType(), bits.value));
}

inline bool isDouble(F x) { return getElementTypeOrSelf(x.value).isF64(); }

/// A number rounded to an integral value, and the same as an integer; arbitrary
/// for NaN.
struct Rounded {
  F whole;
  I integer; // as wide as the number
};

/// Rounds by adding 1.5 2^23, for f64 1.5 2^52, which leaves no bits for a
/// fraction.
/// \pre |x| < 2^22, for f64 2^51, or NaN
inline Rounded roundInBits(F x) {
  bool isWide = isDouble(x);
  double shift = isWide ? 0x1.8p52 : 0x1.8p23;
  F sum = x + shift;
  return {sum - shift,
          bitsOf(sum) - (isWide ? int64_t(0x4338000000000000) : 0x4B400000)};
}

/// Returns x 2^n for an n of [-252, 254], for f64 of [-2044, 2046], as two
/// factors, each of which is representable.
inline F scaled(F x, Rounded n) {
  auto power = [&](I exponent) {
    return numberOf(isDouble(x) ? shiftLeft(exponent + 1023, 52)
                                : shiftLeft(exponent + 127, 23),
                    x);
  };
  I half = shiftSigned(n.integer, 1);
  return x * power(half) * power(n.integer - half);
}

/// Returns x clamped to [low, high]; NaN stays.
inline F clamped(F x, double low, double high) {
  x = select(less(x, low), x.constant(low), x);
  return select(less(x.constant(high), x), x.constant(high), x);
}

/// Returns 2^x for |x| <= 1/2. Coefficients: interpolation at the zeros of
/// Chebyshev's polynomial of degree 7; the relative error is 2.6e-9.
inline F exp2OfFraction(F x) {
  return polynomial(x, {0.0001546144469856913, 0.0013400428177615838,
                        0.009618056678524637, 0.05550327226670302,
                        0.24022650922288757, 0.6931472067028326, 1.0});
}

/// A double-word number: an unevaluated sum, the second term at most half a
/// unit in the last place of the first (Joldes, Muller and Popescu, ACM Trans.
/// Math. Softw. 44, 2017).
struct DoubleWord {
  F high, low;
};

/// Returns Dekker's sum of two numbers. \pre |a| >= |b|, or a = 0
inline DoubleWord fastTwoSum(F a, F b) {
  F high = a + b;
  return {high, b - (high - a)};
}
/// Returns Knuth's sum of any two numbers.
inline DoubleWord twoSum(F a, F b) {
  F high = a + b;
  F added = high - a;
  return {high, (a - (high - added)) + (b - added)};
}
inline DoubleWord twoProduct(F a, F b) {
  F high = a * b;
  return {high, fma(a, b, 0.0 - high)};
}
/// Returns the sum. \pre a is larger
inline DoubleWord add(DoubleWord a, DoubleWord b) {
  DoubleWord sum = fastTwoSum(a.high, b.high);
  return fastTwoSum(sum.high, sum.low + (a.low + b.low));
}
inline DoubleWord multiply(DoubleWord a, DoubleWord b) {
  DoubleWord product = twoProduct(a.high, b.high);
  F low = fma(a.high, b.low, product.low);
  return fastTwoSum(product.high, fma(a.low, b.high, low));
}

} // namespace distaff::formulas

#endif // DISTAFF_LIB_LOWER_FLOATFORMULAS_H
