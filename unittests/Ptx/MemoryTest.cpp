//===- MemoryTest.cpp - Memory, copies, atomics and their order -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Ptx/Memory.h"
#include "Harness.h"

#include <bit>

using namespace distaff::ptx;

namespace {

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

TEST(PtxMemory, VectorsAndSmallElements) {
  std::vector<uint32_t> input(64);
  for (uint32_t i = 0; i < 64; ++i)
    input[i] = 0x80818283 + 0x01010101 * i;
  Setting setting;
  setting.input = input;
  expectWords(
      "add.s64 %rd9, %rd8, %rd2;\nld.global.nc.L1::evict_last.s8 %r9, "
      "[%rd9+3];",
      [&](uint32_t i) { return uint32_t(int8_t(input[i] >> 24)); }, setting);
  expectWords(
      "and.b64 %rd2, %rd2, 63;\nand.b64 %rd2, %rd2, -16;\n"
      "add.s64 %rd9, %rd8, %rd2;\n"
      "ld.global.ca.v4.u32 {%r2, _, %r3, %r4}, [%rd9];\n"
      "sub.u32 %r9, %r4, %r2;",
      [](uint32_t) { return 0x03030303u; }, setting);
  expectWords(
      ".reg .v2 .b32 %v;\nld.global.v2.b32 %v, [%rd8+8];\n"
      "xor.b32 %r9, %v.x, %v.y;",
      [&](uint32_t) { return input[2] ^ input[3]; }, setting);
  expectWords("st.shared.v2.b16 [%rd5], {%h0, %h1};\nbar.warp.sync -1;\n"
              "mov.b32 %r2, {%h0, %h1};\nld.shared.b32 %r3, [%rd5];\n"
              "sub.u32 %r9, %r2, %r3;",
              [](uint32_t) { return 0u; });
}

TEST(PtxMemory, EverySpaceHasGenericAddresses) {
  Setting setting;
  setting.before = ".const .align 4 .u32 squares[4] = {0, 1, 4, 9};\n"
                   ".global .align 4 .b8 table[8] = {1, 0, 0, 0, 7};\n"
                   ".global .align 8 .u64 pointer[1] = {generic(table)+4};\n";
  expectWords(
      ".local .align 4 .b8 own[16];\n"
      "mov.u64 %rd6, own;\ncvta.local.u64 %rd6, %rd6;\n"
      "st.u32 [%rd6+4], %r1;\nld.local.u32 %r2, [own+4];\n"
      "cvta.shared.u64 %rd7, %rd5;\nst.u32 [%rd7], %r2;\n"
      "cvta.to.shared.u64 %rd9, %rd7;\nld.shared.u32 %r3, [%rd9];\n"
      "isspacep.shared %p1, %rd7;\nisspacep.global %p2, %rd7;\n"
      "isspacep.global %p3, %rd1;\nisspacep.local %p4, %rd6;\n"
      "and.pred %p1, %p1, %p3;\nand.pred %p1, %p1, %p4;\n"
      "xor.pred %p1, %p1, %p2;\nselp.b32 %r9, %r3, 1000, %p1;",
      [](uint32_t i) { return i; }, setting);
  expectWords(
      "ld.const.u32 %r2, [squares+12];\nld.global.u64 %rd6, [pointer];\n"
      "ld.u8 %r3, [%rd6];\nmad.lo.u32 %r9, %r2, 100, %r3;",
      [](uint32_t) { return 907u; }, setting);
  expectFault("mov.u64 %rd6, squares;\nst.global.u32 [%rd6], %r1;",
              FaultKind::OutOfBounds, "st.global.u32", setting);
}

// The last element of a variable is not the first one of the next.
TEST(PtxMemory, VariablesOfAThreadLieApart) {
  const std::string own = ".local .align 4 .b8 own[16];\n"
                          ".local .align 4 .b8 other[16];\n"
                          "mov.u64 %rd6, own;\nmov.u64 %rd7, other;\n"
                          "st.local.b32 [own+12], %r1;\n"
                          "st.local.b32 [other], %r1;\n";
  expectWords(own + "ld.local.b32 %r2, [%rd6+12];\nld.local.b32 %r3, [%rd7];\n"
                    "add.u32 %r9, %r2, %r3;",
              [](uint32_t i) { return 2 * i; });
  expectFault(own + "ld.local.b32 %r9, [%rd6+16];", FaultKind::OutOfBounds,
              "ld.local");
  expectFault(own + "ld.local.b32 %r9, [%rd7+-4];", FaultKind::OutOfBounds,
              "ld.local");
  expectFault(own + "ld.local.v2.b32 {%r8, %r9}, [%rd6+8];\n"
                    "st.local.v4.b32 [%rd7+16], {%r8, %r8, %r8, %r8};",
              FaultKind::OutOfBounds, "st.local.v4");
  // `out` has 8 bytes, `in` comes behind it.
  expectFault("ld.param.b64 %rd6, [out+8];", FaultKind::OutOfBounds, "[out+8]");
  expectFault("ld.param.v2.b64 {%rd6, %rd7}, [out];", FaultKind::OutOfBounds,
              "ld.param.v2");
  expectFault("{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %r1;\n"
              "st.param.b32 [q], %r1;\nld.param.b32 %r9, [p+4];\n}",
              FaultKind::OutOfBounds, "[p+4]");
}

TEST(PtxMemory, SharedAccessesAreAlignedAsTheyHaveToBe) {
  Variable variable;
  variable.name = "smem";
  variable.space = Space::Shared;
  variable.size = 64;
  variable.alignment = 16;
  Program program;
  program.variables = {variable};
  Function kernel;
  kernel.shared = {0};
  SharedMemory memory;
  ASSERT_TRUE(memory.place(program, kernel, /*dynamicBytes=*/0, /*limit=*/64));
  // Behind a gap of 256 bytes, aligned to 16 bytes and not to 32.
  ASSERT_EQ(memory.addressOf(0), 272u);
  Place place;
  EXPECT_FALSE(memory.find(276, /*size=*/8, /*alignment=*/4, place));
  std::optional<AccessError> error =
      memory.find(276, /*size=*/4, /*alignment=*/8, place);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, FaultKind::Misaligned);
  EXPECT_EQ(error->text, "4 bytes at 0x114, which is no multiple of 8");
}

TEST(PtxMemory, UnwrittenIsJudgedWhereItIsUsed) {
  // Loaded along, moved, computed with, stored again, not chosen: no fault.
  expectWords(
      "st.shared.b32 [%rd5], %r1;\nbar.warp.sync -1;\n"
      "and.b64 %rd6, %rd5, -8;\nadd.s64 %rd6, %rd6, 8;\n"
      "add.s64 %rd7, %rd5, 512;\nld.shared.v2.b32 {%r2, %r3}, [%rd4+128];\n"
      "add.u32 %r2, %r2, 1;\nst.shared.b32 [%rd7], %r2;\n"
      "ld.shared.b32 %r4, [%rd7];\nsetp.eq.u32 %p1, %r1, 99;\n"
      "selp.b32 %r9, %r4, %r1, %p1;",
      [](uint32_t i) { return i; });
  std::string load = "ld.shared.b32 %r2, [%rd5+256];\n";
  expectFault(load + "st.global.b32 [%rd3], %r2;", FaultKind::Unwritten,
              "st.global");
  expectFault(load + "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra $L1;\n$L1:",
              FaultKind::Unwritten, "@%p1 bra");
  expectFault(load + "cvt.u64.u32 %rd6, %r2;\nld.global.b32 %r3, [%rd6];",
              FaultKind::Unwritten, "ld.global");
  expectFault(load + "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n"
                     "st.global.b32 [%rd3], %r3;",
              FaultKind::Unwritten, "st.global");
  expectFault(load + "st.shared.b32 [%rd5], %r2;\nld.shared.b32 %r3, [%rd5];\n"
                     "st.global.b32 [%rd3], %r3;",
              FaultKind::Unwritten, "st.global");
  expectFault(".local .b32 own;\nld.local.b32 %r2, [own];\n"
              "st.global.b32 [%rd3], %r2;",
              FaultKind::Unwritten, "st.global");
}

TEST(PtxMemory, ResultsMustBeWritten) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".visible .entry k(.param .u64 x)\n{\n.reg .b64 %d;\n.reg .b32 %r;\n"
      "ld.param.u64 %d, [x];\nld.global.b32 %r, [%d+4];\n"
      "st.global.b32 [%d], %r;\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error.text;
  uint32_t words[3] = {};
  Launch launch;
  launch.arguments = {Argument::buffer(words, 12, /*written=*/false)};
  Outcome outcome = run(*module, launch);
  ASSERT_EQ(outcome.faults.size(), 2u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::Unwritten);
  EXPECT_EQ(outcome.faults[0].line, 7u);
  EXPECT_EQ(outcome.faults[1].line, 0u);
  EXPECT_NE(outcome.faults[1].text.find("nobody wrote byte 0 of 12"),
            std::string::npos)
      << outcome.faults[1].text;
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

TEST(PtxRaces, BytesOfOneWordAreApart) {
  expectWords("add.s64 %rd6, %rd4, %rd2;\nshr.u64 %rd7, %rd2, 2;\n"
              "add.s64 %rd7, %rd4, %rd7;\nst.shared.u8 [%rd7], %r1;\n"
              "bar.sync 0;\nld.shared.u8 %r9, [%rd7];",
              [](uint32_t i) { return i; });
}

TEST(PtxRaces, TheSameValueIsCounted) {
  Ran ran = runBody("mov.b32 %r2, 7;\nst.shared.b32 [%rd4], %r2;\nbar.sync 0;\n"
                    "st.global.b32 [%rd3], %r2;");
  EXPECT_EQ(ran.outcome.verdict, Verdict::Completed);
  EXPECT_EQ(ran.outcome.counters.sameValueWrites, 31 * 4);
}

TEST(PtxRaces, ReadThenWriteNeedsABarrierToo) {
  std::string body = "st.shared.b32 [%rd5], %r1;\nbar.sync 0;\n"
                     "xor.b64 %rd6, %rd2, 252;\nadd.s64 %rd7, %rd4, %rd6;\n"
                     "ld.shared.b32 %r9, [%rd7];\n$B\n"
                     "add.u32 %r3, %r1, 100;\nst.shared.b32 [%rd5], %r3;";
  std::string ordered = body, raced = body;
  ordered.replace(body.find("$B"), 2, "bar.sync 0;");
  raced.replace(body.find("$B"), 2, "");
  expectWords(ordered, [](uint32_t i) { return 63 - i; }, {.threads = 64});
  for (uint64_t seed : {0, 1})
    // The read or the write, whichever comes second.
    expectFault(raced, FaultKind::Race, "", {.threads = 64, .seed = seed});
}

TEST(PtxRaces, SeveralReadersAreAllRemembered) {
  // Both subgroups read word 0; thread 0 writes it after meeting only itself.
  expectFault("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.b32 [%rd4], %r1;\n"
              "bar.sync 0;\nld.shared.b32 %r2, [%rd4];\nbar.warp.sync -1;\n"
              "mov.b32 %r3, 5;\n@%p1 st.shared.b32 [%rd4], %r3;",
              FaultKind::Race, "@%p1 st.shared.b32 [%rd4], %r3;",
              {.threads = 64});
}

// Lane 0 writes; lane 2, which has waited for lane 3, reads.
TEST(PtxRaces, LanesOfAMaskWaitForNobodyElse) {
  const std::string write = "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, "
                            "2;\n@%p1 st.shared.b32 [%rd4], %r3;\n";
  const std::string read = "@%p2 ld.shared.b32 %r9, [%rd4];";
  const std::string before = "mov.u32 %r3, 7;\nst.shared.b32 [%rd5], %r1;\n"
                             "bar.sync 0;\nshr.u32 %r4, %r1, 1;\n"
                             "setp.eq.u32 %p3, %r4, 1;\n" +
                             write;
  expectFault(before + "@%p3 bar.warp.sync 0xc;\n" + read, FaultKind::Race,
              read);
  Ran ran = runBody(before + "bar.warp.sync -1;\n@%p3 bar.warp.sync 0xc;\n" +
                    read + "\nst.global.b32 [%rd3], %r1;");
  EXPECT_TRUE(ran.outcome.faults.empty());
}

// Strong accesses do not race with each other, nor do they hide a weak one.
TEST(PtxRaces, StrongAccessesHideNoOthers) {
  const Setting two = {.threads = 64, .input = {5}};
  const std::string guards = "setp.eq.u32 %p1, %r1, 0;\n"
                             "setp.eq.u32 %p2, %r1, 32;\nmov.u32 %r3, 7;\n";
  expectFault(guards + "@%p1 st.global.b32 [%rd8], %r3;\n"
                       "@%p1 st.relaxed.gpu.global.b32 [%rd8], 8;\n"
                       "@%p2 st.relaxed.gpu.global.b32 [%rd8], 9;",
              FaultKind::Race, "", two);
  expectFault(guards + "@%p1 ld.relaxed.gpu.global.b32 %r4, [%rd8];\n"
                       "@%p2 st.global.b32 [%rd8], %r3;",
              FaultKind::Race, "", two);
  expectFault(guards + "@%p1 ld.global.b32 %r4, [%rd8];\n"
                       "@%p1 st.relaxed.gpu.global.b32 [%rd8], 8;\n"
                       "@%p2 st.relaxed.gpu.global.b32 [%rd8], 9;",
              FaultKind::Race, "", two);
}

TEST(PtxRaces, WorkgroupsHaveNoOrder) {
  Setting two{.workgroups = 2};
  expectFault("mov.u32 %r2, %ctaid.x;\nst.global.b32 [%rd3], %r2;",
              FaultKind::Race, "st.global", two);
  expectFault("mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 0;\n"
              "@%p1 st.global.b32 [%rd3], %r1;\n"
              "@!%p1 ld.global.b32 %r4, [%rd3+4];",
              FaultKind::Race, "@!%p1 ld.global",
              {.threads = 16, .workgroups = 2});
}

// A race with a read of what nobody wrote replaces the faults of the thread
// that read, but not those of the same number in another workgroup.
TEST(PtxRaces, ThoseOfOtherWorkgroupsExplainNothingOfThisOne) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".shared .align 4 .b32 s;\n.visible .entry k(.param .u64 x)\n{\n"
      ".reg .b64 %d;\n.reg .b32 %r<2>;\n.reg .pred %p;\n"
      "ld.param.u64 %d, [x];\nmov.u32 %r0, %ctaid.x;\n"
      "setp.eq.u32 %p, %r0, 0;\n@%p ld.global.b32 %r1, [%d];\n"
      "@!%p ld.shared.b32 %r1, [s];\n@!%p st.global.b32 [%d+4], %r1;\n"
      "@!%p st.global.b32 [%d], 7;\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error.text;
  uint32_t words[2] = {};
  Launch launch;
  launch.grid = {2, 1, 1};
  launch.arguments = {Argument::buffer(words, 8, /*written=*/false)};
  Outcome outcome = run(*module, launch);
  ASSERT_GE(outcome.faults.size(), 2u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::Unwritten);
  EXPECT_EQ(outcome.faults[0].line, 12u);
  EXPECT_EQ(outcome.faults[1].kind, FaultKind::Race);
  EXPECT_EQ(outcome.faults[1].line, 13u);
}

// The last workgroup to arrive reads what the first one wrote.
TEST(PtxRaces, ReleasesAndAcquiresOrderWorkgroups) {
  std::string body =
      "mov.u32 %r2, %ctaid.x;\nmov.b32 %r9, 0;\n"
      "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra $END;\n"
      "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd8, %rd6;\n"
      "add.u32 %r3, %r2, 40;\nst.global.b32 [%rd6+4], %r3;\n"
      "$F\n$ATOM %r4, [%rd8], 1;\n$F\n"
      "setp.ne.u32 %p1, %r4, 1;\n@%p1 bra $END;\n"
      "ld.global.b32 %r5, [%rd8+4];\nld.global.b32 %r6, [%rd8+8];\n"
      "add.u32 %r9, %r5, %r6;\n$END:\n";
  auto with = [&](std::string fence, std::string atom) {
    std::string text = body;
    for (size_t at; (at = text.find("$F\n")) != text.npos;)
      text.replace(at, 3, fence + "\n");
    text.replace(text.find("$ATOM"), 5, atom);
    return text;
  };
  Setting setting{.threads = 32, .workgroups = 2, .input = {0, 0, 0}};
  for (auto [fence, atom] :
       {std::pair("", "atom.acq_rel.gpu.global.add.u32"),
        std::pair("membar.gl;", "atom.global.add.u32"),
        std::pair("fence.acq_rel.gpu;", "atom.relaxed.gpu.global.add.u32")}) {
    Ran ran = runBody(with(fence, atom), setting);
    EXPECT_EQ(ran.outcome.verdict, Verdict::Completed)
        << ran.error << fence << atom
        << (ran.outcome.faults.empty() ? "" : toString(ran.outcome.faults[0]));
  }
  expectFault(with("", "atom.global.add.u32"), FaultKind::Race,
              "ld.global.b32 %r5, [%rd8+4]", setting);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

// Subgroup 0 fills for subgroup 1; subgroup 2 has nothing to do with it.
TEST(PtxBarriers, NamedOnesOrderWhoComes) {
  std::string body =
      "shr.u32 %r2, %r1, 5;\nmov.b32 %r9, 0;\n"
      "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra $USE;\n"
      "setp.eq.u32 %p1, %r2, 2;\n@%p1 bra $END;\n"
      "st.shared.b32 [%rd5], %r1;\nbar.arrive 3, 64;\nbra $END;\n"
      "$USE:\nbar.sync 3, $N;\nld.shared.b32 %r9, [%rd5+-128];\n"
      "$END:\n";
  auto of = [&](std::string count) {
    std::string text = body;
    return text.replace(text.find("$N"), 2, count);
  };
  expectWords(of("64"), [](uint32_t i) { return i / 32 == 1 ? i - 32 : 0; },
              {.threads = 96});
  expectFault(of("96"), FaultKind::DivergentBarrier, "bar.sync 3",
              {.threads = 96});
  expectFault(of("48"), FaultKind::Deadlock, "bar.sync 3", {.threads = 96});
}

// Who only arrives does not know that the others came.
TEST(PtxBarriers, ArrivingTeachesNothing) {
  expectFault("shr.u32 %r2, %r1, 5;\nsetp.eq.u32 %p1, %r2, 0;\n"
              "@%p1 bra $ARRIVE;\nst.shared.b32 [%rd5], %r1;\n"
              "bar.sync 1, 64;\nbra $END;\n"
              "$ARRIVE:\nbar.arrive 1, 64;\nld.shared.b32 %r9, [%rd5+128];\n"
              "$END:\n",
              FaultKind::Race, "ld.shared", {.threads = 64, .seed = 1});
}

// From sm_70 on a barrier of all threads is one of those that have not exited.
TEST(PtxBarriers, WhoHasExitedIsNotWaitedFor) {
  std::string reversed = "st.shared.b32 [%rd5], %r1;\nbar.sync 0;\n"
                         "xor.b64 %rd6, %rd2, 124;\nadd.s64 %rd7, %rd4, %rd6;\n"
                         "ld.shared.b32 %r9, [%rd7];";
  for (auto [first, threads] :
       {std::pair(48u, 64), std::pair(32u, 64), std::pair(32u, 96)}) {
    std::string exits = "mov.b32 %r9, 900;\nsetp.ge.u32 %p1, %r1, " +
                        std::to_string(first) +
                        ";\n@%p1 st.global.b32 [%rd3], %r9;\n";
    // Lanes 16 to 31 of the last subgroup, or whole subgroups, are not there,
    // whichever subgroup is first at the barrier.
    std::string body = reversed;
    if (first == 48)
      body.replace(body.find("xor.b64 %rd6, %rd2, 124"), 23,
                   "xor.b64 %rd6, %rd2, 60");
    auto expected = [=, f = first](uint32_t i) -> uint32_t {
      return i >= f ? 900 : f == 48 ? i ^ 15 : i ^ 31;
    };
    expectWords(exits + "@%p1 exit;\n" + body, expected, {.threads = threads});
    expectWords(exits + "@%p1 ret;\n" + body, expected, {.threads = threads});
  }
  // The vote is of those that are there.
  expectWords("mov.b32 %r9, 7;\nsetp.ge.u32 %p1, %r1, 40;\n"
              "@%p1 st.global.b32 [%rd3], %r9;\n@%p1 exit;\n"
              "setp.ge.u32 %p2, %r1, 0;\nbar.red.popc.u32 %r9, 0, %p2;",
              [](uint32_t i) { return i >= 40 ? 7u : 40u; }, {.threads = 96});
  // A count does not shrink, and what has exited tells nothing.
  expectFault("setp.ge.u32 %p1, %r1, 32;\n@%p1 exit;\nbar.sync 2, 64;",
              FaultKind::Deadlock, "bar.sync", {.threads = 64});
  for (uint64_t seed : {0, 1})
    expectFault("st.shared.b32 [%rd5], %r1;\nsetp.ge.u32 %p1, %r1, 32;\n"
                "@%p1 exit;\nbar.sync 0;\nld.shared.b32 %r9, [%rd5+128];\n"
                "st.global.b32 [%rd3], %r9;",
                FaultKind::Race, "ld.shared", {.threads = 64, .seed = seed});
  // Somebody who has not exited is elsewhere.
  expectFault("setp.ge.u32 %p1, %r1, 16;\n@%p1 bra $L1;\n"
              "barrier.sync.aligned 0;\n$L1:\nbar.warp.sync -1;",
              FaultKind::DivergentBarrier, "barrier.sync");
}

TEST(PtxBarriers, ReduceVotes) {
  expectWords("setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r9, 0, %p1;",
              [](uint32_t) { return 40u; }, {.threads = 64});
  expectWords("setp.lt.u32 %p1, %r1, 40;\nbarrier.cta.red.and.aligned.pred "
              "%p2, 0, !%p1;\nbar.red.or.pred %p3, 1, %p1;\n"
              "selp.b32 %r9, 1, 0, %p2;\nselp.b32 %r2, 2, 0, %p3;\n"
              "or.b32 %r9, %r9, %r2;",
              [](uint32_t) { return 2u; }, {.threads = 64});
}

TEST(PtxBarriers, MbarriersHavePhases) {
  expectWords("setp.eq.u32 %p1, %r1, 0;\n"
              "@%p1 mbarrier.init.shared.b64 [%rd4+512], 64;\nbar.sync 0;\n"
              "st.shared.b32 [%rd5], %r1;\n"
              "mbarrier.arrive.shared.b64 %rd6, [%rd4+512];\n"
              "$W:\nmbarrier.test_wait.shared.b64 %p2, [%rd4+512], %rd6;\n"
              "@!%p2 bra $W;\nxor.b64 %rd7, %rd2, 252;\n"
              "add.s64 %rd7, %rd4, %rd7;\nld.shared.b32 %r9, [%rd7];\n"
              "mbarrier.test_wait.parity.shared.b64 %p3, [%rd4+512], 0;\n"
              "selp.b32 %r2, 0, 1000, %p3;\nadd.u32 %r9, %r9, %r2;",
              [](uint32_t i) { return 63 - i; }, {.threads = 64});
  expectFault("mbarrier.arrive.shared.b64 %rd6, [%rd4+512];",
              FaultKind::Unwritten, "mbarrier");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

std::vector<uint32_t> count(unsigned n) {
  std::vector<uint32_t> all(n);
  for (unsigned i = 0; i < n; ++i)
    all[i] = i + 1;
  return all;
}

TEST(PtxCopies, ArriveWhenTheyAreWaitedFor) {
  std::string copy = "add.s64 %rd9, %rd8, %rd2;\n"
                     "cp.async.ca.shared.global [%rd5], [%rd9], 4;\n"
                     "cp.async.commit_group;\n";
  Setting setting{.threads = 32, .input = count(64)};
  expectWords(
      copy + "cp.async.wait_group 0;\nld.shared.b32 %r9, [%rd5];",
      [](uint32_t i) { return i + 1; }, setting);
  // Two groups, of which only the older one is waited for.
  std::string second = "cp.async.ca.shared.global [%rd5+128], [%rd9+128], 4;\n"
                       "cp.async.commit_group;\ncp.async.wait_group 1;\n";
  expectWords(
      copy + second + "ld.shared.b32 %r9, [%rd5];",
      [](uint32_t i) { return i + 1; }, setting);
  for (uint64_t seed : {0, 1, 2}) {
    setting.seed = seed;
    expectFault(copy + second + "ld.shared.b32 %r9, [%rd5+128];",
                FaultKind::Race, "ld.shared", setting);
    expectFault(copy + "ld.shared.b32 %r9, [%rd5];", FaultKind::Race,
                "ld.shared", setting);
    expectFault(copy + "st.shared.b32 [%rd5], %r1;", FaultKind::Race,
                "st.shared", setting);
    // Waited for by its lane, not ordered for the others.
    expectFault(copy + "cp.async.wait_all;\nxor.b64 %rd6, %rd2, 4;\n"
                       "add.s64 %rd7, %rd4, %rd6;\nld.shared.b32 %r9, [%rd7];",
                FaultKind::Race, "ld.shared", setting);
  }
}

TEST(PtxCopies, ZerosStandBehindTheSource) {
  Setting setting{.threads = 32, .input = count(128)};
  std::string where = "shl.b64 %rd2, %rd2, 2;\nadd.s64 %rd9, %rd8, %rd2;\n"
                      "add.s64 %rd5, %rd4, %rd2;\n";
  std::string wait = "cp.async.wait_all;\nld.shared.v4.b32 {%r2, %r3, %r4, "
                     "%r5}, [%rd5];\n";
  expectWords(
      where + "cp.async.cg.shared.global.L2::128B [%rd5], [%rd9], 16, 8;\n" +
          wait + "add.u32 %r9, %r3, %r4;\nadd.u32 %r9, %r9, %r5;",
      [](uint32_t i) { return 4 * i + 2; }, setting);
  expectWords(
      where +
          "setp.gt.u32 %p1, %r1, 3;\n"
          "cp.async.cg.shared.global [%rd5], [%rd9], 16, %p1;\n" +
          wait + "mov.b32 %r9, %r5;",
      [](uint32_t i) { return i > 3 ? 0 : 4 * i + 4; }, setting);
  // A source of no bytes may be anywhere.
  expectWords(
      "mov.b64 %rd9, 0;\nmov.b32 %r2, 0;\n"
      "cp.async.ca.shared.global [%rd5], [%rd9], 4, %r2;\n"
      "cp.async.wait_all;\nld.shared.b32 %r9, [%rd5];",
      [](uint32_t) { return 0u; }, setting);
}

// Both ends lie at multiples of what is copied at once.
TEST(PtxCopies, AreAlignedAtBothEnds) {
  Setting setting{.threads = 32, .input = count(128)};
  std::string where = "shl.b64 %rd2, %rd2, 1;\nadd.s64 %rd9, %rd8, %rd2;\n"
                      "add.s64 %rd5, %rd4, %rd2;\n";
  expectFault(where + "cp.async.ca.shared.global [%rd5+4], [%rd9], 8;",
              FaultKind::Misaligned, "cp.async", setting);
  expectFault(where + "cp.async.ca.shared.global [%rd5], [%rd9+4], 8;",
              FaultKind::Misaligned, "cp.async", setting);
}

// The source changes between the copy's instruction and its wait: late copies
// see the new value, early ones the old one.
TEST(PtxCopies, ComeAsLateAsTheSeedSays) {
  std::string body = "add.s64 %rd9, %rd8, %rd2;\n"
                     "cp.async.ca.shared.global [%rd5], [%rd9], 4;\n"
                     "mov.b32 %r2, 77;\nst.global.b32 [%rd9], %r2;\n"
                     "cp.async.wait_all;\nld.shared.b32 %r9, [%rd5];\n"
                     "st.global.b32 [%rd3], %r9;";
  Ran late = runBody(body, {.seed = 0, .input = count(32)});
  Ran early = runBody(body, {.seed = 1, .input = count(32)});
  ASSERT_EQ(late.error, "");
  EXPECT_EQ(late.words[5], 77u);
  EXPECT_EQ(early.words[5], 6u);
}

TEST(PtxCopies, MbarriersWaitForThem) {
  Setting setting{.threads = 32, .input = count(32)};
  expectWords(
      "setp.eq.u32 %p1, %r1, 0;\n"
      "@%p1 mbarrier.init.shared.b64 [%rd4+512], 64;\nbar.sync 0;\n"
      "add.s64 %rd9, %rd8, %rd2;\n"
      "cp.async.ca.shared.global [%rd5], [%rd9], 4;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%rd4+512];\n"
      "mbarrier.arrive.shared.b64 %rd6, [%rd4+512];\n"
      "$W:\nmbarrier.test_wait.shared.b64 %p2, [%rd4+512], %rd6;\n"
      "@!%p2 bra $W;\nxor.b64 %rd7, %rd2, 124;\n"
      "add.s64 %rd7, %rd4, %rd7;\nld.shared.b32 %r9, [%rd7];",
      [](uint32_t i) { return 32 - i; }, setting);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

TEST(PtxAtomics, CombineWhatAllLanesBring) {
  struct Row {
    const char *op, *value;
    uint32_t start, result;
  };
  for (auto [op, value, start, result] :
       {Row{"add.u32", "%r1", 3, 499}, Row{"min.s32", "%r1", ~0u, ~0u},
        Row{"min.u32", "%r1", ~0u, 0}, Row{"max.s32", "%r1", 7, 31},
        Row{"and.b32", "%r1", 255, 0}, Row{"or.b32", "%r1", 64, 95},
        Row{"xor.b32", "%r1", 9, 9}, Row{"inc.u32", "9", 0, 2},
        Row{"dec.u32", "9", 5, 3},
        Row{"add.f32", "0f3F800000", 0, std::bit_cast<uint32_t>(32.0f)},
        Row{"add.noftz.f16x2", "0x3C004000", 0, 0x50005400}}) {
    std::string body = "ld.global.b32 %r2, [%rd8];\nbar.sync 0;\n"
                       "red.global." +
                       std::string(op) + " [%rd8], " + value +
                       ";\nbar.sync 0;\nld.global.b32 %r9, [%rd8];";
    expectWords(body, [=, sum = result](uint32_t) { return sum; },
                {.input = {start}});
  }
}

TEST(PtxAtomics, ReturnWhatWasThere) {
  // Every lane gets another ticket, in whatever order.
  expectWords("setp.eq.u32 %p1, %r1, 0;\nmov.b32 %r2, 0;\n"
              "@%p1 st.shared.b32 [%rd4], %r2;\nbar.sync 0;\n"
              "atom.shared.add.u32 %r3, [%rd4], 1;\nmov.b32 %r4, 1;\n"
              "shl.b32 %r4, %r4, %r3;\nredux.sync.or.b32 %r9, %r4, -1;",
              [](uint32_t) { return ~0u; });
  expectWords("atom.global.cas.b32 %r2, [%rd8], 5, %r1;\nbar.sync 0;\n"
              "setp.eq.u32 %p1, %r2, 5;\nvote.sync.ballot.b32 %r3, %p1, -1;\n"
              "popc.b32 %r9, %r3;",
              [](uint32_t) { return 1u; }, {.input = {5}});
  expectWords("atom.global.exch.b64 %rd6, [%rd8], %rd2;\nmov.b32 %r9, 0;",
              [](uint32_t) { return 0u; }, {.input = {1, 2}});
  expectFault("atom.shared.add.u32 %r3, [%rd4], 1;", FaultKind::Unwritten,
              "atom");
  // What a lane got of bytes that nobody wrote is unwritten where it is used.
  Ran ran = runBody("setp.eq.u32 %p1, %r1, 5;\n@!%p1 bra $L1;\n"
                    "atom.shared.add.u32 %r3, [%rd5], 1;\n"
                    "st.global.b32 [%rd3], %r3;\n$L1:");
  ASSERT_EQ(ran.outcome.faults.size(), 2u);
  for (const Fault &fault : ran.outcome.faults) {
    EXPECT_EQ(fault.kind, FaultKind::Unwritten);
    EXPECT_EQ(fault.thread, 5);
  }
  EXPECT_EQ(ran.outcome.faults[1].line, ran.outcome.faults[0].line + 1);
  expectFault("red.global.add.u32 [%rd8], 1;\nld.global.b32 %r2, [%rd8];",
              FaultKind::Race, "ld.global", {.input = {5}});
}

} // namespace
