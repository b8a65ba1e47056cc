//===- MachineTest.cpp - How lanes run and what is a fault ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <algorithm>
#include <bit>
#include <set>

using namespace distaff::ptx;

namespace {

TEST(PtxMachine, TheHeadersExampleDoublesEveryElement) {
  std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 .ptr .global .align 16 x,
                      .param .u32 n)
{
  .reg .pred %p;  .reg .b32 %r<5>;  .reg .b64 %d<4>;  .reg .f32 %f;
  ld.param.u64 %d1, [x];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r2, 64, %r3;
  setp.ge.s32 %p, %r4, %r1;
  @%p ret;
  mul.wide.s32 %d2, %r4, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.f32 %f, [%d3];
  add.rn.f32 %f, %f, %f;
  st.global.f32 [%d3], %f;
  ret;
})";
  ParseError error;
  std::optional<Module> module = parseModule(text, error);
  ASSERT_TRUE(module) << error.line << ": " << error.text;
  ASSERT_EQ(module->entries().size(), 1u);
  const Entry &entry = *module->find("twice");
  EXPECT_EQ(module->target(), "sm_80");
  ASSERT_EQ(entry.parameters.size(), 2u);
  EXPECT_TRUE(entry.parameters[0].isPointer);
  EXPECT_EQ(entry.parameters[0].pointeeAlignment, 16u);
  EXPECT_EQ(entry.parameters[1].type, "u32");
  EXPECT_EQ(entry.parameters[1].size, 4u);

  std::vector<float> x(100, 1.5f);
  Launch launch;
  launch.entry = "twice";
  launch.grid = {2, 1, 1};
  launch.workgroup = {64, 1, 1};
  launch.arguments = {Argument::buffer(x.data(), 400), Argument::scalar(100)};
  Outcome outcome = run(*module, launch);
  EXPECT_EQ(outcome.verdict, Verdict::Completed);
  EXPECT_EQ(x, std::vector<float>(100, 3.0f));
  EXPECT_EQ(outcome.counters.globalRequests, 8);
  EXPECT_EQ(outcome.counters.sectors, 2 * (4 + 4 + 4 + 1));

  launch.arguments[0].size = 396;
  outcome = run(*module, launch);
  ASSERT_EQ(outcome.verdict, Verdict::Faulted);
  const Fault &fault = outcome.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::OutOfBounds);
  EXPECT_EQ(fault.line, 17u);
  EXPECT_EQ(fault.workgroup, (std::array<int64_t, 3>{1, 0, 0}));
  EXPECT_EQ(fault.thread, 35);
  EXPECT_NE(fault.text.find("4 bytes at 396 of argument 0, which has 396"),
            std::string::npos)
      << fault.text;
}

TEST(PtxMachine, LanesMeetWhereTheirPathsDo) {
  // The else branch is printed before the condition: addresses say nothing.
  expectWords("mov.b32 %r9, 0;\nbra.uni $L1;\n"
              "$L3:\nshfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;\nbra.uni $L4;\n"
              "$L1:\nand.b32 %r2, %r1, 1;\nsetp.eq.b32 %p1, %r2, 0;\n"
              "@%p1 bra $L3;\nmov.b32 %r9, 7;\nbra.uni $L3;\n$L4:",
              [](uint32_t i) { return i % 2 ? 0u : 7u; });
}

TEST(PtxMachine, LoopsMayTurnDifferentNumbersOfTimes) {
  expectWords("mov.b32 %r9, 0;\nmov.b32 %r2, %r1;\n"
              "$L1:\nadd.s32 %r9, %r9, 2;\nadd.s32 %r2, %r2, -1;\n"
              "setp.ge.s32 %p1, %r2, 0;\n@%p1 bra $L1;\n"
              "shfl.sync.idx.b32 %r3, %r9, 0, 31, -1;\nadd.s32 %r9, %r9, %r3;",
              [](uint32_t i) { return 2 * i + 4; });
}

TEST(PtxMachine, SharedMemoryCrossesSubgroupsBehindABarrier) {
  std::string reversed = "st.shared.b32 [%rd5], %r1;\nbar.sync 0;\n"
                         "xor.b64 %rd6, %rd2, 252;\nadd.s64 %rd7, %rd4, %rd6;\n"
                         "ld.shared.b32 %r9, [%rd7];";
  expectWords(reversed, [](uint32_t i) { return 63 - i; }, {.threads = 64});
  std::string raced = reversed;
  raced.erase(raced.find("bar.sync 0;\n"), 12);
  // In order the first subgroup reads what nobody wrote yet; that the other one
  // writes it later makes it a race.
  for (uint64_t seed : {0, 1})
    expectFault("mov.b32 %r9, 0;\n" + raced + "\nst.global.b32 [%rd3], %r9;",
                FaultKind::Race, "st.shared", {.threads = 64, .seed = seed});
  expectFault("st.shared.b32 [%rd5], %r1;\nxor.b64 %rd6, %rd2, 4;\n"
              "add.s64 %rd7, %rd4, %rd6;\nld.shared.b32 %r9, [%rd7];",
              FaultKind::Race, "ld.shared");
}

// libdevice's sinf walks its frame with negative positions of 32 bits.
TEST(PtxMachine, AddressesInRegistersOf32BitsWrap) {
  expectWords("st.shared.b32 [%rd5], %r1;\ncvt.u32.u64 %r2, %rd5;\n"
              "add.s32 %r2, %r2, -1048576;\n"
              "ld.shared.b32 %r9, [%r2+1048576];",
              [](uint32_t i) { return i; });
  expectFault("add.s64 %rd6, %rd5, -1048576;\n"
              "ld.shared.b32 %r9, [%rd6+4294967296];",
              FaultKind::OutOfBounds, "ld.shared");
}

TEST(PtxMachine, NamesWhatIsUndefined) {
  expectFault("ld.global.b32 %r9, [%rd3+4];", FaultKind::OutOfBounds,
              "ld.global");
  expectFault("ld.global.b32 %r9, [%rd1+2];", FaultKind::Misaligned,
              "ld.global");
  expectFault("ld.global.v2.b32 {%r8, %r9}, [%rd1+4];", FaultKind::Misaligned,
              "ld.global");
  expectFault("ld.shared.b32 %r9, [%rd4+1024];", FaultKind::OutOfBounds,
              "ld.shared");
  expectFault("ld.shared.b32 %r9, [%rd5];\nst.global.b32 [%rd3], %r9;",
              FaultKind::Unwritten, "st.global");
  expectFault("st.shared.b32 [%rd4], %r1;", FaultKind::Race, "st.shared");
  expectFault("setp.gt.u32 %p1, %r1, 3;\n@%p1 bra $L1;\nbar.sync 0;\n$L1:",
              FaultKind::DivergentBarrier, "bar.sync");
  expectFault("setp.gt.u32 %p1, %r1, 31;\n@%p1 bra $L1;\nbar.sync 0, 64;\n$L1:",
              FaultKind::Deadlock, "bar.sync", {.threads = 64});
  expectFault("setp.gt.u32 %p1, %r1, 3;\n@%p1 bra $L1;\n"
              "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n$L1:",
              FaultKind::DivergentBarrier, "shfl");
  expectFault("shfl.sync.bfly.b32 %r9, %r1, 1, 31, 15;",
              FaultKind::DivergentBarrier, "shfl");
}

TEST(PtxMachine, LanesThatPartedMeetAtInstructionsOfAll) {
  // No lane leaves at %p2, but that is not in the flow of control, where the
  // lanes meet again at the end only.
  constexpr std::string_view begin =
      "setp.gt.u32 %p1, %r1, 3;\nsetp.gt.u32 %p2, %r1, 99;\n"
      "mov.b32 %r9, 0;\n@%p1 bra $L1;\n@%p2 bra $L2;\n";
  auto body = [&](std::string_view rest) {
    return std::string(begin) + std::string(rest);
  };
  expectWords(body("$L1:\n@%p2 bra $L2;\nbar.sync 0;\n$L2:"),
              [](uint32_t) { return 0u; });
  expectWords(body("$L1:\n@%p2 bra $L2;\n"
                   "shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;\n$L2:"),
              [](uint32_t i) { return i ^ 16; });
  // They do not come to it.
  expectFault(body("bra $L2;\n$L1:\n@%p2 bra $L2;\nbar.sync 1;\n$L2:"),
              FaultKind::DivergentBarrier, "bar.sync");
}

TEST(PtxMachine, WhatIsNotKnownMattersWhenItIsReached) {
  for (std::string line :
       {"frobnicate.b32 %r9, %r1;", "add.rn.sat.frob.f32 %r9, %r1, %r1;",
        "ld.shared::cluster.b32 %r9, [%rd4];", "wgmma.fence.sync.aligned;",
        "discard.global.L2 [%rd1], 128;",
        "applypriority.global.L2::evict_normal [%rd1], 128;",
        "alloca.u64 %rd6, 16;", "stacksave.u64 %rd6;",
        "vadd4.u32.u32.u32 %r9, %r1, %r1, %r1;",
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1}];",
        "suld.b.1d.b32.trap {%r9}, [nobody, {%r1}];",
        "frobnicate @%p1 ? %r9 : <unheard, of>;",
        "ld.global.b128 %rd6, [%rd1];", "add.u32 %r9, %r1;",
        "shl.b32 %r9, %r1, {%r2, %r3};"}) {
    expectFault(line, FaultKind::NotModelled, line);
    EXPECT_EQ(runBody(line).outcome.faults.at(0).text + ";", line);
    expectWords("mov.u32 %r9, 5;\nsetp.eq.u32 %p1, %r1, 99;\n"
                "@%p1 " +
                    line + "\n@!%p1 bra $L1;\n" + line + "\n$L1:",
                [](uint32_t) { return 5u; });
  }
}

// PTX ISA: only f32, f16 and f16x2 are compared with .ftz, only pairs are
// widened from pairs of bytes, halves have few approximations, and parentheses
// are around the operands of calls only.
TEST(PtxMachine, KnownWordsOfOtherTypesAreNotKnown) {
  for (std::string line :
       {"setp.lt.ftz.f64 %p1, %rd6, %rd7;", "setp.lt.ftz.bf16 %p1, %h1, %h2;",
        "cvt.rn.f16.e4m3x2 %h1, %h2;", "sin.approx.f16 %h1, %h2;",
        "sqrt.approx.bf16 %h1, %h2;", "mov.b64 (%r2, %r3), %rd6;",
        "mov.b64 %rd6, (%r2, %r3);"})
    expectFault(line, FaultKind::NotModelled, line);
}

// A workgroup's registers hold nothing of the one before.
TEST(PtxMachine, WorkgroupsBeginWithGarbage) {
  // The first one leaves 5 in %r30; the other one takes what it finds.
  const std::string body = "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, $N;\n"
                           "@!%p1 bra $L1;\nmov.b32 %r30, 5;\nbra $L2;\n"
                           "$L1:\nst.global.b32 [%rd3], %r30;\n$L2:";
  std::vector<std::vector<uint32_t>> found;
  for (uint64_t seed : {0, 0, 1, 2}) {
    std::string text = body;
    // The seeds say which one is first.
    text.replace(text.find("$N"), 2, seed == 1 ? "1" : "0");
    Ran ran = runBody(text, {.seed = seed, .workgroups = 2});
    ASSERT_EQ(ran.outcome.verdict, Verdict::Completed);
    ran.words.resize(32);
    for (uint32_t word : ran.words)
      EXPECT_NE(word, 5u);
    found.push_back(ran.words);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_NE(found[0], found[2]);
  EXPECT_NE(found[0], found[3]);
  // Nor does the first register that is declared: all lanes set it before.
  Ran ran = runBody("mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\n"
                    "@%p1 bra $L1;\nsetp.ge.u32 %p0, %r1, 0;\nbra $L2;\n"
                    "$L1:\nselp.b32 %r9, 1, 0, %p0;\n"
                    "st.global.b32 [%rd3], %r9;\n$L2:",
                    {.workgroups = 2});
  ASSERT_EQ(ran.outcome.verdict, Verdict::Completed);
  ran.words.resize(32);
  EXPECT_EQ(std::set<uint32_t>(ran.words.begin(), ran.words.end()),
            (std::set<uint32_t>{0, 1}));
}

std::vector<uint32_t> orderOf(uint64_t seed, bool ofWorkgroups) {
  // Every subgroup draws a number, the lanes of it see the same.
  Ran ran = runBody(
      "mov.u32 %r2, 0;\nand.b32 %r3, %r1, 31;\nsetp.eq.u32 %p1, %r3, 0;\n"
      "@%p1 atom.global.add.u32 %r2, [%rd8], 1;\n"
      "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\n"
      "mul.lo.u32 %r4, %r4, %r5;\nmul.wide.u32 %rd6, %r4, 4;\n"
      "add.s64 %rd3, %rd3, %rd6;\n"
      "@%p1 st.global.b32 [%rd3], %r2;",
      {.threads = ofWorkgroups ? 32 : 256,
       .seed = seed,
       .workgroups = ofWorkgroups ? 8 : 1,
       .input = {0}});
  std::vector<uint32_t> order;
  EXPECT_EQ(ran.error, "");
  for (size_t i = 0; i < ran.words.size(); i += 32)
    order.push_back(ran.words[i]);
  return order;
}

TEST(PtxMachine, EverySeedHasAnOrder) {
  const std::vector<uint32_t> up = {0, 1, 2, 3, 4, 5, 6, 7},
                              down = {7, 6, 5, 4, 3, 2, 1, 0};
  for (bool ofWorkgroups : {false, true}) {
    EXPECT_EQ(orderOf(0, ofWorkgroups), up);
    EXPECT_EQ(orderOf(1, ofWorkgroups), down);
    std::set<std::vector<uint32_t>> seen;
    for (uint64_t seed = 2; seed < 12; ++seed) {
      std::vector<uint32_t> order = orderOf(seed, ofWorkgroups);
      EXPECT_EQ(order, orderOf(seed, ofWorkgroups));
      seen.insert(order);
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, up) << "everybody runs";
    }
    EXPECT_GE(seen.size(), 5u);
  }
}

// A limit is of each workgroup: ten of them have ten times as much.
TEST(PtxMachine, StepsAreCountedPerWorkgroup) {
  const std::string body = "mov.b32 %r2, 0;\n$L1:\nadd.u32 %r2, %r2, 1;\n"
                           "setp.lt.u32 %p1, %r2, 20;\n@%p1 bra $L1;";
  for (int64_t workgroups : {1, 10}) {
    Ran ran = runBody(body, {.workgroups = workgroups, .stepLimit = 69});
    EXPECT_EQ(ran.outcome.verdict, Verdict::Completed) << ran.outcome.text;
    EXPECT_EQ(ran.outcome.counters.instructions, 69 * workgroups);
    ran = runBody(body, {.workgroups = workgroups, .stepLimit = 68});
    EXPECT_EQ(ran.outcome.verdict, Verdict::StepLimit);
  }
}

TEST(PtxMachine, EndlessLoopsEnd) {
  Ran ran = runBody("$L1:\nbra.uni $L1;");
  EXPECT_EQ(ran.outcome.verdict, Verdict::StepLimit);
  EXPECT_NE(ran.outcome.text.find("there is no end"), std::string::npos);
}

} // namespace
