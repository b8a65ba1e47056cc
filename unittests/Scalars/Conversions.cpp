//===- Conversions.cpp - Definitions of conversions -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Definitions.h"
#include "llvm/ADT/APSInt.h"

using namespace distaff::scalars;
using llvm::APFloat;

namespace {

constexpr APFloat::roundingMode nearest = APFloat::rmNearestTiesToEven;

using Definition = std::function<Expected(uint64_t)>;

void add(std::vector<ScalarOp> &ops, std::string name, const Format &from,
         const Format &to, Definition define) {
  ops.push_back({name,
                 "%v = arith." + name + " %a : " + from.name + " to " + to.name,
                 {&from},
                 &to,
                 [=](llvm::ArrayRef<uint64_t> x) { return define(x[0]); }});
}

void addBetweenIntegers(std::vector<ScalarOp> &ops, const Format &from,
                        const Format &to) {
  if (from.bits > to.bits)
    add(ops, "trunci", from, to,
        [&to](uint64_t x) { return Expected::exactly(x & to.mask()); });
  if (from.bits >= to.bits)
    return;
  add(ops, "extui", from, to, [](uint64_t x) { return Expected::exactly(x); });
  add(ops, "extsi", from, to, [&](uint64_t x) {
    return Expected::exactly(from.integer(x).sext(to.bits).getZExtValue());
  });
}

void addBetweenFloats(std::vector<ScalarOp> &ops, const Format &from,
                      const Format &to) {
  if (from.bits == to.bits)
    return;
  Definition define = [&](uint64_t x) {
    bool lost;
    APFloat number = from.number(x);
    number.convert(*to.semantics, nearest, &lost);
    return Expected::number(number);
  };
  add(ops, from.bits < to.bits ? "extf" : "truncf", from, to, define);
  if (from.bits > to.bits) // the default, written out
    ops.push_back({"truncf to_nearest_even",
                   std::string("%v = arith.truncf %a to_nearest_even : ") +
                       from.name + " to " + to.name,
                   {&from},
                   &to,
                   [=](llvm::ArrayRef<uint64_t> x) { return define(x[0]); }});
}

void addToInteger(std::vector<ScalarOp> &ops, const Format &from,
                  const Format &to) {
  for (bool isSigned : {true, false})
    add(ops, isSigned ? "fptosi" : "fptoui", from, to,
        [=, &from, &to](uint64_t x) {
          llvm::APSInt integer(to.bits, !isSigned);
          bool exact;
          // What has no such integer is poison.
          return from.number(x).convertToInteger(integer, APFloat::rmTowardZero,
                                                 &exact) &
                         APFloat::opInvalidOp
                     ? Expected()
                     : Expected::exactly(integer.getZExtValue());
        });
}

void addFromInteger(std::vector<ScalarOp> &ops, const Format &from,
                    const Format &to) {
  for (bool isSigned : {true, false})
    add(ops, isSigned ? "sitofp" : "uitofp", from, to,
        [=, &from, &to](uint64_t x) {
          APFloat number(*to.semantics);
          number.convertFromAPInt(from.integer(x), isSigned, nearest);
          return Expected::number(number);
        });
}

/// Of integers whose width no array has, near those that a float holds exactly.
void addFromOddInteger(std::vector<ScalarOp> &ops, const Format &to) {
  const Format &from = format("i64");
  for (unsigned width : {25, 33, 40, 53, 54, 55, 63})
    for (bool isSigned : {true, false}) {
      std::string type = "i" + std::to_string(width);
      std::string op = isSigned ? "sitofp" : "uitofp";
      ops.push_back({op + " " + type,
                     "%n = arith.trunci %a : i64 to " + type +
                         "\n    %v = arith." + op + " %n : " + type + " to " +
                         to.name,
                     {&from},
                     &to,
                     [=, &from, &to](llvm::ArrayRef<uint64_t> x) {
                       APFloat number(*to.semantics);
                       number.convertFromAPInt(from.integer(x[0]).trunc(width),
                                               isSigned, nearest);
                       return Expected::number(number);
                     }});
    }
}

} // namespace

void distaff::scalars::addConversions(std::vector<ScalarOp> &ops) {
  for (const Format &to : formats())
    if (to.isFloat())
      addFromOddInteger(ops, to);
  for (const Format &from : formats())
    for (const Format &to : formats()) {
      if (&from != &to && from.bits == to.bits && from.bits > 1)
        add(ops, "bitcast", from, to, [&to](uint64_t x) {
          // The bits of a NaN may change where it is moved as a number.
          return to.isFloat() && to.number(x).isNaN() ? Expected::nan()
                                                      : Expected::exactly(x);
        });
      if (!from.isFloat() && !to.isFloat())
        addBetweenIntegers(ops, from, to);
      else if (from.isFloat() && to.isFloat())
        addBetweenFloats(ops, from, to);
      else if (from.isFloat())
        addToInteger(ops, from, to);
      else
        addFromInteger(ops, from, to);
    }
}
