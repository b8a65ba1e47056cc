//===- Remainder.cpp - The exact remainder of floats ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's remainder on NVIDIA's GPUs is x - trunc(x / y) y, which cancels to
// nothing where the quotient has more digits than a float, and on AMD's it
// calls a function. As integers, x and y are
//
//   mx 2^d  and  my,    times 2^(ey - bias - digits),   d = ex - ey
//
// and the remainder is mx 2^d mod my, which a loop computes with as many bits
// of d at a time as an i64 has left besides those of my. It is exact.
//
//===----------------------------------------------------------------------===//
#include "FloatFormulas.h"
#include "LowerMathFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace distaff;
using namespace distaff::formulas;

namespace {

using enum arith::CmpIPredicate;

/// Returns m 2^d mod `modulus`, all of 64 bits. \pre m and modulus < 2^(64 -
/// step)
I shiftedRemainder(I m, I d, I modulus, int64_t step) {
  OpBuilder &b = *m.builder;
  Type i64 = m.value.getType();
  I first = m.apply<arith::RemUIOp>(modulus);
  auto loop = scf::WhileOp::create(
      b, m.loc, TypeRange{i64, i64}, ValueRange{first.value, d.value},
      [](OpBuilder &inner, Location loc, ValueRange values) {
        I rest{&inner, loc, values[0]}, left{&inner, loc, values[1]};
        Value more = both(left, compare(sgt, left, 0), compare(ne, rest, 0));
        scf::ConditionOp::create(inner, loc, more, values);
      },
      [&](OpBuilder &inner, Location loc, ValueRange values) {
        I rest{&inner, loc, values[0]}, left{&inner, loc, values[1]};
        I by = left.apply<arith::MinSIOp>(left.constant(step));
        I shifted = shiftLeft(rest, by);
        scf::YieldOp::create(
            inner, loc,
            ValueRange{shifted.apply<arith::RemUIOp>(modulus).value,
                       (left - by).value});
      });
  return m.with(loop.getResult(0));
}

struct Parts {
  I mantissa, exponent; // integers of 64 bits
};

/// Splits a magnitude's bits into the mantissa as an integer and the biased
/// exponent, which is 1 for subnormal numbers.
Parts partsOf(I bits, int64_t digits) {
  I field = shiftRight(bits, digits);
  I fraction = bits & ((int64_t(1) << digits) - 1);
  Value isNormal = compare(ne, field, 0);
  return {select(isNormal, fraction | (int64_t(1) << digits), fraction),
          select(isNormal, field, field.constant(1))};
}

} // namespace

F distaff::remainderOf(F x, F y) {
  bool isDouble = getElementTypeOrSelf(x.value).isF64();
  int64_t digits = isDouble ? 52 : 23;
  auto wide = [&](F number) {
    I bits = bitsOf(absolute(number));
    return isDouble ? bits
                    : bits.with(arith::ExtUIOp::create(
                          *x.builder, x.loc,
                          bits.shaped(x.builder->getI64Type()), bits.value));
  };
  I magnitudeX = wide(x), magnitudeY = wide(y);
  Parts a = partsOf(magnitudeX, digits), b = partsOf(magnitudeY, digits);
  // The remainder by 0 is NaN, but the loop needs a divisor other than 0.
  I modulus =
      select(compare(eq, b.mantissa, 0), b.mantissa.constant(1), b.mantissa);
  I rest = shiftedRemainder(a.mantissa, a.exponent - b.exponent, modulus,
                            63 - digits);
  // rest 2^-digits is exact, and so is that times 2^(exponent - bias).
  F number = x.with(arith::UIToFPOp::create(*x.builder, x.loc,
                                            x.value.getType(), rest.value));
  I field = shiftLeft(b.exponent, digits);
  if (!isDouble)
    field = field.with(arith::TruncIOp::create(
        *x.builder, x.loc, field.shaped(x.builder->getI32Type()), field.value));
  number = number * std::ldexp(1.0, -digits) * numberOf(field, x);
  Value isSmaller = compare(ult, magnitudeX, magnitudeY);
  F result = select(isSmaller, x, copySign(number, x));
  // Infinity has no remainder either.
  F none = x.constant(std::nan(""));
  result = select(compare(arith::CmpFPredicate::UNO, x, y), none, result);
  result = select(equal(absolute(x), INFINITY), none, result);
  return select(equal(y, 0), none, result);
}
