//===- ContractionTest.cpp - Products that become part of a sum -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptxas 13.5 makes of each of these, seen in its machine code.
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <bit>
#include <cmath>
#include <random>

using namespace distaff::ptx;

namespace {

/// A product and a sum that are rounded each.
template <typename Float> Float product(Float a, Float b) {
  volatile Float result = a * b;
  return result;
}
template <typename Float> Float sum(Float a, Float b) {
  volatile Float result = a + b;
  return result;
}

/// %r10 to %r13 are a, b, c and e, and %r20 is the result.
struct Row {
  const char *body;
  float (*expected)(float a, float b, float c, float e);
};

float fused(float a, float b, float c, float) { return std::fma(a, b, c); }
float apart(float a, float b, float c, float) { return sum(product(a, b), c); }

uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// Numbers whose sums cancel, so that a second rounding shows.
std::vector<Inputs> inputs() {
  std::mt19937 random(7);
  auto number = [&] { return float(int(random() % 8192) - 4096) / 1024; };
  std::vector<Inputs> all;
  for (int i = 0; i < 300; ++i) {
    float a = number() * (1 + 0x1p-20f * float(random() % 9)), b = number();
    float c = i % 2 ? -product(a, b) : number(), e = number();
    all.push_back({bitsOf(a), bitsOf(b), bitsOf(c), bitsOf(e)});
  }
  return all;
}

void expectRow(const Row &row) {
  std::vector<Inputs> given = inputs();
  std::vector<uint64_t> found = evaluate(row.body, "%r20", given);
  auto number = [](uint64_t bits) {
    return std::bit_cast<float>(uint32_t(bits));
  };
  for (size_t i = 0; i < given.size(); ++i)
    ASSERT_EQ(number(found[i]),
              row.expected(number(given[i].a), number(given[i].b),
                           number(given[i].c), number(given[i].e)))
        << row.body << " of inputs " << i;
}

TEST(PtxContraction, NeitherHasARounding) {
  for (const Row &row :
       {Row{"mul.f32 %r15, %r10, %r11; add.f32 %r20, %r15, %r12;", fused},
        Row{"mul.f32 %r15, %r10, %r11; add.f32 %r20, %r12, %r15;", fused},
        Row{"mul.rn.f32 %r15, %r10, %r11; add.f32 %r20, %r15, %r12;", apart},
        Row{"mul.f32 %r15, %r10, %r11; add.rn.f32 %r20, %r15, %r12;", apart},
        Row{"mul.ftz.f32 %r15, %r10, %r11; add.ftz.f32 %r20, %r15, %r12;",
            fused},
        Row{"mul.ftz.f32 %r15, %r10, %r11; add.f32 %r20, %r15, %r12;", apart},
        Row{"mul.f32 %r15, %r10, %r11; add.ftz.f32 %r20, %r15, %r12;", apart},
        Row{"mul.f32 %r15, %r10, %r11; add.sat.f32 %r20, %r15, %r12;",
            [](float a, float b, float c, float) {
              return std::min(std::max(std::fma(a, b, c), 0.0f), 1.0f);
            }},
        Row{"mul.sat.f32 %r15, %r10, %r11; add.f32 %r20, %r15, %r12;",
            [](float a, float b, float c, float) {
              return sum(std::min(std::max(product(a, b), 0.0f), 1.0f), c);
            }},
        Row{"mul.f32 %r15, %r10, 0f40400000; add.f32 %r20, %r15, 0f3F8CCCCD;",
            [](float a, float, float, float) {
              return std::fma(a, 3.0f, 1.1f);
            }},
        Row{"mul.f32 %r15, %r10, %r11; bar.warp.sync -1;"
            "add.f32 %r20, %r15, %r12;",
            fused}})
    expectRow(row);
}

TEST(PtxContraction, SignsBelongToTheProductOrTheAddend) {
  auto fromAddend = [](float a, float b, float c, float) {
    return std::fma(-a, b, c);
  };
  auto less = [](float a, float b, float c, float) {
    return std::fma(a, b, -c);
  };
  for (const Row &row :
       {Row{"mul.f32 %r15, %r10, %r11; sub.f32 %r20, %r15, %r12;", less},
        Row{"mul.f32 %r15, %r10, %r11; sub.f32 %r20, %r12, %r15;", fromAddend},
        Row{"mul.f32 %r15, %r10, %r11; neg.f32 %r16, %r15;"
            "add.f32 %r20, %r16, %r12;",
            fromAddend},
        Row{"mul.f32 %r15, %r10, %r11; neg.f32 %r16, %r15;"
            "sub.f32 %r20, %r12, %r16;",
            fused},
        Row{"mul.f32 %r15, %r10, %r11; neg.f32 %r16, %r15; mov.b32 %r17, %r16;"
            "neg.f32 %r18, %r17; add.f32 %r20, %r18, %r12;",
            fused},
        Row{"mul.f32 %r15, %r10, %r11; abs.f32 %r16, %r15;"
            "add.f32 %r20, %r16, %r12;",
            [](float a, float b, float c, float) {
              return sum(std::abs(product(a, b)), c);
            }}})
    expectRow(row);
}

// All uses become part of a sum, or none does.
TEST(PtxContraction, ProductsThatAreNeededStay) {
  auto both = [](float a, float b, float c, float e) {
    return sum(std::fma(a, b, c), std::fma(a, b, e));
  };
  for (const Row &row :
       {Row{"mul.f32 %r15, %r10, %r11; add.f32 %r16, %r15, %r12;"
            "add.f32 %r17, %r15, %r13; add.rn.f32 %r20, %r16, %r17;",
            both},
        Row{"mul.f32 %r15, %r10, %r11; max.f32 %r16, %r15, %r13;"
            "add.f32 %r20, %r15, %r12;",
            apart},
        Row{"mul.f32 %r15, %r10, %r11; fma.rn.f32 %r16, %r13, %r13, %r15;"
            "add.f32 %r20, %r15, %r12;",
            apart},
        Row{"mul.f32 %r15, %r10, %r11; selp.f32 %r16, %r15, %r13, %p0;"
            "add.f32 %r20, %r15, %r12;",
            apart},
        Row{"mul.f32 %r15, %r10, %r11; add.f32 %r20, %r15, %r15;",
            [](float a, float b, float, float) { return 2 * product(a, b); }}})
    expectRow(row);
}

TEST(PtxContraction, OfTwoProductsOneIsRounded) {
  auto first = [](float a, float b, float c, float e) {
    return std::fma(a, b, product(c, e));
  };
  auto second = [](float a, float b, float c, float e) {
    return std::fma(c, e, product(a, b));
  };
  for (const Row &row :
       {Row{"mul.f32 %r15, %r10, %r11; mul.f32 %r16, %r12, %r13;"
            "add.f32 %r20, %r15, %r16;",
            first},
        Row{"mul.f32 %r15, %r10, %r11; mul.f32 %r16, %r12, %r13;"
            "add.f32 %r20, %r16, %r15;",
            second},
        Row{"mul.f32 %r15, %r10, %r11; mul.f32 %r16, %r12, %r13;"
            "sub.f32 %r20, %r15, %r16;",
            [](float a, float b, float c, float e) {
              return std::fma(a, b, -product(c, e));
            }},
        // The second one is needed as a number, or the first one is.
        Row{"mul.f32 %r15, %r10, %r11; mul.f32 %r16, %r12, %r13;"
            "max.f32 %r17, %r16, %r16; add.f32 %r20, %r16, %r15;",
            first},
        // The one with one use, and then the other one is rounded for all.
        Row{"mul.f32 %r15, %r10, %r11; mul.f32 %r16, %r12, %r13;"
            "add.f32 %r17, %r16, %r15; add.f32 %r18, %r16, %r10;"
            "add.rn.f32 %r20, %r17, %r18;",
            [](float a, float b, float c, float e) {
              float rounded = product(c, e);
              return sum(std::fma(a, b, rounded), sum(rounded, a));
            }},
        Row{"mul.f32 %r15, %r10, %r11; mul.f32 %r16, %r15, %r12;"
            "add.f32 %r20, %r16, %r15;",
            [](float a, float b, float c, float) {
              float rounded = product(a, b);
              return std::fma(rounded, c, rounded);
            }}})
    expectRow(row);
}

TEST(PtxContraction, RegistersAreUsedAgain) {
  for (const Row &row :
       {Row{"mul.f32 %r15, %r10, %r11; mov.b32 %r10, 0; mov.b32 %r11, 0;"
            "add.f32 %r20, %r15, %r12;",
            fused},
        Row{"mul.f32 %r10, %r10, %r11; add.f32 %r20, %r10, %r12;", fused},
        Row{"mul.f32 %r15, %r10, %r11; add.f32 %r15, %r15, %r12;"
            "mov.b32 %r20, %r15;",
            fused},
        Row{"mul.f32 %r15, %r10, %r11; add.f32 %r16, %r15, %r12;"
            "mul.f32 %r15, %r16, %r11; add.f32 %r20, %r15, %r13;",
            [](float a, float b, float c, float e) {
              return std::fma(std::fma(a, b, c), b, e);
            }}})
    expectRow(row);
}

TEST(PtxContraction, GuardsAndBlocks) {
  auto inLoop = [](float a, float b, float c, float) {
    for (int i = 0; i < 5; ++i)
      c = std::fma(a, b, c);
    return c;
  };
  auto beforeLoop = [](float a, float b, float c, float) {
    for (int i = 0; i < 5; ++i)
      c = sum(product(a, b), c);
    return c;
  };
  for (const Row &row :
       {Row{"setp.eq.u32 %p1, 1, 1; mov.b32 %r20, 0;"
            "mul.f32 %r15, %r10, %r11; @%p1 add.f32 %r20, %r15, %r12;",
            fused},
        Row{"setp.eq.u32 %p1, 1, 1; mov.b32 %r15, 0;"
            "@%p1 mul.f32 %r15, %r10, %r11; add.f32 %r20, %r15, %r12;",
            apart},
        // Behind a guarded write it is one of two.
        Row{"setp.eq.u32 %p1, 1, 2; mul.f32 %r15, %r10, %r11;"
            "@%p1 mov.b32 %r15, 0; add.f32 %r20, %r15, %r12;",
            apart},
        Row{"setp.eq.u32 %p1, 1, 2; mul.f32 %r15, %r10, %r11; @%p1 bra L;"
            "mov.b32 %r9, 1; L: add.f32 %r20, %r15, %r12;",
            apart},
        Row{"mov.b32 %r20, %r12; mov.b32 %r9, 5; L: mul.f32 %r15, %r10, %r11;"
            "add.f32 %r20, %r15, %r20; sub.s32 %r9, %r9, 1;"
            "setp.gt.s32 %p1, %r9, 0; @%p1 bra L;",
            inLoop},
        Row{"mov.b32 %r20, %r12; mov.b32 %r9, 5; mul.f32 %r15, %r10, %r11;"
            "L: add.f32 %r20, %r15, %r20; sub.s32 %r9, %r9, 1;"
            "setp.gt.s32 %p1, %r9, 0; @%p1 bra L;",
            beforeLoop},
        // What may have been replaced is still needed as a number.
        Row{"setp.eq.u32 %p1, 1, 2; mul.f32 %r15, %r10, %r11;"
            "add.f32 %r20, %r15, %r12; @%p1 mov.b32 %r15, 0;"
            "max.f32 %r16, %r15, %r15;",
            apart},
        // Read in a later block where the register has another value: nothing
        // escapes.
        Row{"setp.eq.u32 %p1, 1, 2; mul.f32 %r15, %r10, %r11;"
            "add.f32 %r20, %r15, %r12; @%p1 bra L; mov.b32 %r9, 1;"
            "L: mov.b32 %r15, 0; add.f32 %r16, %r15, %r15;",
            fused},
        Row{"setp.eq.u32 %p1, 1, 2; mul.f32 %r15, %r10, %r11;"
            "add.f32 %r20, %r15, %r12; @%p1 bra L; mov.b32 %r9, 1;"
            "L: @%p1 mov.b32 %r15, 0; max.f32 %r16, %r15, %r15;",
            apart},
        Row{"setp.eq.u32 %p1, 1, 2; mul.f32 %r15, %r10, %r11;"
            "add.f32 %r20, %r15, %r12; @%p1 bra L; mov.b32 %r9, 1;"
            "L: max.f32 %r16, %r15, %r15;",
            apart}})
    expectRow(row);
}

TEST(PtxContraction, OtherTypes) {
  double a = 1 + 0x1p-30, b = 1 - 0x1p-31, c = -1.0;
  Inputs wide = {std::bit_cast<uint64_t>(a), std::bit_cast<uint64_t>(b),
                 std::bit_cast<uint64_t>(c), 0};
  EXPECT_EQ(evaluate("mul.f64 %rd15, %rd10, %rd11;"
                     "add.f64 %rd21, %rd15, %rd12;",
                     "%rd21", wide),
            std::bit_cast<uint64_t>(std::fma(a, b, c)));
  EXPECT_EQ(evaluate("mul.rn.f64 %rd15, %rd10, %rd11;"
                     "add.f64 %rd21, %rd15, %rd12;",
                     "%rd21", wide),
            std::bit_cast<uint64_t>(sum(product(a, b), c)));
  // (1 + 2^-6)^2 - 1 - 2^-5 is 2^-12 exactly, and 0 of a product in f16.
  Inputs narrow = {0x24103C10, 0x24103C10, 0xBC20, 0};
  EXPECT_EQ(
      evaluate("mul.f16 %h5, %h0, %h1; add.f16 %h6, %h5, %h2;", "%h6", narrow),
      0x0C00u);
  EXPECT_EQ(evaluate("mul.f16x2 %r15, %r10, %r11;"
                     "sub.f16x2 %r20, %r12, %r15;",
                     "%r20", {0x3C103C10, 0x3C103C10, 0x3C203C20, 0}),
            0x8C008C00u);
  EXPECT_EQ(evaluate("mul.rn.f16x2 %r15, %r10, %r11;"
                     "sub.f16x2 %r20, %r12, %r15;",
                     "%r20", {0x3C103C10, 0x3C103C10, 0x3C203C20, 0}),
            0u);
}

TEST(PtxContraction, MayBeLeftOut) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 x)\n{\n.reg .f32 %f<9>; .reg .b64 %d;\n"
      "ld.param.u64 %d, [x]; ld.global.f32 %f1, [%d];\n"
      "ld.global.f32 %f2, [%d+4]; mul.f32 %f3, %f1, %f1;\n"
      "add.f32 %f4, %f3, %f2; st.global.f32 [%d+8], %f4;\nret;\n}\n";
  ParseError error;
  std::optional<Module> module = parseModule(text, error);
  ASSERT_TRUE(module) << error.text;
  for (bool contracts : {true, false}) {
    float x[3] = {1 + 0x1p-12f, -1 - 0x1p-11f, 7};
    Launch launch;
    launch.contracts = contracts;
    launch.arguments = {Argument::buffer(x, sizeof(x))};
    EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed);
    EXPECT_EQ(x[2], contracts ? 0x1p-24f : 0.0f);
  }
}

// The factors of a product were never written: neither is the sum.
TEST(PtxContraction, KeepsTheMarkOfWhatNobodyWrote) {
  expectFault("ld.shared.b32 %r20, [%rd5]; mul.f32 %r21, %r20, %r20;\n"
              "add.f32 %r9, %r21, %r20;\nst.global.b32 [%rd3], %r9;",
              FaultKind::Unwritten, "st.global.b32 [%rd3]");
}

} // namespace
