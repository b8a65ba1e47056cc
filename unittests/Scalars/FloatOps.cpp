//===- FloatOps.cpp - Definitions of ops that IEEE 754 rounds -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Definitions.h"

#include <cmath>

using namespace distaff::scalars;
using llvm::APFloat;
using llvm::StringRef;

namespace {

constexpr APFloat::roundingMode nearest = APFloat::rmNearestTiesToEven;

/// maxnumf and minnumf: a NaN is the other operand, either zero will do.
Expected number(StringRef name, const APFloat &a, const APFloat &b) {
  if (a.isZero() && b.isZero())
    return Expected::either(bitsOf(a), bitsOf(b));
  // Not llvm::maxnum, for which a signaling NaN is more than the other operand.
  if (a.isNaN() || b.isNaN())
    return Expected::number(a.isNaN() ? b : a);
  bool isFirst = (a > b) == (name == "maxnumf");
  return Expected::number(isFirst ? a : b);
}

Expected combined(StringRef name, APFloat a, const APFloat &b) {
  if (name == "maxnumf" || name == "minnumf")
    return number(name, a, b);
  if (name == "maximumf")
    a = llvm::maximum(a, b);
  else if (name == "minimumf")
    a = llvm::minimum(a, b);
  else if (name == "addf")
    a.add(b, nearest);
  else if (name == "subf")
    a.subtract(b, nearest);
  else if (name == "mulf")
    a.multiply(b, nearest);
  else if (name == "divf")
    a.divide(b, nearest);
  else
    a.mod(b);
  return Expected::number(a);
}

/// A predicate's letters: unordered or ordered, then which of <, =, > it holds
/// for.
bool compares(StringRef predicate, const APFloat &a, const APFloat &b) {
  if (predicate == "false" || predicate == "true")
    return predicate == "true";
  APFloat::cmpResult result = a.compare(b);
  if (predicate == "ord" || predicate == "uno")
    return (result == APFloat::cmpUnordered) == (predicate == "uno");
  if (result == APFloat::cmpUnordered)
    return predicate.front() == 'u';
  StringRef which = predicate.drop_front();
  if (which == "ne")
    return result != APFloat::cmpEqual;
  if (result == APFloat::cmpEqual)
    return which.contains('e');
  return result == APFloat::cmpLessThan ? which.starts_with("l")
                                        : which.starts_with("g");
}

void addBinary(std::vector<ScalarOp> &ops, const Format &type) {
  for (std::string name : {"addf", "subf", "mulf", "divf", "remf", "maximumf",
                           "minimumf", "maxnumf", "minnumf"})
    ops.push_back({name,
                   "%v = arith." + name + " %a, %b : " + type.name,
                   {&type, &type},
                   &type,
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     return combined(name, type.number(x[0]),
                                     type.number(x[1]));
                   }});
  for (std::string name :
       {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
        "ult", "ule", "une", "uno", "true", "false"})
    ops.push_back({"cmpf " + name,
                   "%v = arith.cmpf " + name + ", %a, %b : " + type.name,
                   {&type, &type},
                   &format("i1"),
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     return Expected::exactly(
                         compares(name, type.number(x[0]), type.number(x[1])));
                   }});
}

void addSigns(std::vector<ScalarOp> &ops, const Format &type) {
  uint64_t sign = 1ull << (type.bits - 1);
  auto add = [&](std::string name, std::string op, size_t operands,
                 auto define) {
    ops.push_back({name, "%v = " + op + " : " + type.name,
                   std::vector<const Format *>(operands, &type), &type,
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     uint64_t bits = define(x);
                     // -0 is NaN in formats without it.
                     return type.number(bits).isNaN() ? Expected::nan()
                                                      : Expected::exactly(bits);
                   }});
  };
  bool hasNegativeZero = !type.number(sign).isNaN();
  auto flipped = [=](uint64_t x, uint64_t by) {
    return !hasNegativeZero && (x & ~sign) == 0 ? x : x ^ by;
  };
  add("negf", "arith.negf %a", 1,
      [=](llvm::ArrayRef<uint64_t> x) { return flipped(x[0], sign); });
  add("absf", "math.absf %a", 1,
      [=](llvm::ArrayRef<uint64_t> x) { return flipped(x[0], x[0] & sign); });
  if (hasNegativeZero)
    add("copysign", "math.copysign %a, %b", 2, [=](llvm::ArrayRef<uint64_t> x) {
      return (x[0] & ~sign) | (x[1] & sign);
    });
}

void addRoundings(std::vector<ScalarOp> &ops, const Format &type) {
  const std::pair<const char *, APFloat::roundingMode> modes[] = {
      {"floor", APFloat::rmTowardNegative},
      {"ceil", APFloat::rmTowardPositive},
      {"trunc", APFloat::rmTowardZero},
      {"round", APFloat::rmNearestTiesToAway},
      {"roundeven", APFloat::rmNearestTiesToEven}};
  for (auto [name, mode] : modes)
    ops.push_back({name,
                   std::string("%v = math.") + name + " %a : " + type.name,
                   {&type},
                   &type,
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     APFloat number = type.number(x[0]);
                     number.roundToIntegral(mode);
                     return Expected::number(number);
                   }});
}

void addClasses(std::vector<ScalarOp> &ops, const Format &type) {
  using Test = bool (*)(const APFloat &);
  const std::pair<const char *, Test> tests[] = {
      {"isnan", [](const APFloat &x) { return x.isNaN(); }},
      {"isinf", [](const APFloat &x) { return x.isInfinity(); }},
      {"isfinite", [](const APFloat &x) { return x.isFinite(); }},
      {"isnormal", [](const APFloat &x) { return x.isNormal(); }}};
  for (auto [name, test] : tests)
    ops.push_back({name,
                   std::string("%v = math.") + name + " %a : " + type.name,
                   {&type},
                   &format("i1"),
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     return Expected::exactly(test(type.number(x[0])));
                   }});
}

} // namespace

void distaff::scalars::addFloatOps(std::vector<ScalarOp> &ops) {
  for (const Format &type : formats()) {
    if (!type.isFloat())
      continue;
    addBinary(ops, type);
    addSigns(ops, type);
    addRoundings(ops, type);
    addClasses(ops, type);
    ops.push_back(
        {"clampf",
         std::string("%v = math.clampf %a to [%b, %c] : ") + type.name,
         {&type, &type, &type},
         &type,
         [&type](llvm::ArrayRef<uint64_t> x) {
           APFloat larger = llvm::maximum(type.number(x[0]), type.number(x[1]));
           return Expected::number(llvm::minimum(larger, type.number(x[2])));
         }});
    ops.push_back({"fma",
                   std::string("%v = math.fma %a, %b, %c : ") + type.name,
                   {&type, &type, &type},
                   &type,
                   [&type](llvm::ArrayRef<uint64_t> x) {
                     APFloat product = type.number(x[0]);
                     product.fusedMultiplyAdd(type.number(x[1]),
                                              type.number(x[2]), nearest);
                     return Expected::number(product);
                   }});
  }
}
