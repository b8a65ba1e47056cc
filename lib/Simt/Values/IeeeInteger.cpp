//===- IeeeInteger.cpp - Integer arithmetic of any width ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results that are undefined in the IR have a value here, since inactive lanes
// compute too: division by zero gives 0, a shift by the width or more gives the
// result of shifting by one bit at a time.
//
//===----------------------------------------------------------------------===//
#include "IeeeDomain.h"
#include "llvm/ADT/bit.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

int64_t divideSigned(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? int64_t(-uint64_t(a)) : a / b;
}

int64_t remainderSigned(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

/// Returns the floored quotient: one less than towards zero if a negative
/// quotient leaves a remainder.
int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = divideSigned(a, b);
  return quotient - (remainderSigned(a, b) != 0 && (a < 0) != (b < 0));
}

int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t quotient = divideSigned(a, b);
  return quotient + (remainderSigned(a, b) != 0 && (a < 0) == (b < 0));
}

/// Returns x^n modulo 2^64. For n < 0 it is 1 / x^-n, which is 0 except for 1
/// and -1, and undefined for 0.
int64_t powerOf(int64_t x, int64_t n) {
  if (n < 0)
    return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;
  uint64_t result = 1;
  for (uint64_t square = x; n; n >>= 1, square *= square)
    if (n & 1)
      result *= square;
  return int64_t(result);
}

template <IntegerBinary op>
int64_t apply(int64_t a, int64_t b, unsigned width) {
  using Op = IntegerBinary;
  uint64_t ua = uint64_t(a), ub = uint64_t(b);
  if constexpr (op == Op::Add)
    return ieee::wrap(ua + ub, width);
  else if constexpr (op == Op::Sub)
    return ieee::wrap(ua - ub, width);
  else if constexpr (op == Op::Mul)
    return ieee::wrap(ua * ub, width);
  else if constexpr (op == Op::DivS)
    return ieee::wrap(divideSigned(a, b), width);
  else if constexpr (op == Op::FloorDivS)
    return ieee::wrap(floorDivide(a, b), width);
  else if constexpr (op == Op::CeilDivS)
    return ieee::wrap(ceilDivide(a, b), width);
  else if constexpr (op == Op::RemS)
    return remainderSigned(a, b);
  else if constexpr (op == Op::DivU || op == Op::CeilDivU || op == Op::RemU) {
    uint64_t dividend = ieee::zeroExtended(a, width);
    uint64_t divisor = ieee::zeroExtended(b, width);
    if (divisor == 0)
      return 0;
    if constexpr (op == Op::RemU)
      return ieee::wrap(dividend % divisor, width);
    bool up = op == Op::CeilDivU && dividend % divisor != 0;
    return ieee::wrap(dividend / divisor + up, width);
  } else if constexpr (op == Op::And)
    return a & b;
  else if constexpr (op == Op::Or)
    return a | b;
  else if constexpr (op == Op::Xor)
    return a ^ b;
  else if constexpr (op == Op::ShiftLeft) {
    uint64_t amount = ieee::zeroExtended(b, width);
    return amount >= width ? 0 : ieee::wrap(ua << amount, width);
  } else if constexpr (op == Op::ShiftRightS) {
    uint64_t amount = ieee::zeroExtended(b, width);
    return a >> (amount >= width ? 63 : amount);
  } else if constexpr (op == Op::ShiftRightU) {
    uint64_t amount = ieee::zeroExtended(b, width);
    uint64_t number = ieee::zeroExtended(a, width);
    return amount >= width ? 0 : ieee::wrap(number >> amount, width);
  } else if constexpr (op == Op::MinS)
    return a < b ? a : b;
  else if constexpr (op == Op::MaxS)
    return a > b ? a : b;
  else if constexpr (op == Op::MinU)
    return ua < ub ? a : b;
  else if constexpr (op == Op::MaxU)
    return ua > ub ? a : b;
  else if constexpr (op == Op::MulHighS)
    return ieee::multiplyHighSigned(a, b, width);
  else if constexpr (op == Op::MulHighU)
    return ieee::multiplyHighUnsigned(a, b, width);
  else if constexpr (op == Op::Power)
    return ieee::wrap(powerOf(a, b), width);
  else // the carry: the sum wrapped below an addend
    return -int64_t(ieee::zeroExtended(ieee::wrap(ua + ub, width), width) <
                    ieee::zeroExtended(a, width));
}

/// Calls f.operator()<op>() for the operation.
template <typename F> auto withOperation(IntegerBinary op, F f) {
  using Op = IntegerBinary;
  switch (op) {
  case Op::Add:
    return f.template operator()<Op::Add>();
  case Op::Sub:
    return f.template operator()<Op::Sub>();
  case Op::Mul:
    return f.template operator()<Op::Mul>();
  case Op::DivS:
    return f.template operator()<Op::DivS>();
  case Op::DivU:
    return f.template operator()<Op::DivU>();
  case Op::CeilDivS:
    return f.template operator()<Op::CeilDivS>();
  case Op::CeilDivU:
    return f.template operator()<Op::CeilDivU>();
  case Op::FloorDivS:
    return f.template operator()<Op::FloorDivS>();
  case Op::RemS:
    return f.template operator()<Op::RemS>();
  case Op::RemU:
    return f.template operator()<Op::RemU>();
  case Op::And:
    return f.template operator()<Op::And>();
  case Op::Or:
    return f.template operator()<Op::Or>();
  case Op::Xor:
    return f.template operator()<Op::Xor>();
  case Op::ShiftLeft:
    return f.template operator()<Op::ShiftLeft>();
  case Op::ShiftRightS:
    return f.template operator()<Op::ShiftRightS>();
  case Op::ShiftRightU:
    return f.template operator()<Op::ShiftRightU>();
  case Op::MinS:
    return f.template operator()<Op::MinS>();
  case Op::MinU:
    return f.template operator()<Op::MinU>();
  case Op::MaxS:
    return f.template operator()<Op::MaxS>();
  case Op::MaxU:
    return f.template operator()<Op::MaxU>();
  case Op::MulHighS:
    return f.template operator()<Op::MulHighS>();
  case Op::MulHighU:
    return f.template operator()<Op::MulHighU>();
  case Op::Power:
    return f.template operator()<Op::Power>();
  case Op::AddCarry:
    break;
  }
  return f.template operator()<Op::AddCarry>();
}

} // namespace

int64_t ieee::compute(IntegerUnary op, unsigned width, int64_t a) {
  uint64_t bits = zeroExtended(a, width);
  switch (op) {
  case IntegerUnary::Abs:
    return wrap(a < 0 ? -uint64_t(a) : uint64_t(a), width);
  case IntegerUnary::CountLeadingZeros:
    return wrap(llvm::countl_zero(bits) - (64 - width), width);
  case IntegerUnary::CountTrailingZeros:
    return wrap(bits == 0 ? width : llvm::countr_zero(bits), width);
  case IntegerUnary::CountOnes:
    return wrap(llvm::popcount(bits), width);
  }
  return a;
}

int64_t ieee::compute(IntegerBinary op, unsigned width, int64_t a, int64_t b) {
  return withOperation(op, [=]<IntegerBinary operation>() {
    return apply<operation>(a, b, width);
  });
}

bool ieee::compute(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  uint64_t ua = uint64_t(a), ub = uint64_t(b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

Unary ieee::integerUnary(IntegerUnary op, unsigned width) {
  return [=](int64_t n, const void *a, void *r) {
    auto *in = static_cast<const int64_t *>(a);
    auto *out = static_cast<int64_t *>(r);
    for (int64_t i = 0; i < n; ++i)
      out[i] = compute(op, width, in[i]);
  };
}

Binary ieee::integerBinary(IntegerBinary op, unsigned width) {
  return withOperation(op, [=]<IntegerBinary operation>() -> Binary {
    return [=](int64_t n, const void *a, const void *b, void *r) {
      auto *left = static_cast<const int64_t *>(a);
      auto *right = static_cast<const int64_t *>(b);
      auto *out = static_cast<int64_t *>(r);
      for (int64_t i = 0; i < n; ++i)
        out[i] = apply<operation>(left[i], right[i], width);
    };
  });
}

Binary ieee::integerCompare(arith::CmpIPredicate predicate, unsigned width) {
  return [=](int64_t n, const void *a, const void *b, void *r) {
    auto *left = static_cast<const int64_t *>(a);
    auto *right = static_cast<const int64_t *>(b);
    auto *out = static_cast<int64_t *>(r);
    for (int64_t i = 0; i < n; ++i)
      out[i] = -int64_t(compute(predicate, left[i], right[i]));
  };
}
