//===- IntegerOps.cpp - Definitions of ops on integers --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Definitions.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace distaff::scalars;
using llvm::APInt;
using llvm::StringRef;

namespace {

using Integers = std::optional<APInt>;

Integers divided(StringRef name, const APInt &a, const APInt &b) {
  using enum APInt::Rounding;
  if (b.isZero())
    return std::nullopt;
  bool overflows = a.isMinSignedValue() && b.isAllOnes();
  if (name == "divui")
    return a.udiv(b);
  if (name == "remui")
    return a.urem(b);
  if (name == "ceildivui")
    return llvm::APIntOps::RoundingUDiv(a, b, UP);
  if (overflows)
    return std::nullopt;
  if (name == "divsi")
    return a.sdiv(b);
  if (name == "remsi")
    return a.srem(b);
  return llvm::APIntOps::RoundingSDiv(a, b, name == "ceildivsi" ? UP : DOWN);
}

Integers shifted(StringRef name, const APInt &a, const APInt &b) {
  if (b.uge(a.getBitWidth()))
    return std::nullopt;
  return name == "shli" ? a.shl(b) : name == "shrsi" ? a.ashr(b) : a.lshr(b);
}

Integers combined(StringRef name, const APInt &a, const APInt &b) {
  if (name.contains("div") || name.contains("rem"))
    return divided(name, a, b);
  if (name.starts_with("sh"))
    return shifted(name, a, b);
  using Function = APInt (*)(const APInt &, const APInt &);
  auto function =
      llvm::StringSwitch<Function>(name)
          .Case("addi", [](const APInt &a, const APInt &b) { return a + b; })
          .Case("subi", [](const APInt &a, const APInt &b) { return a - b; })
          .Case("muli", [](const APInt &a, const APInt &b) { return a * b; })
          .Case("andi", [](const APInt &a, const APInt &b) { return a & b; })
          .Case("ori", [](const APInt &a, const APInt &b) { return a | b; })
          .Case("xori", [](const APInt &a, const APInt &b) { return a ^ b; })
          .Case("maxsi",
                [](const APInt &a, const APInt &b) -> APInt {
                  return llvm::APIntOps::smax(a, b);
                })
          .Case("minsi",
                [](const APInt &a, const APInt &b) -> APInt {
                  return llvm::APIntOps::smin(a, b);
                })
          .Case("maxui",
                [](const APInt &a, const APInt &b) -> APInt {
                  return llvm::APIntOps::umax(a, b);
                })
          .Default([](const APInt &a, const APInt &b) -> APInt {
            return llvm::APIntOps::umin(a, b);
          });
  return function(a, b);
}

bool compares(StringRef predicate, const APInt &a, const APInt &b) {
  using Test = bool (*)(const APInt &, const APInt &);
  return llvm::StringSwitch<Test>(predicate)
      .Case("eq", [](const APInt &a, const APInt &b) { return a == b; })
      .Case("ne", [](const APInt &a, const APInt &b) { return a != b; })
      .Case("slt", [](const APInt &a, const APInt &b) { return a.slt(b); })
      .Case("sle", [](const APInt &a, const APInt &b) { return a.sle(b); })
      .Case("sgt", [](const APInt &a, const APInt &b) { return a.sgt(b); })
      .Case("sge", [](const APInt &a, const APInt &b) { return a.sge(b); })
      .Case("ult", [](const APInt &a, const APInt &b) { return a.ult(b); })
      .Case("ule", [](const APInt &a, const APInt &b) { return a.ule(b); })
      .Case("ugt", [](const APInt &a, const APInt &b) { return a.ugt(b); })
      .Default([](const APInt &a, const APInt &b) { return a.uge(b); })(a, b);
}

/// The upper half of a product, or the carry of a sum.
APInt extended(StringRef name, const APInt &a, const APInt &b) {
  unsigned width = a.getBitWidth();
  if (name == "addui_extended")
    return APInt(1, (a + b).ult(a));
  bool isSigned = name == "mulsi_extended";
  auto wide = [&](const APInt &x) {
    return isSigned ? x.sext(2 * width) : x.zext(2 * width);
  };
  return (wide(a) * wide(b)).lshr(width).trunc(width);
}

/// Exponents below 0 divide: 1 / x^n, of which 1 / 0 has no value.
Integers power(APInt x, const APInt &n) {
  unsigned width = x.getBitWidth();
  if (n.isNegative()) {
    if (x.isZero())
      return std::nullopt;
    if (x.isOne())
      return x;
    if (x.isAllOnes())
      return n[0] ? x : APInt(width, 1);
    return APInt(width, 0);
  }
  APInt result(width, 1, /*isSigned=*/false, /*implicitTrunc=*/true);
  for (unsigned i = 0; i < width; ++i, x *= x)
    if (n[i])
      result *= x;
  return result;
}

Expected expected(const Integers &value) {
  return value ? Expected::exactly(value->getZExtValue()) : Expected();
}

void addBinary(std::vector<ScalarOp> &ops, const Format &type) {
  std::string suffix = std::string(" : ") + type.name;
  for (std::string name :
       {"addi",      "subi",       "muli",  "andi",  "ori",
        "xori",      "maxsi",      "minsi", "maxui", "minui",
        "divsi",     "divui",      "remsi", "remui", "ceildivsi",
        "ceildivui", "floordivsi", "shli",  "shrsi", "shrui"})
    ops.push_back({name,
                   "%v = arith." + name + " %a, %b" + suffix,
                   {&type, &type},
                   &type,
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     return expected(combined(name, type.integer(x[0]),
                                              type.integer(x[1])));
                   }});
  for (std::string name :
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    ops.push_back({"cmpi " + name,
                   "%v = arith.cmpi " + name + ", %a, %b" + suffix,
                   {&type, &type},
                   &format("i1"),
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     return Expected::exactly(compares(name, type.integer(x[0]),
                                                       type.integer(x[1])));
                   }});
}

/// The ops that promise not to wrap.
void addPromises(std::vector<ScalarOp> &ops, const Format &type) {
  using Function = APInt (APInt::*)(const APInt &, bool &) const;
  const std::tuple<const char *, Function, Function> functions[] = {
      {"addi", &APInt::sadd_ov, &APInt::uadd_ov},
      {"subi", &APInt::ssub_ov, &APInt::usub_ov},
      {"muli", &APInt::smul_ov, &APInt::umul_ov}};
  for (auto [name, ofSigned, ofUnsigned] : functions)
    for (bool isSigned : {true, false})
      ops.push_back({std::string(name) + (isSigned ? " nsw" : " nuw"),
                     std::string("%v = arith.") + name + " %a, %b overflow<" +
                         (isSigned ? "nsw" : "nuw") + "> : " + type.name,
                     {&type, &type},
                     &type,
                     [=, &type, ofSigned = ofSigned,
                      ofUnsigned = ofUnsigned](llvm::ArrayRef<uint64_t> x) {
                       bool wraps;
                       APInt a = type.integer(x[0]);
                       Function function = isSigned ? ofSigned : ofUnsigned;
                       APInt sum = (a.*function)(type.integer(x[1]), wraps);
                       return expected(wraps ? Integers() : Integers(sum));
                     }});
}

void addSelect(std::vector<ScalarOp> &ops, const Format &type) {
  ops.push_back({"select",
                 std::string("%v = arith.select %a, %b, %c : ") + type.name,
                 {&format("i1"), &type, &type},
                 &type,
                 [&type](llvm::ArrayRef<uint64_t> x) {
                   uint64_t chosen = x[0] ? x[1] : x[2];
                   return type.isFloat() && type.number(chosen).isNaN()
                              ? Expected::nan()
                              : Expected::exactly(chosen);
                 }});
}

void addWide(std::vector<ScalarOp> &ops, const Format &type) {
  for (std::string name :
       {"mulsi_extended", "mului_extended", "addui_extended"}) {
    const Format &upper = name[0] == 'a' ? format("i1") : type;
    std::string types = std::string(" : ") + type.name;
    if (name[0] == 'a')
      types += ", i1";
    ops.push_back({name,
                   "%w, %v = arith." + name + " %a, %b" + types,
                   {&type, &type},
                   &upper,
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     return Expected::exactly(
                         extended(name, type.integer(x[0]), type.integer(x[1]))
                             .getZExtValue());
                   }});
  }
}

void addMath(std::vector<ScalarOp> &ops, const Format &type) {
  using Function = uint64_t (*)(const APInt &);
  const std::pair<const char *, Function> functions[] = {
      {"absi", [](const APInt &x) { return x.abs().getZExtValue(); }},
      {"ctpop", [](const APInt &x) { return uint64_t(x.popcount()); }},
      {"ctlz", [](const APInt &x) { return uint64_t(x.countl_zero()); }},
      {"cttz", [](const APInt &x) { return uint64_t(x.countr_zero()); }}};
  for (auto [name, function] : functions)
    ops.push_back({name,
                   std::string("%v = math.") + name + " %a : " + type.name,
                   {&type},
                   &type,
                   [=, &type](llvm::ArrayRef<uint64_t> x) {
                     return Expected::exactly(function(type.integer(x[0])));
                   }});
  ops.push_back({"ipowi",
                 std::string("%v = math.ipowi %a, %b : ") + type.name,
                 {&type, &type},
                 &type,
                 [&type](llvm::ArrayRef<uint64_t> x) {
                   return expected(
                       power(type.integer(x[0]), type.integer(x[1])));
                 }});
}

} // namespace

void distaff::scalars::addIntegerOps(std::vector<ScalarOp> &ops) {
  for (const Format &type : formats()) {
    addSelect(ops, type);
    if (type.isFloat())
      continue;
    addBinary(ops, type);
    if (type.bits == 1)
      continue;
    addPromises(ops, type);
    addWide(ops, type);
    addMath(ops, type);
  }
}
