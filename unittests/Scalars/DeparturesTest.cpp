//===- DeparturesTest.cpp - Ops that GPUs approximate by default ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without strict-fp, an op of the departures in docs/ScalarOps.md (VX-260,
// VX-261) is off by no more than the table says, over every kind of number: of
// edges, subnormal, huge, infinite, NaN and random ones. What may be flushed is
// zero, or as exact as the rest.
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "Devices.h"
#include "Inputs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <mpfr.h>
#include <sstream>

using namespace distaff::scalars;
using llvm::StringRef;

namespace {

/// An op by the row of the page's table that bounds it.
struct Departure {
  std::string row;
  ScalarOp op;
  bool flushes = false; ///< results below 2^-126 may be zero
};

/// The bound that the page's table of departures has for a row.
double documentedBound(StringRef row) {
  std::stringstream text;
  text << std::ifstream(DISTAFF_SOURCE_DIR "/docs/ScalarOps.md").rdbuf();
  std::string page = text.str();
  StringRef section = StringRef(page).split("## Departures").second;
  for (StringRef line : llvm::split(section.split("\n## ").first, '\n')) {
    llvm::SmallVector<StringRef> cells;
    line.split(cells, '|');
    double bound;
    if (cells.size() > 4 && cells[1].trim().trim('`') == row &&
        !cells[4].trim().getAsDouble(bound))
      return bound;
  }
  ADD_FAILURE() << "the page has no departure `" << row.str() << "`";
  return 0;
}

double numberOf(const Format &format, uint64_t bits) {
  return toDouble(format.number(bits));
}

/// Doubles hold twice the digits of f32: what they round off is no unit.
Expected quotient(double x, double d) {
  double exact = x / d;
  return std::isnan(exact) ? Expected::nan() : Expected::near(exact, 0);
}

Expected function(int (*compute)(mpfr_t, mpfr_srcptr, mpfr_rnd_t), double x) {
  mpfr_t value;
  mpfr_init2(value, 128);
  mpfr_set_d(value, x, MPFR_RNDN);
  compute(value, value, MPFR_RNDN);
  double exact = mpfr_get_d(value, MPFR_RNDN);
  mpfr_clear(value);
  return std::isnan(exact) ? Expected::nan() : Expected::near(exact, 0);
}

void addDivisions(std::vector<Departure> &all) {
  const Format &f32 = format("f32"), &f16 = format("f16");
  auto first = [](llvm::ArrayRef<uint64_t> x) {
    return numberOf(format("f32"), x[0]);
  };
  all.push_back({"x / d",
                 {"divf",
                  "%v = arith.divf %a, %b : f32",
                  {&f32, &f32},
                  &f32,
                  [=](llvm::ArrayRef<uint64_t> x) {
                    return quotient(first(x), numberOf(format("f32"), x[1]));
                  }}});
  all.push_back(
      {"x / d",
       {"reciprocal",
        "%n = arith.constant 1.0 : f32\n"
        "    %v = arith.divf %n, %a : f32",
        {&f32},
        &f32,
        [=](llvm::ArrayRef<uint64_t> x) { return quotient(1, first(x)); }}});
  // The divisor's type keeps it in the range that needs no scale.
  all.push_back({"x / d",
                 {"divf by a half",
                  "%n = arith.extf %b : f16 to f32\n"
                  "    %v = arith.divf %a, %n : f32",
                  {&f32, &f16},
                  &f32,
                  [=](llvm::ArrayRef<uint64_t> x) {
                    return quotient(first(x), numberOf(format("f16"), x[1]));
                  }}});
  all.push_back({"x / d",
                 {"divf by a root",
                  "%n = math.sqrt %b : f32\n    %v = arith.divf %a, %n : f32",
                  {&f32, &f32},
                  &f32,
                  [=](llvm::ArrayRef<uint64_t> x) {
                    float root =
                        std::sqrt(float(numberOf(format("f32"), x[1])));
                    return quotient(first(x), root);
                  }}});
}

void addDivisionsByConstants(std::vector<Departure> &all) {
  const Format &f32 = format("f32");
  auto first = [](llvm::ArrayRef<uint64_t> x) {
    return numberOf(format("f32"), x[0]);
  };
  for (const char *constant :
       {"3.0", "7.0", "768.0", "-0.1", "4.0", "1.0e-38", "0x00000001",
        "0x00400000", "0x7F7FFFFF", "0x7F000000", "0.0", "0x7F800000",
        "0x7FC00000"}) {
    const Format &type = f32;
    llvm::APFloat divisor(*type.semantics);
    uint64_t bits;
    if (StringRef(constant).consume_front("0x"))
      StringRef(constant).drop_front(2).getAsInteger(16, bits);
    else
      bits = type.round(std::stod(constant));
    double number = numberOf(type, bits);
    all.push_back({"x / c",
                   {std::string("divf by ") + constant,
                    std::string("%n = arith.constant ") + constant +
                        " : f32\n    %v = arith.divf %a, %n : f32",
                    {&f32},
                    &f32,
                    [=](llvm::ArrayRef<uint64_t> x) {
                      return quotient(first(x), number);
                    }}});
  }
}

void addExponentials(std::vector<Departure> &all) {
  for (const char *name : {"f32", "bf16", "f16"}) {
    const Format &type = format(name);
    for (auto [op, compute] :
         {std::pair("exp", &mpfr_exp), std::pair("exp2", &mpfr_exp2)})
      all.push_back({std::string(op) + " " + name,
                     {op,
                      std::string("%v = math.") + op + " %a : " + name,
                      {&type},
                      &type,
                      [=, &type](llvm::ArrayRef<uint64_t> x) {
                        return function(compute, numberOf(type, x[0]));
                      }},
                     /*flushes=*/true});
  }
}

double errorOf(const Departure &departure, const Expected &expected,
               uint64_t got) {
  const Format &format = *departure.op.result;
  bool mayFlush = departure.flushes && expected.kind == Expected::Kind::Near &&
                  std::fabs(expected.high) < 0x1p-126;
  if (mayFlush && got == 0)
    return 0;
  return distaff::scalars::errorOf(expected, format, got);
}

void check(const Departure &departure, const Device &device) {
  const ScalarOp &op = departure.op;
  auto rows = inputsOf(op, isQuick() ? 3000 : 65536, isQuick() ? 2000 : 20000,
                       llvm::xxh3_64bits(op.title()));
  Results results = runOn(device, op, rows);
  ASSERT_FALSE(results.values.empty())
      << op.title() << " on " << device.name << ": " << results.said;
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (double error =
            errorOf(departure, op.define(rows[i]), results.values[i]);
        error > worst)
      worst = error, where = i;
  EXPECT_LE(worst, documentedBound(departure.row))
      << op.title() << " on " << device.name << " gives 0x"
      << llvm::utohexstr(results.values[where]) << " for 0x"
      << llvm::utohexstr(rows[where].front()) << ", 0x"
      << llvm::utohexstr(rows[where].back());
}

TEST(Departures, AreWithinTheirBounds) {
  std::vector<Departure> all;
  addDivisions(all);
  addDivisionsByConstants(all);
  addExponentials(all);
  for (const Departure &departure : all)
    for (const Device &device : relaxedDevices())
      check(departure, device);
}

/// Results of exp2 at the ends of the normal numbers, and beyond: by the
/// instruction there is nothing below, by definition there is.
TEST(Departures, SubnormalExponentialsAreZeroUnlessStrict) {
  const Format &f32 = format("f32");
  ScalarOp op = {"exp2", "%v = math.exp2 %a : f32", {&f32}, &f32, nullptr};
  std::vector<std::vector<uint64_t>> rows;
  for (double x :
       {-126.0, -127.0, -149.0, -1e30, double(-INFINITY), -0x1p-130, 128.0})
    rows.push_back({f32.round(x)});
  auto results = [&](const Device &device) {
    std::vector<double> numbers;
    for (uint64_t bits : runOn(device, op, rows).values)
      numbers.push_back(numberOf(f32, bits));
    return numbers;
  };
  for (const Device &device : devices())
    if (StringRef(device.name).contains("sm_80") ||
        StringRef(device.name).contains("gfx942"))
      EXPECT_EQ(results(device),
                (std::vector<double>{0x1p-126, 0x1p-127, 0x1p-149, 0, 0, 1,
                                     INFINITY}))
          << device.name;
  for (const Device &device : relaxedDevices())
    EXPECT_EQ(results(device),
              (std::vector<double>{0x1p-126, 0, 0, 0, 0, 1, INFINITY}))
        << device.name;
}

} // namespace
