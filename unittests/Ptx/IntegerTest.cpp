//===- IntegerTest.cpp - Integers and bits against plain ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <algorithm>
#include <bit>
#include <random>

using namespace distaff::ptx;

namespace {

std::vector<Inputs> someInputs(unsigned count, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  // Numbers around the ends of all widths, and any.
  const uint64_t edges[] = {0,
                            1,
                            2,
                            31,
                            32,
                            33,
                            0x7FFF,
                            0x8000,
                            0xFFFF,
                            0x7FFFFFFF,
                            0x80000000,
                            0xFFFFFFFF,
                            0x7FFFFFFFFFFFFFFF,
                            0x8000000000000000,
                            ~uint64_t(0)};
  std::vector<Inputs> all(count);
  for (Inputs &one : all)
    for (uint64_t *value : {&one.a, &one.b, &one.c, &one.e})
      *value = random() % 3 ? random() : edges[random() % std::size(edges)];
  return all;
}

using Expected = std::function<uint64_t(const Inputs &)>;

void expectAll(const std::string &body, const std::string &result,
               const Expected &expected,
               std::vector<Inputs> inputs = someInputs(400)) {
  std::vector<uint64_t> results = evaluate(body, result, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    ASSERT_EQ(results[i], expected(inputs[i]))
        << body << " of 0x" << std::hex << inputs[i].a << ", 0x" << inputs[i].b
        << ", 0x" << inputs[i].c << ", 0x" << inputs[i].e;
}

uint32_t u(uint64_t value) { return uint32_t(value); }
int32_t s(uint64_t value) { return int32_t(value); }
int64_t l(uint64_t value) { return int64_t(value); }

TEST(PtxInteger, SumsAndProducts) {
  expectAll("add.s32 %r20, %r10, %r11;", "%r20",
            [](const Inputs &x) { return u(x.a + x.b); });
  expectAll("sub.u16 %h5, %h0, %h1;", "%h5",
            [](const Inputs &x) { return uint16_t(x.a - x.b); });
  expectAll("add.sat.s32 %r20, %r10, %r11;", "%r20", [](const Inputs &x) {
    int32_t sum;
    return u(__builtin_add_overflow(s(x.a), s(x.b), &sum)
                 ? (s(x.a) < 0 ? INT32_MIN : INT32_MAX)
                 : sum);
  });
  expectAll("sub.sat.s32 %r20, %r10, %r11;", "%r20", [](const Inputs &x) {
    int32_t sum;
    return u(__builtin_sub_overflow(s(x.a), s(x.b), &sum)
                 ? (s(x.a) < 0 ? INT32_MIN : INT32_MAX)
                 : sum);
  });
  expectAll("mul.lo.s64 %rd20, %rd10, %rd11;", "%rd20",
            [](const Inputs &x) { return x.a * x.b; });
  expectAll("mul.hi.s64 %rd20, %rd10, %rd11;", "%rd20", [](const Inputs &x) {
    return uint64_t((__int128(l(x.a)) * l(x.b)) >> 64);
  });
  expectAll("mul.hi.u64 %rd20, %rd10, %rd11;", "%rd20", [](const Inputs &x) {
    return uint64_t(((unsigned __int128)x.a * x.b) >> 64);
  });
  expectAll("mul.hi.u32 %r20, %r10, %r11;", "%r20", [](const Inputs &x) {
    return u((uint64_t(u(x.a)) * u(x.b)) >> 32);
  });
  expectAll("mul.wide.s32 %rd20, %r10, %r11;", "%rd20",
            [](const Inputs &x) { return uint64_t(int64_t(s(x.a)) * s(x.b)); });
  expectAll("mul.wide.u16 %r20, %h0, %h1;", "%r20", [](const Inputs &x) {
    return u(uint32_t(uint16_t(x.a)) * uint16_t(x.b));
  });
  expectAll(
      "mad.wide.s32 %rd20, %r10, %r11, %rd12;", "%rd20",
      [](const Inputs &x) { return uint64_t(int64_t(s(x.a)) * s(x.b)) + x.c; });
  expectAll("mad.hi.sat.s32 %r20, %r10, %r11, %r12;", "%r20",
            [](const Inputs &x) {
              int64_t sum = ((int64_t(s(x.a)) * s(x.b)) >> 32) + s(x.c);
              return u(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
            });
  auto low24 = [](uint64_t value) { return int64_t(s(value << 8)) >> 8; };
  expectAll("mul24.lo.s32 %r20, %r10, %r11;", "%r20",
            [=](const Inputs &x) { return u(low24(x.a) * low24(x.b)); });
  expectAll("mad24.hi.u32 %r20, %r10, %r11, %r12;", "%r20",
            [](const Inputs &x) {
              return u((((x.a & 0xFFFFFF) * (x.b & 0xFFFFFF)) >> 16) + x.c);
            });
}

TEST(PtxInteger, QuotientsSignsAndExtrema) {
  expectAll("div.s32 %r20, %r10, %r11;", "%r20", [](const Inputs &x) {
    return s(x.b) == 0 ? ~0u : u(int64_t(s(x.a)) / s(x.b));
  });
  expectAll("rem.u64 %rd20, %rd10, %rd11;", "%rd20",
            [](const Inputs &x) { return x.b ? x.a % x.b : x.a; });
  expectAll("rem.s16 %h5, %h0, %h1;", "%h5", [](const Inputs &x) {
    int a = int16_t(x.a), b = int16_t(x.b);
    return uint16_t(b ? a % b : a);
  });
  expectAll("abs.s32 %r20, %r10;", "%r20",
            [](const Inputs &x) { return s(x.a) < 0 ? u(-x.a) : u(x.a); });
  expectAll("neg.s64 %rd20, %rd10;", "%rd20",
            [](const Inputs &x) { return -x.a; });
  expectAll("min.s16 %h5, %h0, %h1;", "%h5", [](const Inputs &x) {
    return uint16_t(std::min(int16_t(x.a), int16_t(x.b)));
  });
  expectAll("max.u32 %r20, %r10, %r11;", "%r20",
            [](const Inputs &x) { return std::max(u(x.a), u(x.b)); });
  expectAll("sad.s32 %r20, %r10, %r11, %r12;", "%r20", [](const Inputs &x) {
    return u(std::abs(int64_t(s(x.a)) - s(x.b)) + x.c);
  });
  expectAll("dp4a.s32.u32 %r20, %r10, %r11, %r12;", "%r20",
            [](const Inputs &x) {
              int64_t sum = s(x.c);
              for (int i = 0; i < 32; i += 8)
                sum += int(int8_t(x.a >> i)) * int(uint8_t(x.b >> i));
              return u(sum);
            });
  expectAll("dp2a.hi.s32.s32 %r20, %r10, %r11, %r12;", "%r20",
            [](const Inputs &x) {
              return u(s(x.c) + int64_t(int16_t(x.a)) * int8_t(x.b >> 16) +
                       int64_t(int16_t(x.a >> 16)) * int8_t(x.b >> 24));
            });
}

TEST(PtxInteger, CarriesRunThroughWords) {
  // 128 bits: (b, a) + (e, c) and (b, a) - (e, c).
  expectAll("add.cc.u32 %r20, %r10, %r12;\naddc.u32 %r21, %r11, %r13;\n"
            "mov.b64 %rd21, {%r20, %r21};",
            "%rd21", [](const Inputs &x) {
              return (uint64_t(u(x.b)) << 32 | u(x.a)) +
                     (uint64_t(u(x.e)) << 32 | u(x.c));
            });
  expectAll("sub.cc.u64 %rd21, %rd10, %rd12;\nsubc.u64 %rd22, %rd11, %rd13;",
            "%rd22",
            [](const Inputs &x) { return x.b - x.e - (x.a < x.c ? 1 : 0); });
  // A product of 64 bits from words.
  expectAll("mul.lo.u32 %r20, %r10, %r11;\nmul.hi.u32 %r21, %r10, %r11;\n"
            "mad.lo.cc.u32 %r22, %r10, %r11, %r12;\n"
            "madc.hi.u32 %r23, %r10, %r11, %r13;\n"
            "mov.b64 %rd21, {%r22, %r23};",
            "%rd21", [](const Inputs &x) {
              return uint64_t(u(x.a)) * u(x.b) +
                     (uint64_t(u(x.e)) << 32 | u(x.c));
            });
}

TEST(PtxBits, ShiftsStopAtTheWidth) {
  expectAll("shl.b32 %r20, %r10, %r11;", "%r20",
            [](const Inputs &x) { return u(x.b) > 31 ? 0 : u(x.a) << u(x.b); });
  expectAll("shr.s32 %r20, %r10, %r11;", "%r20",
            [](const Inputs &x) { return u(s(x.a) >> std::min(u(x.b), 31u)); });
  expectAll("shr.u64 %rd20, %rd10, %r11;", "%rd20",
            [](const Inputs &x) { return u(x.b) > 63 ? 0 : x.a >> u(x.b); });
  expectAll("shf.l.wrap.b32 %r20, %r10, %r11, %r12;", "%r20",
            [](const Inputs &x) {
              unsigned n = x.c & 31;
              return n ? u(x.b << n) | u(x.a) >> (32 - n) : u(x.b);
            });
  expectAll("shf.r.clamp.b32 %r20, %r10, %r11, %r12;", "%r20",
            [](const Inputs &x) {
              unsigned n = std::min(u(x.c), 32u);
              return n == 0    ? u(x.a)
                     : n == 32 ? u(x.b)
                               : u(x.a) >> n | u(x.b) << (32 - n);
            });
}

TEST(PtxBits, CountsAndFinds) {
  expectAll("popc.b64 %r20, %rd10;", "%r20",
            [](const Inputs &x) { return uint64_t(std::popcount(x.a)); });
  expectAll("clz.b32 %r20, %r10;", "%r20",
            [](const Inputs &x) { return uint64_t(std::countl_zero(u(x.a))); });
  expectAll("brev.b32 %r20, %r10;", "%r20", [](const Inputs &x) {
    uint32_t result = 0;
    for (int i = 0; i < 32; ++i)
      result = result << 1 | (x.a >> i & 1);
    return result;
  });
  expectAll("bfind.s32 %r20, %r10;", "%r20", [](const Inputs &x) {
    uint32_t bits = s(x.a) < 0 ? ~u(x.a) : u(x.a);
    return u(31 - std::countl_zero(bits));
  });
  expectAll("bfind.shiftamt.u64 %r20, %rd10;", "%r20", [](const Inputs &x) {
    return x.a ? u(std::countl_zero(x.a)) : ~0u;
  });
  EXPECT_EQ(
      evaluate("fns.b32 %r20, %r10, %r11, %r12;", "%r20", {0b10110100, 3, 2}),
      5u);
  EXPECT_EQ(evaluate("fns.b32 %r20, %r10, %r11, %r12;", "%r20",
                     {0b10110100, 6, uint64_t(-2)}),
            4u);
  EXPECT_EQ(evaluate("bmsk.clamp.b32 %r20, 4, 6;", "%r20", Inputs()), 0x3F0u);
}

// Every position and length, with the sign extended from the last bit inside.
TEST(PtxBits, FieldsOfEveryPlaceAndLength) {
  for (uint32_t word : {0x80000001u, 0x5A5AF00Fu})
    for (unsigned at = 0; at < 40; at += 3) {
      std::vector<Inputs> inputs;
      for (unsigned length = 0; length < 40; ++length)
        inputs.push_back({word, at, length, 0});
      auto field = [](const Inputs &x, bool isSigned) {
        uint64_t result = 0, sign = 0;
        for (unsigned i = 0; i < 32; ++i) {
          bool inside = i < x.c && x.b + i < 32;
          uint64_t last = std::min<uint64_t>(x.b + x.c - 1, 31);
          sign = isSigned && x.c ? x.a >> last & 1 : 0;
          result |= (inside ? x.a >> (x.b + i) & 1 : sign) << i;
        }
        return result;
      };
      expectAll(
          "bfe.u32 %r20, %r10, %r11, %r12;", "%r20",
          [&](const Inputs &x) { return field(x, false); }, inputs);
      expectAll(
          "bfe.s32 %r20, %r10, %r11, %r12;", "%r20",
          [&](const Inputs &x) { return field(x, true); }, inputs);
      expectAll(
          "bfi.b32 %r20, %r10, 0x12345678, %r11, %r12;", "%r20",
          [&](const Inputs &x) {
            uint64_t result = 0x12345678;
            for (unsigned i = 0; i < x.c && x.b + i < 32; ++i) {
              result &= ~(uint64_t(1) << (x.b + i));
              result |= (x.a >> i & 1) << (x.b + i);
            }
            return result;
          },
          inputs);
    }
}

TEST(PtxBits, CnotTellsZeros) {
  expectAll("cnot.b16 %h5, %h0;", "%h5",
            [](const Inputs &x) { return uint16_t(x.a) == 0; });
  expectAll("cnot.b32 %r20, %r10;", "%r20",
            [](const Inputs &x) { return u(x.a) == 0; });
  expectAll("cnot.b64 %rd20, %rd10;", "%rd20",
            [](const Inputs &x) { return x.a == 0; });
  // PTX ISA: cnot has .b16, .b32 and .b64, and no type that is left out.
  for (std::string line : {"cnot %r9, %r1;", "cnot.b128 %rd6, %rd7;",
                           "cnot.u32 %r9, %r1;", "cnot.pred %p1, %p2;"})
    expectFault(line, FaultKind::NotModelled, line);
}

TEST(PtxBits, EveryTableOfLop3) {
  std::vector<Inputs> inputs = someInputs(8);
  for (unsigned table = 0; table < 256; ++table)
    expectAll(
        "lop3.b32 %r20, %r10, %r11, %r12, " + std::to_string(table) + ";",
        "%r20",
        [&](const Inputs &x) {
          uint32_t result = 0;
          for (int i = 0; i < 32; ++i) {
            unsigned row =
                (x.a >> i & 1) << 2 | (x.b >> i & 1) << 1 | (x.c >> i & 1);
            result |= (table >> row & 1) << i;
          }
          return result;
        },
        inputs);
  expectAll("setp.ne.u32 %p2, %r13, 0;\n"
            "lop3.and.b32 %r20|%p1, %r10, %r11, %r12, 0x80, %p2;",
            "%p1", [](const Inputs &x) {
              return u(x.a & x.b & x.c) != 0 && u(x.e) != 0;
            });
}

// All 65536 selectors, on bytes of both signs.
TEST(PtxBits, EverySelectorOfPrmt) {
  std::vector<Inputs> inputs;
  for (unsigned selector = 0; selector < 0x10000; ++selector)
    inputs.push_back({0x83128104, 0x70F5967F, selector, 0});
  expectAll(
      "prmt.b32 %r20, %r10, %r11, %r12;", "%r20",
      [](const Inputs &x) {
        const uint8_t bytes[] = {0x04, 0x81, 0x12, 0x83,
                                 0x7F, 0x96, 0xF5, 0x70};
        uint32_t result = 0;
        for (int i = 3; i >= 0; --i) {
          unsigned nibble = x.c >> (4 * i) & 15;
          int8_t byte = int8_t(bytes[nibble % 8]);
          if (nibble >= 8)
            byte = byte < 0 ? -1 : 0;
          result = result << 8 | uint8_t(byte);
        }
        return result;
      },
      inputs);
}

// PTX ISA, the table of prmt's modes: bytes of d from the highest on.
TEST(PtxBits, EveryModeOfPrmt) {
  struct Mode {
    const char *name;
    const char *bytes[4]; ///< for c = 0 to 3
  };
  constexpr Mode modes[] = {{"f4e", {"3210", "4321", "5432", "6543"}},
                            {"b4e", {"5670", "6701", "7012", "0123"}},
                            {"rc8", {"0000", "1111", "2222", "3333"}},
                            {"ecl", {"3210", "3211", "3222", "3333"}},
                            {"ecr", {"0000", "1110", "2210", "3210"}},
                            {"rc16", {"1010", "3232", "1010", "3232"}}};
  for (const Mode &mode : modes)
    for (unsigned c = 0; c < 4; ++c) {
      uint32_t wanted = 0;
      for (const char *at = mode.bytes[c]; *at; ++at)
        wanted = wanted << 8 | (0xA0 + (*at - '0'));
      EXPECT_EQ(evaluate(std::string("prmt.b32.") + mode.name +
                             " %r20, %r10, %r11, %r12;",
                         "%r20", {0xA3A2A1A0, 0xA7A6A5A4, c}),
                wanted)
          << mode.name << c;
    }
}

TEST(PtxCompare, IntegersOfBothKinds) {
  struct Row {
    const char *name;
    bool less, equal, greater;
  };
  for (auto [name, less, equal, greater] :
       {Row{"eq", false, true, false}, Row{"ne", true, false, true},
        Row{"lt", true, false, false}, Row{"le", true, true, false},
        Row{"gt", false, false, true}, Row{"ge", false, true, true}}) {
    bool lt = less, eq = equal, gt = greater;
    expectAll(std::string("setp.") + name + ".s32 %p1, %r10, %r11;", "%p1",
              [=](const Inputs &x) {
                return s(x.a) < s(x.b) ? lt : s(x.a) > s(x.b) ? gt : eq;
              });
    expectAll(std::string("setp.") + name + ".u64 %p1, %rd10, %rd11;", "%p1",
              [=](const Inputs &x) {
                return x.a < x.b ? lt : x.a > x.b ? gt : eq;
              });
  }
  expectAll("setp.hi.u32 %p1, %r10, %r11;", "%p1",
            [](const Inputs &x) { return u(x.a) > u(x.b); });
  expectAll("setp.ne.u32 %p3, %r12, 0;\n"
            "setp.lt.xor.s32 %p1|%p2, %r10, %r11, %p3;",
            "%p2", [](const Inputs &x) {
              return !(s(x.a) < s(x.b)) != (u(x.c) != 0);
            });
  expectAll("set.ge.u32.s32 %r20, %r10, %r11;", "%r20",
            [](const Inputs &x) { return s(x.a) >= s(x.b) ? ~0u : 0u; });
  expectAll("slct.s64.s32 %rd20, %rd10, %rd11, %r12;", "%rd20",
            [](const Inputs &x) { return s(x.c) >= 0 ? x.a : x.b; });
}

TEST(PtxMove, PacksAndUnpacksTheLowestBitsFirst) {
  expectAll("mov.b64 {%r20, %r21}, %rd10;\nmov.b64 %rd21, {%r21, %r20};",
            "%rd21", [](const Inputs &x) { return x.a << 32 | x.a >> 32; });
  expectAll("mov.b64 {%h4, %h5, %h6, %h7}, %rd10;\n"
            "mov.b64 %rd21, {%h7, %h4, %h5, %h6};",
            "%rd21", [](const Inputs &x) { return x.a << 16 | x.a >> 48; });
  expectAll("mov.b32 {_, %h5}, %r10;", "%h5",
            [](const Inputs &x) { return x.a >> 16 & 0xFFFF; });
}

TEST(PtxConvert, IntegersToIntegers) {
  expectAll("cvt.s32.s8 %r20, %r10;", "%r20",
            [](const Inputs &x) { return u(int8_t(x.a)); });
  expectAll("cvt.u64.u16 %rd20, %h0;", "%rd20",
            [](const Inputs &x) { return uint16_t(x.a); });
  expectAll("cvt.sat.s8.s32 %r20, %r10;", "%r20",
            [](const Inputs &x) { return u(std::clamp(s(x.a), -128, 127)); });
  expectAll("cvt.sat.u16.s64 %h5, %rd10;", "%h5", [](const Inputs &x) {
    return uint64_t(std::clamp<int64_t>(l(x.a), 0, 65535));
  });
  expectAll("cvt.pack.sat.s16.s32 %r20, %r10, %r11;", "%r20",
            [](const Inputs &x) {
              auto one = [](uint64_t value) {
                return uint16_t(std::clamp(s(value), -32768, 32767));
              };
              return uint32_t(one(x.a)) << 16 | one(x.b);
            });
  expectAll("cvt.pack.sat.u8.s32.b32 %r20, %r10, %r11, %r12;", "%r20",
            [](const Inputs &x) {
              auto one = [](uint64_t value) {
                return uint32_t(std::clamp(s(value), 0, 255));
              };
              return u(x.c) << 16 | one(x.a) << 8 | one(x.b);
            });
}

} // namespace
