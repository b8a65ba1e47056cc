//===- Functions.cpp - Definitions of functions, by MPFR ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Definitions.h"

#include <cmath>
#include <mpfr.h>

using namespace distaff::scalars;
using llvm::APFloat;

namespace {

/// Bits that a value is computed with: twice those of double, and some.
constexpr mpfr_prec_t precision = 128;

class Real {
public:
  explicit Real(mpfr_prec_t bits) { mpfr_init2(value, bits); }
  Real() : Real(precision) {}
  explicit Real(double number) : Real() {
    mpfr_set_d(value, number, MPFR_RNDN);
  }
  ~Real() { mpfr_clear(value); }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;

  Expected expected() {
    if (mpfr_nan_p(value))
      return Expected::nan();
    double high = mpfr_get_d(value, MPFR_RNDN);
    if (std::isinf(high) || high == 0)
      return Expected::near(high, 0);
    mpfr_sub_d(value, value, high, MPFR_RNDN);
    return Expected::near(high, mpfr_get_d(value, MPFR_RNDN));
  }

  mpfr_t value;
};

using Unary = int (*)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
using Binary = int (*)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

const std::pair<const char *, Unary> unary[] = {
    {"acos", mpfr_acos},   {"acosh", mpfr_acosh}, {"asin", mpfr_asin},
    {"asinh", mpfr_asinh}, {"atan", mpfr_atan},   {"atanh", mpfr_atanh},
    {"cbrt", mpfr_cbrt},   {"cos", mpfr_cos},     {"cosh", mpfr_cosh},
    {"erf", mpfr_erf},     {"erfc", mpfr_erfc},   {"exp", mpfr_exp},
    {"exp2", mpfr_exp2},   {"expm1", mpfr_expm1}, {"log", mpfr_log},
    {"log10", mpfr_log10}, {"log1p", mpfr_log1p}, {"log2", mpfr_log2},
    {"sin", mpfr_sin},     {"sinh", mpfr_sinh},   {"tan", mpfr_tan},
    {"tanh", mpfr_tanh}};

/// 1 / sqrt(x): minus infinity for -0, where mpfr_rec_sqrt has infinity.
int reciprocalRoot(mpfr_t result, mpfr_srcptr x, mpfr_rnd_t mode) {
  if (mpfr_zero_p(x))
    return mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1), 0;
  return mpfr_rec_sqrt(result, x, mode);
}

void addUnary(std::vector<ScalarOp> &ops, const Format &type, std::string name,
              Unary function) {
  ops.push_back({name,
                 "%v = math." + name + " %a : " + type.name,
                 {&type},
                 &type,
                 [=, &type](llvm::ArrayRef<uint64_t> x) {
                   Real number(toDouble(type.number(x[0]))), result;
                   function(result.value, number.value, MPFR_RNDN);
                   return result.expected();
                 }});
}

/// IEEE 754 rounds it; no root is subnormal, so that MPFR's rounding is that.
void addRoot(std::vector<ScalarOp> &ops, const Format &type) {
  ops.push_back(
      {"sqrt",
       std::string("%v = math.sqrt %a : ") + type.name,
       {&type},
       &type,
       [&type](llvm::ArrayRef<uint64_t> x) {
         Real number(toDouble(type.number(x[0])));
         Real result(mpfr_prec_t(APFloat::semanticsPrecision(*type.semantics)));
         mpfr_sqrt(result.value, number.value, MPFR_RNDN);
         double root = mpfr_get_d(result.value, MPFR_RNDN);
         return std::isnan(root) ? Expected::nan()
                                 : Expected::exactly(type.round(root));
       }});
}

void addBinary(std::vector<ScalarOp> &ops, const Format &type, std::string name,
               Binary function) {
  ops.push_back({name,
                 "%v = math." + name + " %a, %b : " + type.name,
                 {&type, &type},
                 &type,
                 [=, &type](llvm::ArrayRef<uint64_t> x) {
                   Real a(toDouble(type.number(x[0])));
                   Real b(toDouble(type.number(x[1]))), result;
                   function(result.value, a.value, b.value, MPFR_RNDN);
                   return result.expected();
                 }});
}

void addIntegerPower(std::vector<ScalarOp> &ops, const Format &type,
                     const Format &exponent) {
  ops.push_back({"fpowi",
                 std::string("%v = math.fpowi %a, %b : ") + type.name + ", " +
                     exponent.name,
                 {&type, &exponent},
                 &type,
                 [&](llvm::ArrayRef<uint64_t> x) {
                   Real number(toDouble(type.number(x[0]))), result;
                   mpfr_pow_si(result.value, number.value,
                               exponent.integer(x[1]).getSExtValue(),
                               MPFR_RNDN);
                   return result.expected();
                 }});
}

/// By constants, of which some are products.
void addConstantPower(std::vector<ScalarOp> &ops, const Format &type,
                      int exponent) {
  ops.push_back({"fpowi by a constant",
                 "%n = arith.constant " + std::to_string(exponent) +
                     " : i32\n    %v = math.fpowi %a, %n : " + type.name +
                     ", i32",
                 {&type},
                 &type,
                 [=, &type](llvm::ArrayRef<uint64_t> x) {
                   Real number(toDouble(type.number(x[0]))), result;
                   mpfr_pow_si(result.value, number.value, exponent, MPFR_RNDN);
                   return result.expected();
                 }});
}

} // namespace

void distaff::scalars::addFunctions(std::vector<ScalarOp> &ops) {
  for (const Format &type : formats()) {
    if (!type.isFloat())
      continue;
    for (auto [name, function] : unary)
      addUnary(ops, type, name, function);
    addRoot(ops, type);
    addUnary(ops, type, "rsqrt", reciprocalRoot);
    addBinary(ops, type, "atan2", mpfr_atan2);
    addBinary(ops, type, "powf", mpfr_pow);
    addIntegerPower(ops, type, format("i32"));
    for (int exponent : {-8, -3, -2, -1, 0, 1, 2, 3, 4, 8, 31})
      addConstantPower(ops, type, exponent);
  }
}
