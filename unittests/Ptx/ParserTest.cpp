//===- ParserTest.cpp - Text that is not PTX ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <random>

using namespace distaff::ptx;

namespace {

/// A kernel with a bit of everything that a parser sees.
const std::string everything = R"(
// comment
/* another
   one */
.version 8.4
.target sm_80, debug
.address_size 64
.file 1 "k.py"
.extern .shared .align 16 .b8 dynamic[];
.const .align 8 .f64 numbers[2][2] = {{1.0, 0d3FF0000000000000}, {-2.5e-1}};
.global .align 4 .u32 words[4] = {1, 0x2, 0b11, 04};
.global .align 8 .u64 links[2] = {words, generic(words)+8};
.func (.param .b32 back) plus(.param .b32 x, .param .b32 y)
{
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x]; ld.param.b32 %r2, [y];
  add.s32 %r3, %r1, %r2;
  st.param.b32 [back], %r3;
  ret;
}
.visible .entry k(
  .param .u64 .ptr .global .align 4 out,
  .param .align 4 .b8 pair[8]
)
.maxntid 64, 1, 1
.minnctapersm 1
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>, %extra;
  .reg .v2 .f32 %v;
  .reg .b64 %d<5>;
  .local .align 4 .b8 own[16];
  mov.u64 %d3, dynamic;
  .loc 1 3 7, function_name $info, inlined_at 1 4 2
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d1, %d1, %d2;
  { .reg .b32 t; mov.b32 t, 7; st.local.b32 [own+-0], t; }
  ld.local.b32 %r2, [own];
  ld.param.b32 %r3, [pair+4];
  mov.b64 {%r4, _}, %d2;
  mov.f32 %v.x, 0f3F800000;
  setp.lt.and.u32 %p1|%p2, %r1, 16, !%p2;
  @!%p1 bra $L_end;
  { .param .b32 a; .param .b32 b; .param .b32 c;
    st.param.b32 [a], %r2; st.param.b32 [b], %r3;
    call.uni (c), plus, (a, b);
    ld.param.b32 %r2, [c]; }
$L_end:
  shfl.sync.idx.b32 %r4|%p1, %r2, 0, 0x1f, -1;
  st.global.b32 [%d1], %r2;
  ret;
}
.section .debug_abbrev { .b8 1 .b8 17 }
)";

Outcome runEverything(const Module &module) {
  std::vector<uint32_t> out(32);
  Launch launch;
  launch.entry = "k";
  launch.workgroup = {32, 1, 1};
  launch.dynamicSharedBytes = 64;
  launch.stepLimit = 1 << 14;
  launch.arguments = {Argument::buffer(out.data(), 128),
                      Argument::scalar(uint64_t(5) << 32)};
  return run(module, launch);
}

TEST(PtxParser, ReadsWhatCompilersWrite) {
  ParseError error;
  std::optional<Module> module = parseModule(everything, error);
  ASSERT_TRUE(module) << error.line << ": " << error.text;
  EXPECT_EQ(module->target(), "sm_80");
  ASSERT_EQ(module->entries().size(), 1u);
  const Entry &entry = module->entries()[0];
  EXPECT_EQ(entry.largestSize, (std::array<int64_t, 3>{64, 1, 1}));
  EXPECT_TRUE(entry.hasDynamicShared);
  EXPECT_EQ(entry.parameters[1].size, 8u);
  EXPECT_FALSE(entry.parameters[1].isPointer);
  Outcome outcome = runEverything(*module);
  EXPECT_EQ(outcome.verdict, Verdict::Completed)
      << (outcome.faults.empty() ? outcome.text : toString(outcome.faults[0]));
}

/// Whatever it is, it is an error with a line, or it runs to some end.
void expectNoHarm(const std::string &text) {
  ParseError error;
  std::optional<Module> module = parseModule(text, error);
  if (!module) {
    EXPECT_FALSE(error.text.empty());
    EXPECT_GT(error.line, 0u);
    return;
  }
  runEverything(*module);
}

TEST(PtxParser, TruncatedAnywhere) {
  for (size_t length = 0; length <= everything.size(); ++length)
    expectNoHarm(everything.substr(0, length));
}

TEST(PtxParser, WithoutAnyOneCharacter) {
  for (size_t at = 0; at < everything.size(); ++at) {
    std::string text = everything;
    expectNoHarm(text.erase(at, 1));
  }
}

TEST(PtxParser, WithForeignCharacters) {
  std::mt19937 random(4);
  const std::string pieces[] = {
      "{",     "}",   "(",          ")",    "[",
      "]",     "<",   ">",          "%r1",  "99999999999999999999",
      "-1",    ";",   ",",          ".b32", "@",
      "|",     "\"",  "\xFF",       "0x",   "0f",
      ":",     "ret", "4294967296", ".reg", "k",
      "%tid.x"};
  for (int i = 0; i < 6000; ++i) {
    std::string text = everything;
    for (int change = 0; change < 2; ++change)
      text.insert(random() % text.size(),
                  " " + pieces[random() % std::size(pieces)] + " ");
    expectNoHarm(text);
  }
}

// Positions end where the manual says, not with the line.
TEST(PtxParser, InstructionsMayFollowPositionsOnTheirLine) {
  expectWords(".file 2 \"a.py\" mov.u32 %r9, 1;\n"
              ".loc 1 2 3 add.u32 %r9, %r9, 10;\n"
              ".loc 1 2 3, function_name $info, inlined_at 1 4 2 "
              "add.u32 %r9, %r9, 100;\n"
              ".loc 1 2 3, inlined_at 1 4 2 add.u32 %r9, %r9, 1000;\n"
              ".loc 1 2 3, function_name $info+8 add.u32 %r9, %r9, 10000;",
              [](uint32_t) { return 11111u; });
}

TEST(PtxParser, HeadersMayStandOnOneLine) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".version 8.0 .target sm_80, debug .address_size 64 .visible .entry k() "
      "{ ret; }",
      error);
  ASSERT_TRUE(module) << error.text;
  EXPECT_EQ(module->target(), "sm_80");
  EXPECT_EQ(module->entries().size(), 1u);
}

// What was kept as a string of C brings its end along.
TEST(PtxParser, NulBytesEndTheText) {
  const std::string text = ".version 8.0\n.entry k()\n{\nret;\n}\n";
  for (const char *after : {"", "\n", ".global .b32 x;"})
    for (size_t count : {1, 3}) {
      ParseError error;
      EXPECT_TRUE(parseModule(text + after + std::string(count, '\0'), error))
          << error.text;
    }
  ParseError error;
  EXPECT_FALSE(parseModule(text + std::string(1, '\0') + "\n.x", error));
  EXPECT_NE(error.text.find("a character"), std::string::npos) << error.text;
}

// A run that does not come by what is not modelled does not end there.
TEST(PtxParser, LaterInstructionsCountWhereTheyAreReached) {
  for (const char *line :
       {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
        "::bytes [%r2], [%rd8, {%r3, %r3}], [%r4];",
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::"
        "complete_tx::bytes [%r2], [%rd8, {%r3, %r3, %r3, %r3}], [%r4], "
        "{%h1, %h2};",
        "cp.async.bulk.commit_group;",
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile."
        "bulk_group [%rd8, {%r2}], [%r3];",
        "ld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, _, %r12}, [%rd8];",
        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0, 0x989680;",
        "fence.proxy.tensormap::generic.acquire.gpu [%rd8], 128;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd1, %rd2, %r3, "
        "{%r4, %r5}, %p1;",
        "wgmma.fence.sync.aligned;", "setmaxnreg.inc.sync.aligned.u32 240;",
        "elect.sync _|%p1, -1;",
        "tex.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, "
        "[%rd8, {%r2, %r3}];",
        "cvt.rn.satfinite.e2m1x2.f32 %h1, %r2, %r3;",
        "add.rn.f32x2 %rd9, %rd1, %rd2;", "mov.u32 %r2, %cluster_ctarank;"}) {
    std::string text(line);
    expectWords("mov.u32 %r9, 3; setp.ne.u32 %p1, %r9, 3;\n@%p1 bra X;\n"
                "bra Y;\nX:\n" +
                    text + "\nY:\nadd.u32 %r9, %r9, 4;",
                [](uint32_t) { return 7u; });
    expectFault("mov.u32 %r2, 1;\n" + text, FaultKind::NotModelled, text);
  }
}

TEST(PtxParser, DirectivesOfClustersArePassedOver) {
  ParseError error;
  EXPECT_TRUE(parseModule(".version 8.0\n.entry k()\n.reqntid 32\n"
                          ".explicitcluster\n.reqnctapercluster 2, 1, 1\n"
                          ".maxclusterrank 8\n{\nret;\n}\n"
                          ".entry l() .blocksareclusters .reqntid 32 { ret; }",
                          error))
      << error.text;
}

/// Registers of every kind: %s and %i hold integers, %f and %e floats.
const std::string typed =
    ".version 8.0\n.target sm_80\n.func (.reg .b32 y) f(.reg .b64 x)\n{\n"
    "cvt.u32.u64 y, x;\nret;\n}\n.global .b32 g;\n"
    ".func (.param .b32 y) g8(.param .b64 x)\n{\nret;\n}\n"
    ".visible .entry k()\n{\n.param .b32 a4; .param .align 4 .b8 a8[8];\n"
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    ".reg .f32 %f<9>; .reg .f64 %e<9>; .reg .s32 %s<9>; .reg .u64 %i<9>;\n";

struct Misfit {
  const char *line, *message;
};

void expectMisfit(const Misfit &misfit) {
  auto [line, message] = misfit;
  ParseError error;
  EXPECT_FALSE(parseModule(typed + line + "\nret;\n}\n", error)) << line;
  EXPECT_NE(error.text.find(message), std::string::npos)
      << line << " " << error.text;
  EXPECT_EQ(error.line, 18u) << line;
}

TEST(PtxOperands, MustFitTheInstruction) {
  using Row = Misfit;
  for (const Row &row :
       {Row{"add.f32 %f1, %f1, 1;", "an integer for a .f32"},
        Row{"mov.u32 %r1, 1.0;", "a float of 64 bits for a .u32"},
        Row{"mov.b32 %r1, 1.0;", "a float of 64 bits for a .b32"},
        Row{"mov.b64 %rd1, 0f3F800000;", "a float of 32 bits for a .b64"},
        Row{"mov.u32 %r1, 0x1FFFFFFFF;", "a number of more than 32 bits"},
        Row{"mov.s32 %r1, -2147483649;", "a number of more than 32 bits"},
        Row{"mov.u16 %h1, 65536;", "a number of more than 16 bits"},
        Row{"mov.pred %p1, 2;", "a number of more than 1 bits"},
        Row{"add.u32 %rd2, %r1, %r1;", "a register of 64 bits for a .u32"},
        Row{"add.u64 %r1, %rd1, %rd1;", "a register of 32 bits for a .u64"},
        Row{"add.u64 %rd1, %rd1, %r1;", "a register of 32 bits for a .u64"},
        Row{"add.s32 %s1, %f1, %s1;", "a register of floats for a .s32"},
        Row{"add.f32 %f1, %s1, %f1;", "a register of integers for a .f32"},
        Row{"mov.f32 %f1, %tid.x;", "a special register for a .f32"},
        Row{"mov.u32 %r1, g;", "an address for a .u32"},
        Row{"mov.u32 %r1, %p1;", "a register of predicates for a .u32"},
        Row{"selp.b32 %r1, %r1, %r1, %r1;", "a register of numbers"},
        Row{"setp.eq.s32 %r1, %r1, 0;", "a register of numbers for a .pred"},
        Row{"setp.eq.s32 %p1|%r1, %r1, 0;", "a register of numbers"},
        Row{"mul.wide.s32 %r1, %r1, %r1;", "a register of 32 bits for a .s64"},
        Row{"mad.wide.s32 %rd1, %r1, %r1, %r1;", "32 bits for a .s64"},
        Row{"shl.b64 %rd1, %rd1, %rd1;", "a register of 64 bits for a .u32"},
        Row{"popc.b64 %rd1, %rd1;", "a register of 64 bits for a .u32"},
        Row{"set.lt.f32.s32 %s1, %r1, %r1;", "a register of integers"},
        Row{"cvt.u64.u32 %r1, %r1;", "a register of 32 bits for a .u64"},
        Row{"cvt.f32.f16 %r1, %s1;", "a register of integers for a .f16"},
        Row{"ld.global.b64 %r1, [%rd1];", "32 bits for a .b64"},
        Row{"ld.global.u32 %f1, [%rd1];", "a register of floats for a .u32"},
        Row{"ld.global.f32 %e1, [%rd1];", "a register of 64 bits for a .f32"},
        Row{"ld.global.b32 %r1, [%h1];", "a register of 16 bits for a .u64"},
        Row{"st.global.v2.b64 [%rd1], {%rd1, %r1};", "32 bits for a .b64"},
        Row{"st.global.b8 [%rd1], 256;", "a number of more than 8 bits"},
        Row{"fma.rn.f16x2 %r1, %r1, %r1, 1.0;", "a float of 64 bits"},
        Row{"atom.global.add.u64 %rd1, [%rd1], %r1;", "32 bits for a .u64"},
        Row{"shfl.sync.idx.b32 %rd1, %r1, 0, 31, -1;", "64 bits for a .b32"},
        Row{"mov.b64 %rd1, {%r1, %h1};", "a register of 16 bits for a .b32"},
        Row{"call (%rd1), f, (%rd1);", "a register of 64 bits for a .b32"},
        Row{"call (%r1), f, (%r1);", "a register of 32 bits for a .b64"},
        Row{"call (a4), g8, (a4);", "a parameter of 4 bytes for one of 8"},
        Row{"call (a8), g8, (a8);", "a parameter of 8 bytes for one of 4"}})
    expectMisfit(row);
}

// ptxas refuses these, each of which has no meaning.
TEST(PtxOperands, HaveARoundingWhereOneIsNeeded) {
  using Row = Misfit;
  for (const Row &row :
       {Row{"cvt.f32.f64 %f1, %e1;", "no rounding for a conversion"},
        Row{"cvt.f32.s32 %f1, %s1;", "no rounding for a conversion"},
        Row{"cvt.sat.f64.u64 %e1, %i1;", "no rounding for a conversion"},
        Row{"cvt.s32.f32 %s1, %f1;", "no rounding for a conversion"},
        Row{"cvt.f16.f32 %h1, %f1;", "no rounding for a conversion"},
        Row{"cvt.f16x2.f32 %r1, %f1, %f1;", "no rounding for a conversion"},
        Row{"cvt.tf32.f32 %r1, %f1;", "no rounding for a conversion"}})
    expectMisfit(row);
}

TEST(PtxOperands, ElementsHaveOneIndexAndNoDisplacement) {
  using Row = Misfit;
  for (const Row &row :
       {Row{"mov.u32 %r1, a8[%f1];", "'%f1' is no register of integers"},
        Row{"mov.u32 %r1, a8[%tid.x];", "is no register of integers"},
        Row{"mov.u32 %r1, a8[%r1+1.5];", "an index that is no integer"},
        Row{"mov.u32 %r1, a8[1.5];", "an index that is no integer"},
        Row{"mov.u32 %r1, a8[];", "a number expected"},
        Row{"mov.u32 %r1, a8[1]+4;", "',' expected"},
        Row{"mov.u32 %r1, a8[1;", "']' expected"},
        Row{"mov.u32 %r1, g[0];", "'g' is no array"},
        Row{"ld.param.u32 %r1, [a8[1]];", "an element within brackets"},
        Row{"ld.param.u32 %r1, [a8, {%r1, %r2];", "'}' expected"},
        Row{"ld.param.u32 %r1, [nowhere];", "nothing with an address"}})
    expectMisfit(row);
}

// Bits hold anything, and who moves or converts may have a wider register.
TEST(PtxOperands, MayBeBitsOrWider) {
  for (const char *line : {"add.f32 %r1, %f1, %r1;",
                           "add.u32 %r1, %s1, 0xFFFFFFFF;",
                           "add.s32 %s1, %r1, -2147483648;",
                           "mov.b32 %f1, %s1;",
                           "mov.b32 %r1, 0f3F800000;",
                           "mov.f32 %f1, 1.5;",
                           "mov.b64 %e1, %i1;",
                           "mov.f64 %e1, 0f3F800000;",
                           "mov.pred %p1, -1;",
                           "mov.u64 %i1, g;",
                           "mov.u64 %rd1, %clock64;",
                           "add.f16 %h1, %h1, 0x3C00;",
                           "cvt.u16.u32 %r1, %rd1;",
                           "cvt.rn.f16.f32 %r1, %f1;",
                           "cvt.u32.u8 %s1, %h1;",
                           "mul.wide.u16 %s1, %h1, %h1;",
                           "set.lt.f32.s32 %f1, %s1, %s1;",
                           "popc.b64 %s1, %i1;",
                           "call (%f1), f, (%e1);",
                           "slct.f32.s32 %f1, %f1, %f1, %s1;"}) {
    ParseError error;
    std::optional<Module> module =
        parseModule(typed + line + "\nret;\n}\n", error);
    ASSERT_TRUE(module) << line << ": " << error.text;
    Launch launch;
    EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed) << line;
  }
  // Loads and stores: the rest of the register is filled, or left out.
  expectWords("ld.global.s8 %rd6, [%rd8];\nst.shared.u8 [%rd5], %rd6;\n"
              "ld.shared.u8 %r2, [%rd5];\ncvt.u32.u64 %r9, %rd6;\n"
              "shr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r3, %rd6;\n"
              "add.u32 %r3, %r3, 1;\nor.b32 %r9, %r9, %r3;\n"
              "sub.u32 %r9, %r9, %r2;",
              [](uint32_t) { return 0xFFFFFF00u; }, {.input = {0x85}});
}

struct Refused {
  const char *text, *message;
  unsigned line;
};

class PtxParserErrors : public testing::TestWithParam<Refused> {};

TEST_P(PtxParserErrors, NameTheLine) {
  auto [text, message, line] = GetParam();
  ParseError error;
  EXPECT_FALSE(parseModule(text, error));
  EXPECT_NE(error.text.find(message), std::string::npos) << error.text;
  EXPECT_EQ(error.line, line) << error.text;
}

INSTANTIATE_TEST_SUITE_P(
    All, PtxParserErrors,
    testing::Values(
        Refused{"\n/* no", "a comment has no end", 2},
        Refused{"\n\n\x01", "a character", 3},
        Refused{".file 1 \"no\n", "a string has no end", 1},
        Refused{".frob", "no statement of a module begins with '.frob'", 1},
        Refused{".entry k()\n{\nmov.b32 %r1, 2;\n}", "nothing is called '%r1'",
                3},
        Refused{".entry k()\n{\nbra L;\n}", "nothing is called 'L'", 3},
        Refused{".entry k()\n{\nL:\nL:\n}", "'L' is declared twice", 4},
        Refused{".entry k()\n{\n", "a body has no end", 3},
        Refused{".entry k()\n{\n.reg .b32 %r<99999999999>;\n}",
                "a number of registers is 99999999999", 3},
        Refused{".entry k()\n{\n.reg .b32 %r<4>;\nmov.b32 %r4, 1;\n}",
                "nothing is called '%r4'", 4},
        Refused{".global .b32 x[1073741824][1073741824];",
                "more than 1073741824 elements", 1},
        Refused{".global .b32 x[2] = {1, 2, 3};", "more initial values", 1},
        Refused{".global .align 3 .b32 x;", "an alignment of 3", 1},
        Refused{".extern .global .b32 x;", "another module", 1},
        Refused{".entry k()\n{\nret\n}", "found '}'", 4},
        Refused{".entry k()\n{\n.local .b8 x[1000000];\n}",
                "memory for each thread", 3},
        Refused{".entry k()\n{\n.reg .b32 %r;\n@%r ret;\n}",
                "'%r' is no predicate", 4},
        Refused{".entry k(.param .b8 x[40000])\n{\n}", "32764", 1},
        Refused{".entry k()\n{\n.reg .b32 %r;\nmov.u32 %r, 1 + 2;\n}",
                "',' expected", 4},
        Refused{".entry k()\n{\n.reg .b64 %r;\nld.u32 %r, [%r+4*2];\n}",
                "']' expected", 4},
        Refused{".global .b32 x;\n.global .u8 y[1] = {0xFF(x)};",
                "'}' expected", 2},
        Refused{".version 8.0\n.address_size 32\n",
                "addresses of 32 bits are not modelled", 2},
        Refused{".target 80\n", "a name expected", 1},
        Refused{".entry k()\n{\n.loc 1 2\nret;\n}", "a column expected", 4}));

} // namespace
