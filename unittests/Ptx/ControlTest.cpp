//===- ControlTest.cpp - Branches, scopes and calls -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

using namespace distaff::ptx;

namespace {

TEST(PtxControl, TablesOfBranches) {
  std::string body = "and.b32 %r2, %r1, 3;\nmov.b32 %r9, 9;\n"
                     "brx.idx %r2, LIST;\n"
                     "L0:\nmov.b32 %r9, 100;\nbra.uni END;\n"
                     "L1:\nmov.b32 %r9, 101;\n"
                     "L2:\nadd.u32 %r9, %r9, 1;\nbra.uni END;\n"
                     "LIST: .branchtargets L0, L1, L2, L0;\n"
                     "END:\nshfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;";
  const uint32_t results[] = {100, 102, 10, 100};
  expectWords(body, [&](uint32_t i) { return results[(i ^ 1) % 4]; });
  expectFault("brx.idx %r1, LIST;\nL0:\nLIST: .branchtargets L0, L0;",
              FaultKind::OutOfBounds, "brx.idx");
}

TEST(PtxControl, EveryBranchHasItsOwnTable) {
  expectWords("and.b32 %r2, %r1, 1;\nsetp.lt.u32 %p1, %r1, 16;\n"
              "@%p1 brx.idx %r2, FIRST;\nbrx.idx %r2, SECOND;\n"
              "L0:\nmov.b32 %r9, 100;\nbra.uni END;\n"
              "L1:\nmov.b32 %r9, 101;\nbra.uni END;\n"
              "FIRST: .branchtargets L0, L1;\n"
              "SECOND: .branchtargets L1, L0;\nEND:",
              [](uint32_t i) { return i < 16 ? 100 + i % 2 : 101 - i % 2; });
}

// A path that only exits, as LLVM's for the default of a switch that it proved
// never taken, keeps nobody from meeting behind it.
TEST(PtxControl, WhoExitsIsNotWaitedFor) {
  expectWords("and.b32 %r2, %r1, 3;\nmov.b32 %r9, 9;\n"
              "setp.gt.u32 %p1, %r2, 1;\n@%p1 bra UPPER;\n"
              "mov.b32 %r9, 8;\nbra END;\n"
              "UPPER:\nsetp.eq.u32 %p1, %r2, 2;\n@%p1 bra END;\n"
              "setp.ne.u32 %p1, %r2, 3;\n@%p1 bra NEVER;\n"
              "mov.b32 %r9, 7;\nbra END;\nNEVER:\nexit;\n"
              "END:\nshfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;",
              [](uint32_t i) { return i % 4 < 2 ? 8u
                                      : i % 2   ? 9u
                                                : 7u; });
}

// Register names of a scope hide those around it, and end with it.
TEST(PtxControl, ScopesHaveNamesOfTheirOwn) {
  expectWords("{\n.reg .b32 %r9;\nmov.b32 %r9, 5;\nbra L;\nmov.b32 %r9, 6;\n"
              "L:\nmov.b32 %r2, %r9;\n}\n"
              "{\n.reg .b32 t<2>;\nmov.b32 t1, 7;\nbra L;\nmov.b32 t1, 8;\n"
              "L:\nadd.u32 %r9, %r2, t1;\n}",
              [](uint32_t) { return 12u; });
}

TEST(PtxControl, PredicatesOnEverything) {
  expectWords("setp.lt.u32 %p1, %r1, 4;\nmov.b32 %r9, 1;\n"
              "@%p1 add.u32 %r9, %r9, 5;\n@!%p1 sub.u32 %r9, %r9, 1;",
              [](uint32_t i) { return i < 4 ? 6 : 0; });
}

const char *const functions =
    // with parameters in memory, one of them an aggregate
    ".func (.param .b32 result) weigh(.param .align 8 .b8 pair[16], "
    ".param .b32 scale);\n"
    ".func (.param .b32 result) weigh(.param .align 8 .b8 pair[16], "
    ".param .b32 scale)\n{\n.reg .b32 %r<9>;\n.reg .pred %p;\n"
    "ld.param.b32 %r1, [pair];\nld.param.b32 %r2, [pair+8];\n"
    "ld.param.b32 %r3, [scale];\nmov.b32 %r4, 1000;\n"
    "setp.gt.u32 %p, %r1, 20;\n@%p bra EARLY;\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "EARLY:\nst.param.b32 [result], %r4;\nret;\n}\n"
    // with registers
    ".func (.reg .b32 twice) double(.reg .b32 x)\n{\n"
    ".reg .pred %p;\nadd.u32 twice, x, x;\nsetp.eq.u32 %p, x, 3;\n"
    "@%p ret;\nadd.u32 twice, twice, 1;\nret;\n}\n"
    ".func self(.reg .b32 x)\n{\ncall.uni self, (x);\nret;\n}\n"
    ".extern .func elsewhere(.param .b32 x);\n";

TEST(PtxControl, CallsPassParameters) {
  Setting setting;
  setting.before = functions;
  expectWords(
      "{\n.param .align 8 .b8 p[16];\n.param .b32 s;\n.param .b32 q;\n"
      "st.param.b32 [p], %r1;\nmov.b32 %r2, 3;\n"
      "st.param.b32 [p+8], %r2;\nst.param.b32 [s], 10;\n"
      "call.uni (q), weigh, (p, s);\nld.param.b32 %r9, [q];\n}",
      [](uint32_t i) { return i > 20 ? 1000 : 30 + i; }, setting);
  expectWords(
      "call (%r9), double, (%r1);",
      [](uint32_t i) { return i == 3 ? 6 : 2 * i + 1; }, setting);
  // From two sides of a branch, which meet again.
  expectWords(
      "mov.b32 %r9, 0;\nsetp.lt.u32 %p1, %r1, 3;\n@%p1 bra SMALL;\n"
      "call (%r9), double, (%r1);\nbra.uni END;\n"
      "SMALL:\ncall (%r9), double, (7);\n"
      "END:\nshfl.sync.idx.b32 %r3, %r9, 0, 31, -1;\n"
      "add.u32 %r9, %r9, %r3;",
      [](uint32_t i) {
        return 15 + (i < 3 ? 15 : i == 3 ? 6 : 2 * i + 1);
      },
      setting);
}

// Who does not call keeps what its registers and parameters hold.
TEST(PtxControl, GuardedCallsGiveResultsToTheirCallers) {
  Setting setting;
  setting.before = functions;
  expectWords(
      "mov.b32 %r9, 500;\nsetp.lt.u32 %p1, %r1, 5;\n"
      "@%p1 call (%r9), double, (%r1);",
      [](uint32_t i) { return i >= 5   ? 500
                              : i == 3 ? 6
                                       : 2 * i + 1; },
      setting);
  expectWords(
      "{\n.param .align 8 .b8 p[16];\n.param .b32 s;\n.param .b32 q;\n"
      "st.param.b32 [p], %r1;\nst.param.b32 [p+8], 3;\n"
      "st.param.b32 [s], 10;\nst.param.b32 [q], 700;\n"
      "setp.ge.u32 %p1, %r1, 12;\n"
      "@!%p1 call (q), weigh, (p, s);\nld.param.b32 %r9, [q];\n}",
      [](uint32_t i) { return i >= 12 ? 700 : 30 + i; }, setting);
}

// Lane i calls i + 1 times; the others have left by then, one by `exit`.
TEST(PtxControl, CallsInALoopThatLanesLeave) {
  Setting setting;
  setting.before =
      ".func (.reg .b32 sum) next(.reg .b32 x)\n{\n.reg .pred %p;\n"
      "add.u32 sum, x, 1;\nsetp.eq.u32 %p, x, 1000;\n@%p exit;\nret;\n}\n";
  const std::string loop =
      "$L1:\nsetp.le.u32 %p1, %r2, %r1;\n@%p1 call (%r9), next, (%r9);\n"
      "@%p1 add.u32 %r9, %r9, 1;\n"
      "add.u32 %r2, %r2, 1;\nsetp.le.u32 %p2, %r2, 31;\n@%p2 bra $L1;\n";
  expectWords(
      "mov.b32 %r9, 10;\nmov.b32 %r2, 0;\n" + loop,
      [](uint32_t i) { return 12 + 2 * i; }, setting);
  expectWords(
      "mov.b32 %r9, 1000;\nst.global.b32 [%rd3], %r9;\n"
      "setp.ne.u32 %p3, %r1, 7;\n@%p3 mov.b32 %r9, 10;\n"
      "mov.b32 %r2, 0;\n" +
          loop,
      [](uint32_t i) { return i == 7 ? 1000 : 12 + 2 * i; }, setting);
  // The loop is left by branching out of it.
  expectWords(
      "mov.b32 %r9, 10;\nmov.b32 %r2, 0;\n"
      "$L1:\ncall (%r9), next, (%r9);\nadd.u32 %r2, %r2, 1;\n"
      "setp.le.u32 %p1, %r2, %r1;\n@%p1 bra $L1;",
      [](uint32_t i) { return 11 + i; }, setting);
}

TEST(PtxControl, CallsThatAreNotModelled) {
  Setting setting;
  setting.before = functions;
  expectFault("call self, (%r1);", FaultKind::NotModelled,
              "call.uni self, (x);", setting);
  expectFault("{\n.param .b32 p;\ncall elsewhere, (p);\n}",
              FaultKind::NotModelled, "call elsewhere", setting);
  expectFault("call (%r9), %rd1, (%r1), LIKE;\n"
              "LIKE: .callprototype (.param .b32 _) _ (.param .b32 _);",
              FaultKind::NotModelled, "call (%r9)", setting);
}

TEST(PtxControl, TrapsEndTheRunWhereTheyAreReached) {
  expectFault("setp.gt.u32 %p1, %r1, 3;\n@%p1 trap;", FaultKind::Trap, "trap");
  EXPECT_EQ(runBody("setp.gt.u32 %p1, %r1, 3;\n@%p1 trap;")
                .outcome.faults.at(0)
                .thread,
            4);
  expectWords("mov.u32 %r9, 5;\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 trap;",
              [](uint32_t) { return 5u; });
}

TEST(PtxControl, ThreadsKnowWhoTheyAre) {
  std::string sum;
  for (const char *name :
       {"%laneid", "%lanemask_lt", "%warpid", "%nwarpid", "%ntid.x",
        "%nctaid.x", "%ntid.y", "%dynamic_smem_size", "WARP_SZ"})
    sum += std::string("mov.u32 %r2, ") + name + ";\nadd.u32 %r9, %r9, %r2;\n";
  expectWords("mov.b32 %r9, 0;\n" + sum,
              [](uint32_t i) {
                uint32_t lane = i % 32, below = (1u << lane) - 1;
                return lane + below + i / 32 + 2 + 64 + 1 + 1 + 0 + 32;
              },
              {.threads = 64});
}

// 40 threads are a subgroup and a quarter of one; the rest does not exist.
TEST(PtxControl, SubgroupsMayBeIncomplete) {
  expectWords("st.shared.b32 [%rd5], %r1;\nbar.sync 0;\n"
              "mov.b32 %r2, 39;\nsub.u32 %r2, %r2, %r1;\n"
              "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd4, %rd6;\n"
              "ld.shared.b32 %r9, [%rd6];",
              [](uint32_t i) { return 39 - i; }, {.threads = 40});
}

// Every kernel has the shared memory that it and what it calls name.
TEST(PtxLaunch, SharedMemoryIsThatOfTheKernel) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".shared .align 16 .b8 large[200000];\n.shared .align 16 .b8 "
      "own[60000];\n"
      ".shared .b8 called[1000];\n.shared .b8 unused[200000];\n"
      ".extern .shared .align 16 .b8 dynamic[];\n"
      ".func leaf()\n{\n.reg .b64 %d;\n.shared .b8 inner[24];\n"
      "mov.u64 %d, called;\nret;\n}\n"
      ".func middle()\n{\ncall leaf;\nret;\n}\n"
      ".visible .entry a()\n{\n.reg .b32 %r;\n"
      "st.shared.b32 [large+8], 1;\nld.shared.b32 %r, [large+8];\nret;\n}\n"
      ".visible .entry b(.param .u64 out)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r;\n"
      ".shared .b8 local[300];\n"
      "ld.param.u64 %d1, [out];\nmov.u64 %d2, own;\n"
      "st.shared.b32 [%d2+59996], 77;\nld.shared.b32 %r, [own+59996];\n"
      "st.global.b32 [%d1], %r;\nmov.u32 %r, %total_smem_size;\n"
      "st.global.b32 [%d1+4], %r;\ncall middle;\nret;\n}\n"
      ".visible .entry c()\n{\n.reg .b64 %d;\nmov.u64 %d, dynamic;\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error.line << ": " << error.text;
  const uint64_t bytes[] = {200000, 60000 + 300 + 1000 + 24, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(module->entries()[i].sharedBytes, bytes[i]);
    EXPECT_EQ(module->entries()[i].hasDynamicShared, i == 2);
  }
  uint32_t words[2] = {};
  Launch launch;
  launch.entry = "b";
  launch.dynamicSharedBytes = 100000;
  launch.arguments = {Argument::buffer(words, 8)};
  Outcome outcome = run(*module, launch);
  EXPECT_EQ(outcome.verdict, Verdict::Completed)
      << outcome.text
      << (outcome.faults.empty() ? "" : toString(outcome.faults[0]));
  EXPECT_EQ(words[0], 77u);
  EXPECT_EQ(words[1], 100000 + bytes[1]);
  launch.entry = "a";
  launch.arguments.clear();
  launch.dynamicSharedBytes = 20000;
  EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed);
  launch.dynamicSharedBytes = 60000;
  EXPECT_EQ(run(*module, launch).verdict, Verdict::Refused);
}

TEST(PtxLaunch, ALoaderFillsVariables) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".visible .global .align 4 .b8 w[8];\n.const .b32 c = 7;\n"
      ".visible .entry k(.param .u64 x)\n{\n.reg .b64 %a;\n.reg .b32 %v;\n"
      "ld.param.u64 %a, [x];\nld.global.nc.u32 %v, [w+4];\n"
      "st.global.u32 [%a], %v;\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error.text;
  uint32_t word = 0;
  Launch launch;
  launch.arguments = {Argument::buffer(&word, 4)};
  launch.variables = {{"w", std::string_view("\1\2\3\4\5\6\7\0", 8)}};
  EXPECT_EQ(run(*module, launch).verdict, Verdict::Completed);
  EXPECT_EQ(word, 0x00070605u);
  launch.variables = {{"w", "1234"}};
  Outcome outcome = run(*module, launch);
  EXPECT_EQ(outcome.verdict, Verdict::Refused);
  EXPECT_EQ(outcome.text, "'w' has 8 bytes, given are 4");
  for (const char *other : {"v", "c"}) {
    launch.variables = {{other, "1234"}};
    outcome = run(*module, launch);
    EXPECT_EQ(outcome.verdict, Verdict::Refused);
    EXPECT_EQ(outcome.text,
              std::string("the module has no global variable '") + other + "'");
  }
}

TEST(PtxLaunch, MustFitTheKernel) {
  ParseError error;
  std::optional<Module> module = parseModule(
      ".visible .entry a(.param .u64 x, .param .u32 n)\n.reqntid 32, 2, 1\n"
      "{\nret;\n}\n.visible .entry b()\n.maxntid 64\n{\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error.text;
  uint32_t word = 0;
  Launch good;
  good.entry = "a";
  good.workgroup = {32, 2, 1};
  good.arguments = {Argument::buffer(&word, 4), Argument::scalar(1)};
  EXPECT_EQ(run(*module, good).verdict, Verdict::Completed);
  auto refused = [&](auto change) {
    Launch launch = good;
    change(launch);
    Outcome outcome = run(*module, launch);
    EXPECT_EQ(outcome.verdict, Verdict::Refused);
    return outcome.text;
  };
  EXPECT_NE(refused([](Launch &l) {
              l.workgroup = {64, 1, 1};
            }).find("requires 32x2x1"),
            std::string::npos);
  EXPECT_NE(refused([](Launch &l) { l.workgroup = {0, 1, 1}; }).find("threads"),
            std::string::npos);
  EXPECT_NE(refused([](Launch &l) {
              l.arguments.pop_back();
            }).find("takes 2 arguments, given are 1"),
            std::string::npos);
  EXPECT_NE(refused([&](Launch &l) {
              l.arguments[1] = Argument::buffer(&word, 4);
            }).find("arg1 ('n') has 4 bytes"),
            std::string::npos);
  EXPECT_NE(refused([](Launch &l) { l.entry = ""; }).find("2 kernels"),
            std::string::npos);
  EXPECT_NE(refused([](Launch &l) { l.entry = "c"; }).find("no kernel 'c'"),
            std::string::npos);
  EXPECT_NE(refused([](Launch &l) { l.grid = {-1, 1, 1}; }).find("grid"),
            std::string::npos);
  EXPECT_NE(refused([](Launch &l) {
              l.grid = {int64_t(1) << 40, int64_t(1) << 40, 1};
            }).find("grid"),
            std::string::npos);
  EXPECT_NE(refused([](Launch &l) {
              l.dynamicSharedBytes = int64_t(1) << 40;
            }).find("shared memory"),
            std::string::npos);
  refused([](Launch &l) {
    l.entry = "b";
    l.arguments.clear();
    l.workgroup = {65, 1, 1};
  });
}

} // namespace
