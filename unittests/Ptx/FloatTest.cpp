//===- FloatTest.cpp - Floats against wider arithmetic --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

using namespace distaff::ptx;

namespace {

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }
float single(uint64_t value) { return std::bit_cast<float>(uint32_t(value)); }
double wide(uint64_t value) { return std::bit_cast<double>(value); }

/// A format by its places, decoded and rounded by search in a sorted list of
/// all its magnitudes: nothing in common with shifting mantissas.
struct Format {
  int exponentBits, mantissaBits;
  std::vector<double> magnitudes; ///< by bit pattern, the last is infinity

  Format(int e, int m) : exponentBits(e), mantissaBits(m) {
    int bias = (1 << (e - 1)) - 1;
    for (int exponent = 0; exponent < (1 << e) - 1; ++exponent)
      for (int fraction = 0; fraction < 1 << m; ++fraction)
        magnitudes.push_back(std::ldexp((exponent ? 1 << m : 0) + fraction,
                                        std::max(exponent, 1) - bias - m));
    magnitudes.push_back(INFINITY);
  }

  double decode(uint32_t pattern) const {
    unsigned sign = pattern >> (exponentBits + mantissaBits);
    unsigned magnitude = pattern & ((1u << (exponentBits + mantissaBits)) - 1);
    double value = magnitude < magnitudes.size() ? magnitudes[magnitude] : NAN;
    return sign ? -value : value;
  }

  /// mode: n(earest even), z(ero), m(inus), p(lus).
  uint32_t round(long double value, char mode) const {
    if (std::isnan(value))
      return (1u << (exponentBits + mantissaBits)) - 1;
    bool negative = std::signbit(value);
    long double magnitude = std::fabs(value);
    size_t above =
        std::lower_bound(magnitudes.begin(), magnitudes.end(), magnitude,
                         [](double x, long double y) { return x < y; }) -
        magnitudes.begin();
    uint32_t sign = negative ? 1u << (exponentBits + mantissaBits) : 0;
    if (magnitudes[above] == magnitude)
      return sign | above;
    size_t below = above - 1;
    bool up = mode == 'p' ? !negative : mode == 'm' ? negative : false;
    if (mode == 'n') {
      // Beyond the largest number, infinity stands where the next one would.
      long double top =
          std::isinf(magnitudes[above])
              ? 2 * (long double)magnitudes[below] - magnitudes[below - 1]
              : magnitudes[above];
      long double middle = (top + magnitudes[below]) / 2;
      up = magnitude > middle || (magnitude == middle && below % 2);
    }
    return sign | (up ? above : below);
  }
};

const Format &half() {
  static const Format format(5, 10);
  return format;
}
const Format &bfloat() {
  static const Format format(8, 7);
  return format;
}

std::vector<Inputs> someFloats(unsigned count) {
  std::mt19937_64 random(7);
  std::vector<Inputs> all;
  const float edges[] = {0.0f,    -0.0f,    1.0f,      65504.0f,  65520.0f,
                         1e-40f,  6e-8f,    INFINITY,  -INFINITY, NAN,
                         3.4e38f, 0x1p-24f, 0x1p-126f, 5.96e-8f,  2.5f};
  for (unsigned i = 0; i < count; ++i) {
    Inputs one;
    for (uint64_t *value : {&one.a, &one.b, &one.c}) {
      float x = std::ldexp(float(int64_t(random() % 0x2000001) - 0x1000000),
                           int(random() % 60) - 45);
      *value = bits(random() % 4 ? x : edges[random() % std::size(edges)]);
    }
    all.push_back(one);
  }
  return all;
}

TEST(PtxConvert, EveryHalfIsItsNumber) {
  std::vector<Inputs> inputs;
  for (unsigned i = 0; i < 0x10000; ++i)
    inputs.push_back({i, 0, 0, 0});
  for (const Format *format : {&half(), &bfloat()}) {
    std::string type = format == &half() ? "f16" : "bf16";
    std::vector<uint64_t> wider =
        evaluate("cvt.f32." + type + " %r20, %h0;", "%r20", inputs);
    std::vector<uint64_t> back = evaluate(
        "cvt.f32." + type + " %r20, %h0;\ncvt.rn." + type + ".f32 %h5, %r20;",
        "%h5", inputs);
    for (unsigned i = 0; i < 0x10000; ++i) {
      double value = format->decode(i);
      if (std::isnan(value)) {
        ASSERT_EQ(wider[i], 0x7FFFFFFFu);
        ASSERT_EQ(back[i], 0x7FFFu);
      } else {
        ASSERT_EQ(wider[i], bits(float(value))) << i;
        ASSERT_EQ(back[i], i);
      }
    }
  }
}

TEST(PtxConvert, EveryRoundingOfSingles) {
  std::vector<Inputs> inputs = someFloats(4000);
  for (char mode : {'n', 'z', 'm', 'p'})
    for (const Format *format : {&half(), &bfloat()}) {
      if (format == &bfloat() && (mode == 'm' || mode == 'p'))
        continue;
      std::string type = format == &half() ? "f16" : "bf16";
      std::vector<uint64_t> results =
          evaluate(std::string("cvt.r") + mode + "." + type + ".f32 %h5, %r10;",
                   "%h5", inputs);
      for (size_t i = 0; i < inputs.size(); ++i)
        ASSERT_EQ(results[i], format->round(single(inputs[i].a), mode))
            << mode << " of " << single(inputs[i].a);
    }
}

TEST(PtxConvert, PairsPutTheFirstAbove) {
  std::vector<Inputs> inputs = someFloats(1000);
  std::vector<uint64_t> pairs =
      evaluate("cvt.rn.bf16x2.f32 %r20, %r10, %r11;", "%r20", inputs);
  std::vector<uint64_t> rectified =
      evaluate("cvt.rz.relu.f16x2.f32 %r20, %r10, %r11;", "%r20", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    float a = single(inputs[i].a), b = single(inputs[i].b);
    ASSERT_EQ(pairs[i], bfloat().round(a, 'n') << 16 | bfloat().round(b, 'n'));
    auto relu = [](float x) {
      return std::signbit(x) && !std::isnan(x) ? 0.0f : x;
    };
    ASSERT_EQ(rectified[i],
              half().round(relu(a), 'z') << 16 | half().round(relu(b), 'z'));
  }
}

TEST(PtxConvert, FloatsAndIntegers) {
  struct Row {
    float value;
    const char *body;
    uint64_t result;
  };
  for (auto [value, body, result] :
       {Row{2.5f, "cvt.rni.s32.f32 %r20, %r10;", 2},
        Row{3.5f, "cvt.rni.s32.f32 %r20, %r10;", 4},
        Row{-2.5f, "cvt.rzi.s32.f32 %r20, %r10;", uint32_t(-2)},
        Row{-2.5f, "cvt.rmi.s32.f32 %r20, %r10;", uint32_t(-3)},
        Row{-2.5f, "cvt.rpi.s32.f32 %r20, %r10;", uint32_t(-2)},
        Row{-3e9f, "cvt.rzi.s32.f32 %r20, %r10;", 0x80000000},
        Row{3e9f, "cvt.rzi.s32.f32 %r20, %r10;", 0x7FFFFFFF},
        Row{-1.0f, "cvt.rzi.u32.f32 %r20, %r10;", 0},
        Row{NAN, "cvt.rzi.s32.f32 %r20, %r10;", 0},
        Row{1e30f, "cvt.rzi.u64.f32 %rd20, %r10;\ncvt.u32.u64 %r20, %rd20;",
            0xFFFFFFFF},
        Row{2.5f, "cvt.rni.f32.f32 %r20, %r10;", bits(2.0f)},
        Row{2.5f, "cvt.rpi.f32.f32 %r20, %r10;", bits(3.0f)},
        Row{1e-40f, "cvt.ftz.f64.f32 %rd20, %r10;\ncvt.u32.u64 %r20, %rd20;",
            0},
        Row{7.5f, "cvt.sat.f32.f32 %r20, %r10;", bits(1.0f)},
        Row{-7.5f, "cvt.sat.f32.f32 %r20, %r10;", 0},
        Row{NAN, "cvt.sat.f32.f32 %r20, %r10;", 0},
        // NaN is the least number where either side has 64 bits.
        Row{NAN, "cvt.f64.f32 %rd20, %r10;\ncvt.rzi.s32.f64 %r20, %rd20;",
            0x80000000},
        Row{NAN,
            "cvt.rzi.s64.f32 %rd20, %r10;\nshr.u64 %rd20, %rd20, 32;\n"
            "cvt.u32.u64 %r20, %rd20;",
            0x80000000},
        // 1 + 2^-11 lies between two neighbours of 10 bits, away from zero.
        Row{1 + 0x1p-11f, "cvt.rna.tf32.f32 %r20, %r10;", bits(1 + 0x1p-10f)}})
    EXPECT_EQ(evaluate(body, "%r20", {bits(value)}), uint32_t(result))
        << body << " of " << value;

  std::mt19937_64 random(3);
  std::vector<Inputs> inputs;
  for (int i = 0; i < 2000; ++i)
    inputs.push_back({random() >> (random() % 60)});
  std::vector<uint64_t> fromU64 =
      evaluate("cvt.rn.f32.u64 %r20, %rd10;", "%r20", inputs);
  std::vector<uint64_t> fromS64 =
      evaluate("cvt.rn.f64.s64 %rd21, %rd10;", "%rd21", inputs);
  std::vector<uint64_t> fromS32 =
      evaluate("cvt.rz.f32.s32 %r20, %r10;", "%r20", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(fromU64[i], bits(float(inputs[i].a)));
    ASSERT_EQ(wide(fromS64[i]), double(int64_t(inputs[i].a)));
    int32_t integer = int32_t(inputs[i].a);
    float nearest = float(integer);
    float truncated = std::fabs(double(nearest)) > std::fabs(double(integer))
                          ? std::nextafter(nearest, 0.0f)
                          : nearest;
    ASSERT_EQ(fromS32[i], bits(truncated)) << integer;
  }
}

// Whichever side NaN is on, only what asks for it holds.
TEST(PtxCompare, NanIsUnordered) {
  for (auto [first, second] : {std::pair(NAN, 1.0f), {1.0f, NAN}, {NAN, NAN}})
    for (auto [comparison, holds] : {std::pair("eq", 0),
                                     {"ne", 0},
                                     {"lt", 0},
                                     {"le", 0},
                                     {"gt", 0},
                                     {"ge", 0},
                                     {"num", 0},
                                     {"equ", 1},
                                     {"neu", 1},
                                     {"ltu", 1},
                                     {"leu", 1},
                                     {"gtu", 1},
                                     {"geu", 1},
                                     {"nan", 1}})
      EXPECT_EQ(evaluate("setp." + std::string(comparison) +
                             ".f32 %p1, %r10, %r11;\nselp.b32 %r20, 1, 0, %p1;",
                         "%r20", {bits(first), bits(second)}),
                uint64_t(holds))
          << comparison << " of " << first << " and " << second;
}

TEST(PtxCompare, SetOfPairsAnswersForEachHalf) {
  // Upper halves 1 and 2, lower ones 3 and 2: only the upper one is less.
  Inputs input = {0x3C004200, 0x40004000};
  EXPECT_EQ(evaluate("set.lt.u32.f16x2 %r20, %r10, %r11;", "%r20", input),
            0xFFFF0000u);
  EXPECT_EQ(evaluate("set.lt.f16x2.f16x2 %r20, %r10, %r11;", "%r20", input),
            0x3C000000u);
}

TEST(PtxConvert, EightBitFloats) {
  // e4m3: 448 is 0x7E, 1 is 0x38; e5m2: 1 is 0x3C, the largest 57344 is 0x7B.
  EXPECT_EQ(evaluate("cvt.rn.satfinite.e4m3x2.f32 %h5, %r10, %r11;", "%h5",
                     {bits(1e6f), bits(1.0f)}),
            0x7E38u);
  EXPECT_EQ(evaluate("cvt.rn.satfinite.e5m2x2.f32 %h5, %r10, %r11;", "%h5",
                     {bits(-INFINITY), bits(1.0f)}),
            0xFB3Cu);
  EXPECT_EQ(evaluate("cvt.rn.f16x2.e4m3x2 %r20, %h0;", "%r20", {0x7E38}),
            0x5F003C00u);
}

/// The exact sum, product or fma of singles, rounded by the host in 64 bits of
/// mantissa and with what was lost; for products of 24 bits that is exact.
TEST(PtxFloat, EveryRoundingOfSumsAndProducts) {
  std::vector<Inputs> inputs;
  std::mt19937_64 random(5);
  for (int i = 0; i < 3000; ++i)
    inputs.push_back({bits(std::ldexp(float(random() % 0x1000000), -20)),
                      bits(-std::ldexp(float(random() % 0x1000000), -12)),
                      bits(std::ldexp(float(random() % 0x1000000), -25))});
  for (char mode : {'n', 'z', 'm', 'p'}) {
    std::string round = std::string(".r") + mode;
    std::vector<uint64_t> sums =
        evaluate("add" + round + ".f32 %r20, %r10, %r11;", "%r20", inputs);
    std::vector<uint64_t> products =
        evaluate("mul" + round + ".f32 %r20, %r10, %r11;", "%r20", inputs);
    std::vector<uint64_t> fused = evaluate(
        "fma" + round + ".f32 %r20, %r10, %r11, %r12;", "%r20", inputs);
    auto expected = [&](double exact) {
      float nearest = float(exact);
      bool tooHigh = nearest > exact, tooLow = nearest < exact;
      bool down = mode == 'm' || (mode == 'z' && exact > 0);
      bool up = mode == 'p' || (mode == 'z' && exact < 0);
      if (tooHigh && down)
        nearest = std::nextafter(nearest, -INFINITY);
      if (tooLow && up)
        nearest = std::nextafter(nearest, INFINITY);
      return bits(nearest);
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      // These exponents keep sums and products within 53 bits.
      double a = single(inputs[i].a), b = single(inputs[i].b),
             c = single(inputs[i].c);
      ASSERT_EQ(sums[i], expected(a + b)) << a << " + " << b;
      ASSERT_EQ(products[i], expected(a * b)) << a << " * " << b;
      if (double sum = a * b + c; sum - a * b == c)
        ASSERT_EQ(fused[i], expected(sum)) << a << " * " << b << " + " << c;
    }
  }
}

TEST(PtxFloat, TheSmallestAddendDecidesARounding) {
  uint64_t one = bits(1), tiny = 1, minusTiny = 0x80000001;
  EXPECT_EQ(evaluate("add.rp.f32 %r20, %r10, %r11;", "%r20", {one, tiny}),
            one + 1);
  EXPECT_EQ(evaluate("add.rz.f32 %r20, %r10, %r11;", "%r20", {one, tiny}), one);
  EXPECT_EQ(evaluate("add.rm.f32 %r20, %r10, %r11;", "%r20", {one, minusTiny}),
            one - 1);
  EXPECT_EQ(evaluate("add.rp.f32 %r20, %r10, %r11;", "%r20", {one, minusTiny}),
            one);
}

// Where the remainder's sign says on which side of the exact result a neighbour
// lies.
TEST(PtxFloat, QuotientsAndRootsOfDoubles) {
  std::mt19937_64 random(6);
  std::vector<Inputs> inputs;
  for (int i = 0; i < 2000; ++i)
    inputs.push_back(
        {std::bit_cast<uint64_t>(1 + double(random() % 100000) / 7),
         std::bit_cast<uint64_t>(1 + double(random() % 9999) / 3)});
  auto down = evaluate("div.rm.f64 %rd20, %rd10, %rd11;", "%rd20", inputs);
  auto up = evaluate("div.rp.f64 %rd20, %rd10, %rd11;", "%rd20", inputs);
  auto nearest = evaluate("div.rn.f64 %rd20, %rd10, %rd11;", "%rd20", inputs);
  auto rootDown = evaluate("sqrt.rz.f64 %rd20, %rd10;", "%rd20", inputs);
  auto rootUp = evaluate("sqrt.rp.f64 %rd20, %rd10;", "%rd20", inputs);
  auto reciprocal = evaluate("rcp.rn.f64 %rd20, %rd10;", "%rd20", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    double a = wide(inputs[i].a), b = wide(inputs[i].b);
    ASSERT_EQ(wide(nearest[i]), a / b);
    ASSERT_EQ(wide(reciprocal[i]), 1 / a);
    ASSERT_LE(std::fma(wide(down[i]), b, -a), 0);
    ASSERT_GE(std::fma(wide(up[i]), b, -a), 0);
    ASSERT_LE(up[i] - down[i], 1u);
    ASSERT_LE(std::fma(wide(rootDown[i]), wide(rootDown[i]), -a), 0);
    ASSERT_GE(std::fma(wide(rootUp[i]), wide(rootUp[i]), -a), 0);
    ASSERT_LE(rootUp[i] - rootDown[i], 1u);
  }
}

TEST(PtxFloat, ReciprocalRootsOfDoubles) {
  auto root = [](double x) {
    return wide(evaluate("rsqrt.approx.f64 %rd20, %rd10;", "%rd20",
                         Inputs{std::bit_cast<uint64_t>(x)}));
  };
  EXPECT_EQ(root(4), 0.5);
  EXPECT_EQ(root(0x1p-1074), 0x1p537); // subnormals count
  EXPECT_EQ(root(-0.0), -INFINITY);
  EXPECT_EQ(root(INFINITY), 0);
  EXPECT_TRUE(std::isnan(root(-1)));
  for (double x : {2.0, 3.0, 1e300, 7e-300}) {
    // 1 / r^2 lies on both sides of x for the neighbours of r.
    double r = root(x);
    long double below = std::nextafter(r, 0.0),
                above = std::nextafter(r, 1e308);
    EXPECT_GT(1 / (below * below), x);
    EXPECT_LT(1 / (above * above), x);
  }
}

TEST(PtxFloat, SinglesAgreeWithTheHost) {
  std::vector<Inputs> inputs = someFloats(4000);
  auto check = [&](const std::string &body, auto expected) {
    std::vector<uint64_t> results = evaluate(body, "%r20", inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      float wanted = expected(single(inputs[i].a), single(inputs[i].b),
                              single(inputs[i].c));
      ASSERT_EQ(results[i], std::isnan(wanted) ? 0x7FFFFFFFu : bits(wanted))
          << body << " of " << single(inputs[i].a) << ", "
          << single(inputs[i].b) << ", " << single(inputs[i].c);
    }
  };
  check("add.f32 %r20, %r10, %r11;",
        [](float a, float b, float) { return a + b; });
  check("sub.rn.f32 %r20, %r10, %r11;",
        [](float a, float b, float) { return a - b; });
  check("mul.f32 %r20, %r10, %r11;",
        [](float a, float b, float) { return a * b; });
  check("fma.rn.f32 %r20, %r10, %r11, %r12;",
        [](float a, float b, float c) { return std::fma(a, b, c); });
  check("div.rn.f32 %r20, %r10, %r11;",
        [](float a, float b, float) { return a / b; });
  check("sqrt.rn.f32 %r20, %r10;",
        [](float a, float, float) { return std::sqrt(a); });
  check("rcp.rn.f32 %r20, %r10;", [](float a, float, float) { return 1 / a; });
  auto ftz = [](float x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
  };
  check("mul.ftz.f32 %r20, %r10, %r11;",
        [=](float a, float b, float) { return ftz(ftz(a) * ftz(b)); });
  check("add.sat.f32 %r20, %r10, %r11;", [](float a, float b, float) {
    float sum = a + b;
    return std::isnan(sum) || sum <= 0 ? 0.0f : std::min(sum, 1.0f);
  });
  check("ex2.approx.ftz.f32 %r20, %r10;", [=](float a, float, float) {
    return ftz(float(std::exp2(double(ftz(a)))));
  });
}

TEST(PtxFloat, NaNsAndSigns) {
  uint64_t nan = 0x7FC00001, one = bits(1);
  auto two = [](const char *body, uint64_t a, uint64_t b) {
    return evaluate(body, "%r20", {a, b});
  };
  EXPECT_EQ(two("max.f32 %r20, %r10, %r11;", nan, one), one);
  EXPECT_EQ(two("max.NaN.f32 %r20, %r10, %r11;", nan, one), 0x7FFFFFFFu);
  EXPECT_EQ(two("max.f32 %r20, %r10, %r11;", bits(-0.0f), 0), 0u);
  EXPECT_EQ(two("min.f32 %r20, %r10, %r11;", 0, bits(-0.0f)), bits(-0.0f));
  EXPECT_EQ(two("min.xorsign.abs.f32 %r20, %r10, %r11;", bits(-3), bits(2)),
            bits(-2));
  EXPECT_EQ(two("copysign.f32 %r20, %r10, %r11;", bits(-3), bits(2)), bits(-2));
  EXPECT_EQ(two("neg.f32 %r20, %r10;", bits(2), 0), bits(-2));
  EXPECT_EQ(two("abs.f32 %r20, %r10;", bits(-2), 0), bits(2));
  // lower halves 1 and -2, upper NaN and 3
  EXPECT_EQ(two("max.NaN.f16x2 %r20, %r10, %r11;", 0x7E003C00, 0x4200C000),
            0x7FFF3C00u);
  EXPECT_EQ(two("neg.bf16x2 %r20, %r10;", 0x3F804000, 0), 0xBF80C000u);
  struct Row {
    const char *name;
    bool ofNan, ofLess;
  };
  for (auto [name, ofNan, ofLess] :
       {Row{"lt", false, true}, Row{"ltu", true, true}, Row{"ne", false, true},
        Row{"neu", true, true}, Row{"geu", true, false},
        Row{"nan", true, false}, Row{"num", false, true},
        Row{"equ", true, false}}) {
    std::string body = std::string("setp.") + name + ".f32 %p1, %r10, %r11;";
    EXPECT_EQ(evaluate(body, "%p1", {nan, one}), ofNan) << name;
    EXPECT_EQ(evaluate(body, "%p1", {one, bits(2)}), ofLess) << name;
  }
  EXPECT_EQ(evaluate("testp.subnormal.f32 %p1, %r10;", "%p1", {1}), 1u);
  EXPECT_EQ(
      evaluate("testp.infinite.f64 %p1, %rd10;", "%p1", {0x7FF0000000000000}),
      1u);
}

// Halves are exact in the host's longest format, and rounded by search.
TEST(PtxFloat, HalvesAndPairs) {
  std::mt19937_64 random(9);
  std::vector<Inputs> inputs;
  for (int i = 0; i < 3000; ++i)
    inputs.push_back({random(), random(), random()});
  for (const Format *format : {&half(), &bfloat()}) {
    std::string type = format == &half() ? "f16x2" : "bf16x2";
    std::vector<uint64_t> fused =
        evaluate("fma.rn." + type + " %r20, %r10, %r11, %r12;", "%r20", inputs);
    std::vector<uint64_t> sums =
        evaluate("add.rn." + type + " %r20, %r10, %r11;", "%r20", inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      for (int shift : {0, 16}) {
        long double a = format->decode(inputs[i].a >> shift & 0xFFFF),
                    b = format->decode(inputs[i].b >> shift & 0xFFFF),
                    c = format->decode(inputs[i].c >> shift & 0xFFFF);
        long double sum = a + b, product = a * b, all = product + c;
        // A sum that lost bits is somebody else's to judge.
        if (sum - a == b || !std::isfinite(sum))
          ASSERT_EQ(sums[i] >> shift & 0xFFFF, format->round(sum, 'n'));
        if ((all - product == c && all - c == product) || !std::isfinite(all))
          ASSERT_EQ(fused[i] >> shift & 0xFFFF, format->round(all, 'n'))
              << double(a) << " * " << double(b) << " + " << double(c);
      }
  }
}

// ptxas takes these without a rounding, and rounds to nearest.
TEST(PtxConversions, BetweenTheHalvesRoundToNearest) {
  struct Row {
    const char *line;
    uint64_t from, to;
  };
  for (auto [line, from, to] :
       {Row{"cvt.bf16.f16 %h5, %h0;", 0x3C04, 0x3F80}, // 1 + 2^-8, a tie
        Row{"cvt.bf16.f16 %h5, %h0;", 0x3C05, 0x3F81},
        Row{"cvt.bf16.f16 %h5, %h0;", 0x3C0C, 0x3F82},
        Row{"cvt.rz.bf16.f16 %h5, %h0;", 0x3C0F, 0x3F81},
        Row{"cvt.f16.bf16 %h5, %h0;", 0x3F81, 0x3C08},
        Row{"cvt.f16.bf16 %h5, %h0;", 0x7F00, 0x7C00}, // too large
        Row{"cvt.f16.bf16 %h5, %h0;", 0xB300, 0x8000}, // -2^-25, a tie
        Row{"cvt.f16.bf16 %h5, %h0;", 0x3301, 0x0001},
        Row{"cvt.rn.f16.bf16 %h5, %h0;", 0x3301, 0x0001},
        // A rounding that has nothing to do.
        Row{"cvt.rn.f32.bf16 %r20, %h0; mov.b32 {%h6, %h5}, %r20;", 0xBF81,
            0xBF81},
        Row{"cvt.rz.f32.bf16 %r20, %h0; mov.b32 {%h6, %h5}, %r20;", 0x0001,
            0x0001}})
    EXPECT_EQ(evaluate(line, "%h5", {from}), to) << line << " of " << from;
}

} // namespace
