//===- Bounded.h - Numbers with an error bound ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--check` compares a kernel's result with a Bounded number: the value of the
// undistributed program in double, and a bound on how far the result of any
// program that computes the same in the program's own types may be from it.
//
//   x = 1/3 in f32            {0.333..., 0}           inputs are exact
//   y = x + x in f32          {0.666..., u |y|}       u = 2^-24
//   z = truncf y to f16       {0.666..., u |y| + u16 |z|}, u16 = 2^-11
//   cmpf olt, z, 0.6667       undecided: the bound reaches the other answer
//
// The bound is first order with a safety factor: it grants every operation one
// rounding in its type (functions: a few, as GPU instructions have), and every
// sum of many terms the loss in the worst order of additions, fused or
// not. It never assumes that a program rounds where the source does. Where
// no order can round, as in sums of small whole numbers, it grants nothing.
//
// An IEEE 754 rounding of exact operands has one right answer all the same, as
// no order and no fusion changes it: such a number is marked, and loses the
// mark in the next operation. The sign of an exact zero is marked too; if both
// signs are possible, its bound is the smallest positive number.
//
// A choice within the bound makes the result undecided, unless both
// outcomes are as close as the bound is wide: relu at 0 stays decided.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_BOUNDED_H
#define DISTAFF_LIB_SIMT_VALUES_BOUNDED_H

#include "FloatFormat.h"
#include <cmath>
#include <limits>

namespace distaff::simt {

struct Bounded {
  double value = 0;
  double bound = 0;
  // No bool: cells of inactive lanes hold any byte.
  uint8_t undecided = false;
  /// The result is `value`, rounded to its format.
  uint8_t isRounded = false;
};

/// An integer of any width, sign-extended; exact unless undecided.
struct BoundedInteger {
  int64_t value = 0;
  uint8_t undecided = false;
};

namespace bounded {

/// The bound of a zero that may have either sign.
inline constexpr double signOfZeroOnly =
    std::numeric_limits<double>::denorm_min();

/// Returns whether a number is certainly NaN: with an infinite bound it may be
/// any number.
inline bool isSurelyNaN(Bounded a) {
  return std::isnan(a.value) && std::isfinite(a.bound);
}

/// Returns whether neither value nor bound restricts the number, as for such a
/// NaN or infinity.
inline bool mayBeAnything(Bounded a) {
  return !std::isfinite(a.value) && std::isinf(a.bound);
}

//===----------------------------------------------------------------------===//
// Arithmetic: the operation in double, then one rounding in `format`
//===----------------------------------------------------------------------===//

Bounded add(FloatFormat format, Bounded a, Bounded b);
Bounded subtract(FloatFormat format, Bounded a, Bounded b);
Bounded multiply(FloatFormat format, Bounded a, Bounded b);
/// Returns the correctly rounded quotient of exact numbers.
Bounded divide(FloatFormat format, Bounded a, Bounded b);
/// Returns a quotient as GPU code computes it unless correct rounding is
/// required: an f32 result may also be a neighbor of the nearest number.
Bounded multiplyByReciprocal(FloatFormat format, Bounded a, Bounded b);
Bounded remainder(FloatFormat format, Bounded a, Bounded b);
Bounded fma(FloatFormat format, Bounded a, Bounded b, Bounded c);
Bounded negate(Bounded a);
Bounded absolute(Bounded a);
Bounded copySign(Bounded a, Bounded b);
Bounded power(FloatFormat format, Bounded a, Bounded b);
Bounded arcTangent2(FloatFormat format, Bounded a, Bounded b);

Bounded minimum(Bounded a, Bounded b);
Bounded maximum(Bounded a, Bounded b);
Bounded minNum(Bounded a, Bounded b);
Bounded maxNum(Bounded a, Bounded b);

/// A function of one number. A monotone one takes its error from the ends of
/// the operand's interval, another from the slope's largest magnitude there.
struct Function {
  double (*apply)(double);
  double (*slope)(double); // null when monotone
  double roundings;        // granted, in units of the type's roundoff
  double absolute;         // granted besides, whatever the type
  bool roundsOnce = false; // of exact operands, as IEEE 754 requires
};
Bounded apply(FloatFormat format, const Function &function, Bounded a);

/// Returns exp(x), which a target may compute as exp2(x log2 e), with an error
/// of x too. A result below 2^-126 may be flushed to zero.
Bounded exponential(FloatFormat format, Bounded a);
/// Returns exp2(x). A result below 2^-126 may be flushed to zero.
Bounded exponentialOfTwo(FloatFormat format, Bounded a);

//===----------------------------------------------------------------------===//
// Sums and products of many, in any order, fused or not
//===----------------------------------------------------------------------===//

/// Returns one addition in a sum of `terms` terms: of `term` to the partial sum
/// `before`. In another order the partial sums are other numbers, at most the
/// sum of all magnitudes: each term is granted the rounding of one of its own
/// magnitude in every other addition. Integers that stay below 2^digits in any
/// order are exact.
Bounded addOfMany(FloatFormat format, Bounded before, Bounded term,
                  int64_t terms);

/// Returns one multiplication in a product of `factors` factors: of `factor`
/// and those before; each is granted a rounding. The result is undecided if
/// another order may overflow the format on the way, as for sums.
Bounded multiplyOfMany(FloatFormat format, Bounded before, Bounded factor,
                       int64_t factors);

/// Collects the terms of a sum. `result` is exact where every partial sum, in
/// any order, is a number of the format: all terms are multiples of some 2^grid
/// and those of one sign add up to no more than 2^(grid + digits). Else it
/// grants each addition one rounding of its partial sum, in the worst order:
///
///   n terms have n - 1 partial sums, however they are associated, and of those
///   the i-th smallest is of a group of at most i + 1 terms. With positive
///   terms that add up to P, negative ones to -N, S = P - N, and none above m,
///   a group of k adds up to at most min(k m, max(P, N), |S| + (n - k) m).
///
/// The order that adds the larger sign first, large terms before small ones,
/// comes within a factor of 2 of this.
class Sum {
public:
  void add(Bounded term);
  /// Adds a product that the program rounds at most once, in the sum's format.
  void addProduct(Bounded a, Bounded b);
  Bounded result(FloatFormat format) const;

private:
  void addTerm(double term, double termError, bool isUndecided);
  bool isExactInEveryOrder(FloatFormat format) const;
  /// Returns the largest sum of magnitudes of all partial sums.
  double partialSums() const;

  double value = -0.0;               // identity: no term changes its sign
  double positive = 0, negative = 0; // magnitudes of either sign
  double largest = 0;                // magnitude of a term
  double products = 0;               // magnitudes rounded before the addition
  double error = 0;
  int64_t terms = 0;  // except zeros, which cause no rounding
  int grid = 1 << 20; // of no term yet: a multiple of any power of two
  bool undecided = false;
};

/// Collects the factors of a product. `result` grants one rounding per factor,
/// and the loss of underflow in a partial product: factors below 1 may come
/// first. It is exact if one order needs no rounding, since then the
/// significand of every partial product fits too.
class Product {
public:
  void multiply(Bounded factor);
  Bounded result(FloatFormat format) const;

private:
  double value = 1;
  double reach = 1;            // the largest magnitude that operands allow
  double above = 1, below = 1; // the product of factors over 1, and of others
  double residual = 0;         // not 0: double has rounded
  int64_t factors = 0;         // except 1
  bool forced = false;         // whether a factor is not finite
  bool isZero = false;         // whether a factor is certainly 0
  bool mayVanish = false;      // whether a factor may be 0, without certainty
  bool undecided = false;
};

//===----------------------------------------------------------------------===//
// Conversions, comparisons and choices
//===----------------------------------------------------------------------===//

/// Returns one rounding to `format`: truncf, or the write of a wider number.
Bounded convert(FloatFormat format, Bounded a);

/// The possible outcomes of a comparison, as a set of the four outcomes.
struct Comparison {
  bool less, equal, greater, unordered;
};
Comparison compare(Bounded a, Bounded b);

/// Returns whether all possible outcomes, or none, are among the accepted ones.
BoundedInteger decide(Comparison possible, Comparison accepted, Bounded a,
                      Bounded b);

Bounded select(BoundedInteger condition, Bounded a, Bounded b);
BoundedInteger select(BoundedInteger condition, BoundedInteger a,
                      BoundedInteger b);

BoundedInteger toSigned(Bounded a, unsigned width);
BoundedInteger toUnsigned(Bounded a, unsigned width);
Bounded fromSigned(FloatFormat format, BoundedInteger a);
Bounded fromUnsigned(FloatFormat format, BoundedInteger a, unsigned width);

} // namespace bounded
} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_VALUES_BOUNDED_H
