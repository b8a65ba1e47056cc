//===- LlvmOpsTest.cpp - Kernels in the LLVM dialect, op by op ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are computed by hand, from LLVM's language reference.
//
//===----------------------------------------------------------------------===//
#include "LlvmKernel.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// %r of one lane for %v.
double one(StringRef in, StringRef out, StringRef body, double value) {
  return computed(nvidia, in, out, body, {value}).front();
}

TEST(LlvmOps, IntegersWrapAndShift) {
  struct Case {
    const char *body;
    double value, result;
  };
  std::string c = "%c = llvm.mlir.constant(3 : i32) : i32\n";
  for (const Case &each : std::initializer_list<Case>{
           {"%r = llvm.add %v, %c : i32", 2147483647, -2147483646},
           {"%r = llvm.sub %c, %v : i32", 10, -7},
           {"%r = llvm.mul %v, %c : i32", 1431655766, 2},
           {"%r = llvm.sdiv %v, %c : i32", -7, -2},
           {"%r = llvm.udiv %v, %c : i32", -1, 1431655765},
           {"%r = llvm.srem %v, %c : i32", -7, -1},
           {"%r = llvm.urem %v, %c : i32", -1, 0},
           {"%r = llvm.shl %v, %c : i32", 0x30000001, -2147483640},
           {"%r = llvm.lshr %v, %c : i32", -8, 536870911},
           {"%r = llvm.ashr %v, %c : i32", -8, -1},
           {"%r = llvm.xor %v, %c : i32", 6, 5},
           {"%r = llvm.intr.smin(%v, %c) : (i32, i32) -> i32", -5, -5},
           {"%r = llvm.intr.umin(%v, %c) : (i32, i32) -> i32", -5, 3},
           {"%r = llvm.intr.ctpop(%v) : (i32) -> i32", -1, 32},
           {"%r = \"llvm.intr.ctlz\"(%v) <{is_zero_poison = false}> : (i32) -> "
            "i32",
            1, 31},
           {"%r = llvm.intr.fshl(%v, %c, %c) : (i32, i32, i32) -> i32", 1, 8},
           {"%r = llvm.intr.fshr(%c, %v, %c) : (i32, i32, i32) -> i32", 8,
            1610612737},
           {"%r = llvm.intr.sadd.sat(%v, %c) : (i32, i32) -> i32", 2147483646,
            2147483647},
           {"%r = llvm.intr.usub.sat(%c, %v) : (i32, i32) -> i32", 4, 0},
           {"%r = llvm.intr.bswap(%v) : (i32) -> i32", 1, 16777216},
           {"%r = llvm.intr.bitreverse(%v) : (i32) -> i32", 1, -2147483648.0}})
    EXPECT_EQ(one("i32", "i32", c + each.body, each.value), each.result)
        << each.body;
}

TEST(LlvmOps, CastsKeepOrFillBits) {
  EXPECT_EQ(one("i8", "i32", "%r = llvm.sext %v : i8 to i32", -3), -3);
  EXPECT_EQ(one("i8", "i32", "%r = llvm.zext %v : i8 to i32", -3), 253);
  EXPECT_EQ(one("i32", "i8", "%r = llvm.trunc %v : i32 to i8", 258), 2);
  EXPECT_EQ(one("f32", "i32", "%r = llvm.bitcast %v : f32 to i32", 1),
            0x3F800000);
  EXPECT_EQ(one("f32", "f16", "%r = llvm.fptrunc %v : f32 to f16", 2049), 2048);
  EXPECT_EQ(one("i32", "f32", "%r = llvm.uitofp %v : i32 to f32", -1),
            4294967296.0);
  EXPECT_EQ(one("f32", "i32", "%r = llvm.fptosi %v : f32 to i32", -2.75), -2);
  // i1 true is all ones.
  EXPECT_EQ(one("i32", "i32",
                "%z = llvm.mlir.constant(0 : i32) : i32\n"
                "%b = llvm.icmp \"ugt\" %v, %z : i32\n"
                "%r = llvm.zext %b : i1 to i32",
                -5),
            1);
}

TEST(LlvmOps, FloatsFollowTheRulesOfNaN) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  std::string c = "%c = llvm.mlir.constant(2.0 : f32) : f32\n";
  auto of = [&](StringRef name, double value) {
    return one("f32", "f32",
               c + "%r = llvm.intr." + name.str() +
                   "(%v, %c) : (f32, f32) -> f32",
               value);
  };
  EXPECT_TRUE(std::isnan(of("maximum", nan)));
  EXPECT_EQ(of("maxnum", nan), 2);
  EXPECT_EQ(of("minnum", nan), 2);
  EXPECT_TRUE(std::isnan(of("minimum", nan)));
  EXPECT_EQ(of("minimum", -1), -1);
  EXPECT_EQ(of("copysign", -5), 5);
  EXPECT_EQ(one("f32", "f32",
                c + "%r = llvm.intr.fma(%v, %c, %v) : (f32, f32, "
                    "f32) -> f32",
                3),
            9);
  EXPECT_EQ(one("f32", "i32",
                c + "%b = llvm.fcmp \"uge\" %v, %c : f32\n"
                    "%r = llvm.zext %b : i1 to i32",
                nan),
            1);
  EXPECT_EQ(one("f32", "i32",
                c + "%b = llvm.fcmp \"oge\" %v, %c : f32\n"
                    "%r = llvm.zext %b : i1 to i32",
                nan),
            0);
}

// One number of each class, by its bits, asked about each class alone, then
// about several at once.
TEST(LlvmOps, FloatsHaveOneClassEach) {
  struct Format {
    const char *integer, *type;
    Values bits; // from signalling NaN, the mask's lowest bit, to +infinity
  };
  for (const Format &format : std::initializer_list<Format>{
           {"i16",
            "f16",
            {0x7D01, 0x7E00, 0xFC00 - 0x10000, 0xC000 - 0x10000,
             0x83FF - 0x10000, 0x8000 - 0x10000, 0, 1, 0x0400, 0x7C00}},
           {"i16",
            "bf16",
            {0x7F81, 0x7FC0, 0xFF80 - 0x10000, 0xC000 - 0x10000,
             0x807F - 0x10000, 0x8000 - 0x10000, 0, 1, 0x0080, 0x7F80}},
           {"i32",
            "f32",
            {0x7F800001, 0x7FC00000, -0x00800000, 0xC0000000 - 0x100000000,
             0x807FFFFF - 0x100000000, 0x80000000 - 0x100000000, 0, 1,
             0x00800000, 0x7F800000}}}) {
    auto holds = [&](int64_t mask) {
      std::string type = format.type;
      std::string body =
          "%f = llvm.bitcast %v : " + std::string(format.integer) + " to " +
          type + "\n" +
          "%b = \"llvm.intr.is.fpclass\"(%f) <{bit = " + std::to_string(mask) +
          " : i32}> : (" + type + ") -> i1\n%r = llvm.zext %b : i1 to i32";
      return computed(nvidia, format.integer, "i32", body, format.bits);
    };
    int64_t count = format.bits.size();
    for (int64_t asked = 0; asked < count; ++asked)
      for (auto [own, is] : llvm::enumerate(holds(int64_t(1) << asked)))
        EXPECT_EQ(is, int64_t(own) == asked)
            << format.type << ": number " << own << ", class " << asked;
    // NaNs, finite numbers, all.
    EXPECT_EQ(holds(0x003), Values({1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(holds(0x1F8), Values({0, 0, 0, 1, 1, 1, 1, 1, 1, 0}));
    EXPECT_EQ(holds(0x3FF), Values(count, 1));
  }
}

TEST(LlvmOps, VectorsArePutTogetherAndTakenApart) {
  // [v, v + 1] reversed, then its second element.
  std::string body = R"(
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %next = llvm.add %v, %i1 : i32
    %p = llvm.mlir.poison : vector<2xi32>
    %a = llvm.insertelement %v, %p[%i0 : i32] : vector<2xi32>
    %b = llvm.insertelement %next, %a[%i1 : i32] : vector<2xi32>
    %c = llvm.shufflevector %b, %p [1, 0] : vector<2xi32>)";
  EXPECT_EQ(one("i32", "i32",
                body + "\n%r = llvm.extractelement %c[%i1 : i32] : "
                       "vector<2xi32>",
                7),
            7);
  EXPECT_EQ(one("i32", "i32",
                body + "\n%r = llvm.extractelement %c[%i0 : i32] : "
                       "vector<2xi32>",
                7),
            8);
  // A position that is computed; and a vector that is read before and after.
  EXPECT_EQ(computed(nvidia, "i32", "i32", body + R"(
    %at = llvm.and %lane, %i1 : i32
    %d = llvm.insertelement %i0, %b[%at : i32] : vector<2xi32>
    %s = "llvm.intr.vector.reduce.add"(%b) : (vector<2xi32>) -> i32
    %t = "llvm.intr.vector.reduce.add"(%d) : (vector<2xi32>) -> i32
    %r = llvm.sub %s, %t : i32)",
                     {10, 10}),
            (Values{10, 11}));
  // Two halves are a word, the first one its lower half.
  EXPECT_EQ(one("i32", "i32", R"(
    %h = llvm.mlir.constant(dense<[1.0, -2.0]> : vector<2xf16>) : vector<2xf16>
    %r = llvm.bitcast %h : vector<2xf16> to i32)",
                0),
            double(int32_t(0xC0003C00)));
}

TEST(LlvmOps, StructsAreNamedNotCopied) {
  EXPECT_EQ(one("i32", "i32", R"(
    %c = llvm.mlir.constant(5 : i32) : i32
    %u = llvm.mlir.undef : !llvm.struct<(i32, array<2 x i32>)>
    %a = llvm.insertvalue %v, %u[0] : !llvm.struct<(i32, array<2 x i32>)>
    %b = llvm.insertvalue %c, %a[1, 1] : !llvm.struct<(i32, array<2 x i32>)>
    %d = llvm.insertvalue %c, %b[0] : !llvm.struct<(i32, array<2 x i32>)>
    %array = llvm.extractvalue %b[1] : !llvm.struct<(i32, array<2 x i32>)>
    %five = llvm.extractvalue %array[1] : !llvm.array<2 x i32>
    %own = llvm.extractvalue %b[0] : !llvm.struct<(i32, array<2 x i32>)>
    %r = llvm.mul %own, %five : i32)",
                7),
            35);
  // The carry of an addition beside its sum.
  EXPECT_EQ(one("i32", "i32", R"(
    %s = "llvm.intr.uadd.with.overflow"(%v, %v) : (i32, i32) -> !llvm.struct<(i32, i1)>
    %bit = llvm.extractvalue %s[1] : !llvm.struct<(i32, i1)>
    %r = llvm.zext %bit : i1 to i32)",
                -1),
            1);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Lane l goes round l + 1 times. What a loop computes is read behind it: a
/// lane that has left keeps its own, though others go on.
TEST(LlvmOps, LanesKeepWhatTheyLeftALoopWith) {
  Values in(32, 0), expected;
  for (int lane = 0; lane < 32; ++lane)
    expected.push_back(2 * (lane + 1));
  EXPECT_EQ(computed(nvidia, "i32", "i32", R"(
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^head(%i0 : i32)
  ^head(%n: i32):
    %next = llvm.add %n, %i1 : i32
    %twice = llvm.add %next, %next : i32
    %more = llvm.icmp "sle" %next, %lane : i32
    llvm.cond_br %more, ^head(%next : i32), ^done
  ^done:
    %r = llvm.add %twice, %i0 : i32)",
                     in),
            expected);
}

// What the lanes that stay compute is not what one had that left, also if it is
// not computed from the lane's own values.
TEST(LlvmOps, LanesKeepWhatWasSoWhenTheyLeft) {
  Values in(64, 0), expected;
  for (int lane = 0; lane < 64; ++lane)
    expected.push_back(64 - lane);
  EXPECT_EQ(computed(amd, "i32", "i32", R"(
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %true = llvm.mlir.constant(true) : i1
    llvm.br ^head(%i0 : i32)
  ^head(%n: i32):
    %next = llvm.add %n, %i1 : i32
    %there = rocdl.ballot %true : i64
    %number = llvm.intr.ctpop(%there) : (i64) -> i64
    %more = llvm.icmp "sle" %next, %lane : i32
    llvm.cond_br %more, ^head(%next : i32), ^done
  ^done:
    %r = llvm.trunc %number : i64 to i32)",
                     in),
            expected);
}

TEST(LlvmOps, ASwitchPassesArgumentsOfItsCases) {
  EXPECT_EQ(computed(nvidia, "i32", "i32", R"(
    %c7 = llvm.mlir.constant(7 : i32) : i32
    llvm.switch %v : i32, ^other(%v : i32) [
      3: ^one(%c7 : i32),
      -1: ^one(%lane : i32)
    ]
  ^one(%a: i32):
    llvm.br ^other(%a : i32)
  ^other(%r: i32):)",
                     {3, -1, 12}),
            (Values{7, 1, 12}));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(LlvmOps, WorkgroupMemoryIsOfAllLanes) {
  std::string global = "llvm.mlir.global private @s() {addr_space = 3 : i32, "
                       "alignment = 16 : i64} : !llvm.array<64 x i32>";
  std::string body = R"(
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %c63 = llvm.mlir.constant(63 : i64) : i64
    %own = llvm.getelementptr inbounds %s[0, %id] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, !llvm.array<64 x i32>
    llvm.store %lane, %own : i32, !llvm.ptr<3>
    BARRIER
    %other = llvm.sub %c63, %id : i64
    %from = llvm.getelementptr inbounds %s[%other] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    %v = llvm.load %from : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr inbounds %out[%id] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>)";
  Values expected;
  for (int lane = 0; lane < 64; ++lane)
    expected.push_back(63 - lane);
  auto with = [&](const Vendor &vendor, std::string barrier) {
    std::string text = body;
    text.replace(text.find("BARRIER"), 7, barrier);
    return execute(
        llvmKernel(vendor, 64, "memref<1xi32>", "memref<64xi32>", text, global),
        {array("i32", {1}, {0}), array("i32", {64}, Values(64, 0))},
        optionsOf(vendor, 64));
  };
  for (const char *barrier : {"nvvm.barrier0", "nvvm.barrier"})
    EXPECT_EQ(with(nvidia, barrier).arguments.back(), expected) << barrier;
  Vendor split = amd;
  split.subgroup = 32;
  std::string release = "llvm.fence syncscope(\"workgroup\") release\n",
              acquire = "\nllvm.fence syncscope(\"workgroup\") acquire";
  std::string twoSteps = "rocdl.s.barrier.signal id = -1\n"
                         "rocdl.s.barrier.wait id = -1";
  EXPECT_EQ(with(split, "rocdl.barrier").arguments.back(), expected);
  EXPECT_EQ(with(split, release + "rocdl.s.barrier" + acquire).arguments.back(),
            expected);
  EXPECT_EQ(with(split, release + twoSteps + acquire).arguments.back(),
            expected);
  // A wavefront of 64 is in step, as long as it says where.
  EXPECT_EQ(with(amd, "llvm.fence syncscope(\"wavefront\") release\n"
                      "llvm.fence syncscope(\"wavefront\") acquire")
                .arguments.back(),
            expected);
  std::string plain = "rocdl.s.barrier";
  for (std::string nothing :
       {std::string(), plain, release + plain, plain + acquire,
        release + twoSteps, twoSteps + acquire})
    EXPECT_EQ(with(split, nothing).fault, FaultKind::Race) << nothing;
}

TEST(LlvmOps, AWaitThatNobodySignalsIsADeadlock) {
  std::string body = R"(
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %first = llvm.icmp "ult" %lane, %c32 : i32
    llvm.cond_br %first, ^signal, ^out
  ^signal:
    rocdl.s.barrier.signal id = -1
    rocdl.s.barrier.wait id = -1
    llvm.br ^out
  ^out:)";
  Vendor split = amd;
  split.subgroup = 32;
  EXPECT_EQ(
      execute(llvmKernel(split, 64, "memref<1xi32>", "memref<1xi32>", body),
              {array("i32", {1}, {0}), array("i32", {1}, {0})},
              optionsOf(split, 64))
          .fault,
      FaultKind::Deadlock);
}

TEST(LlvmOps, HalvesOfABarrierComeInTurn) {
  Vendor split = amd;
  split.subgroup = 32;
  auto with = [&](std::string body) {
    return execute(
        llvmKernel(split, 64, "memref<1xi32>", "memref<1xi32>", body),
        {array("i32", {1}, {0}), array("i32", {1}, {0})}, optionsOf(split, 64));
  };
  std::string signal = "rocdl.s.barrier.signal id = -1\n",
              wait = "rocdl.s.barrier.wait id = -1\n";
  EXPECT_EQ(with(signal + wait + signal + wait).counters.barriers, 2);
  EXPECT_EQ(with(signal + signal + wait).fault, FaultKind::Misuse);
  EXPECT_EQ(with(wait).fault, FaultKind::Misuse);
  EXPECT_EQ(with(signal + wait + wait).fault, FaultKind::Misuse);
}

TEST(LlvmOps, PrivateMemoryIsEachLanesOwn) {
  std::string body = R"(
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i64) : i64
    %p = llvm.alloca %c1 x !llvm.array<4 x i32> : (i32) -> !llvm.ptr<5>
    %at = llvm.urem %id, %c4 : i64
    %place = llvm.getelementptr inbounds %p[0, %at] : (!llvm.ptr<5>, i64) -> !llvm.ptr<5>, !llvm.array<4 x i32>
    llvm.store %v, %place : i32, !llvm.ptr<5>
    %r = llvm.load %place : !llvm.ptr<5> -> i32)";
  EXPECT_EQ(computed(amd, "i32", "i32", body, {5, 6, 7, 8, 9}),
            (Values{5, 6, 7, 8, 9}));
}

/// How a load of %in, 8 numbers of 32 bits, ends.
Ending loaded(std::string address, std::string type = "i32",
              std::string attributes = "") {
  std::string body = "%p = llvm.getelementptr " + address + "\n" +
                     "%v = llvm.load %p " + attributes + " : !llvm.ptr<1> -> " +
                     type;
  return execute(llvmKernel(nvidia, 1, "memref<8xi32>", "memref<1xi32>", body),
                 {array("i32", {8}, Values(8, 1)), array("i32", {1}, {0})},
                 optionsOf(nvidia, 1));
}

TEST(LlvmOps, PointersAreJudgedByTheirArray) {
  std::string type = " : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32";
  EXPECT_EQ(loaded("%in[7]" + type).error, "");
  // The array behind this one is nobody's business.
  Ending beyond = loaded("%in[8]" + type);
  EXPECT_EQ(beyond.fault, FaultKind::OutOfBounds);
  EXPECT_NE(beyond.error.find("accesses bytes 32 to 35 of arg0, which has 32"),
            std::string::npos)
      << beyond.error;
  EXPECT_EQ(loaded("%in[-1]" + type).fault, FaultKind::OutOfBounds);
  EXPECT_EQ(loaded("%in[1000000]" + type).fault, FaultKind::OutOfBounds);
  EXPECT_EQ(
      loaded("%in[6]" + type, "vector<4xi32>", "{alignment = 4 : i64}").fault,
      FaultKind::OutOfBounds);
  // Back again is fine, unless every step promised to stay inside.
  auto twice = [&](std::string flag, std::string first = "9",
                   std::string second = "-2") {
    std::string body = "%far = llvm.getelementptr " + flag + " %in[" + first +
                       "]" + type + "\n%p = llvm.getelementptr " + flag +
                       " %far[" + second + "]" + type +
                       "\n%v = llvm.load %p : !llvm.ptr<1> -> i32";
    return execute(
        llvmKernel(nvidia, 1, "memref<8xi32>", "memref<1xi32>", body),
        {array("i32", {8}, Values(8, 1)), array("i32", {1}, {0})},
        optionsOf(nvidia, 1));
  };
  EXPECT_EQ(twice("").error, "");
  EXPECT_EQ(twice("inbounds", "-1", "3").fault, FaultKind::OutOfBounds);
  Ending left = twice("inbounds");
  EXPECT_EQ(left.fault, FaultKind::OutOfBounds);
  EXPECT_NE(left.error.find("has left arg0 on its way"), std::string::npos)
      << left.error;
}

TEST(LlvmOps, ElementsLieAsLlvmLaysThemOut) {
  auto second = [&](std::string type) {
    return loaded("%in[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, " + type).error;
  };
  // Byte 3 would be no word's.
  EXPECT_EQ(second("i24"), "");
  EXPECT_EQ(second("!llvm.array<3 x i24>"), "");
  EXPECT_EQ(second("vector<3xi32>"), "");
  EXPECT_NE(second("i8"), "");
  EXPECT_NE(second("!llvm.struct<(i8, i32)>"), "");
}

TEST(LlvmOps, NullAndNumbersAreNoMemory) {
  for (std::string pointer : {"llvm.mlir.zero : !llvm.ptr<1>",
                              "llvm.inttoptr %id : i64 to !llvm.ptr<1>"}) {
    std::string body =
        "%p = " + pointer + "\n%v = llvm.load %p : !llvm.ptr<1> -> i32";
    Ending ending = execute(
        llvmKernel(nvidia, 1, "memref<1xi32>", "memref<1xi32>", body),
        {array("i32", {1}, {0}), array("i32", {1}, {0})}, optionsOf(nvidia, 1));
    EXPECT_EQ(ending.fault, FaultKind::OutOfBounds) << pointer;
    EXPECT_NE(ending.error.find("uses a pointer to no memory"),
              std::string::npos);
  }
}

TEST(LlvmOps, AlignmentIsWhatTheLoadSays) {
  std::string bytes = " : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8";
  // 16 bytes by default, of a vector of 4 words.
  EXPECT_EQ(loaded("%in[16]" + bytes, "vector<4xi32>").error, "");
  EXPECT_EQ(loaded("%in[4]" + bytes, "vector<4xi32>").fault,
            FaultKind::Misaligned);
  EXPECT_EQ(
      loaded("%in[4]" + bytes, "vector<4xi32>", "{alignment = 4 : i64}").error,
      "");
  EXPECT_EQ(loaded("%in[2]" + bytes).fault, FaultKind::Misaligned);
  // Bytes of a wider element are read as what they are.
  EXPECT_EQ(loaded("%in[1]" + bytes, "i8").error, "");
}

TEST(LlvmOps, RequestsAreCountedAsWideAsTheirAlignment) {
  auto counted = [&](std::string alignment) {
    std::string body =
        "%p = llvm.getelementptr %in[%id] : (!llvm.ptr<1>, i64) -> "
        "!llvm.ptr<1>, vector<4xi32>\n%v = llvm.load %p {alignment = " +
        alignment + " : i64} : !llvm.ptr<1> -> vector<4xi32>";
    return execute(
               llvmKernel(nvidia, 32, "memref<128xi32>", "memref<1xi32>", body),
               {array("i32", {128}, Values(128, 1)), array("i32", {1}, {0})},
               optionsOf(nvidia, 32))
        .counters;
  };
  EXPECT_EQ(counted("16").globalRequests, 1);
  EXPECT_EQ(counted("16").sectors, 16);
  EXPECT_EQ(counted("4").globalRequests, 4);
  EXPECT_EQ(counted("4").sectors, 64);
}

TEST(LlvmOps, MasksChooseElements) {
  std::string body = R"(
    %m = llvm.mlir.constant(dense<[true, false, true, false]> : vector<4xi1>) : vector<4xi1>
    %nine = llvm.mlir.constant(dense<9> : vector<4xi32>) : vector<4xi32>
    // The last elements would be outside.
    %p = llvm.getelementptr %in[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %v = llvm.intr.masked.load %p, %m, %nine {alignment = 4 : i32} : (!llvm.ptr<1>, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    %far = llvm.mlir.constant(dense<[3, 100, 0, 100]> : vector<4xi64>) : vector<4xi64>
    %ps = llvm.getelementptr %in[%far] : (!llvm.ptr<1>, vector<4xi64>) -> vector<4x!llvm.ptr<1>>, i32
    %g = llvm.intr.masked.gather %ps, %m, %nine {alignment = 4 : i32} : (vector<4x!llvm.ptr<1>>, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    llvm.store %v, %out {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<1>
    %second = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.intr.masked.store %g, %second, %m {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr<1>)";
  EXPECT_EQ(lastArgumentOf(
                llvmKernel(nvidia, 1, "memref<4xi32>", "memref<7xi32>", body),
                {array("i32", {4}, {10, 20, 30, 40}),
                 array("i32", {7}, Values(7, -1))},
                optionsOf(nvidia, 1)),
            (Values{20, 9, 40, 9, 40, -1, 10}));
}

TEST(LlvmOps, ReadsOfWhatNobodyWroteAreFoundWhereTheyAreUsed) {
  std::string global = "llvm.mlir.global private @s() {addr_space = 3 : i32} : "
                       "!llvm.array<2 x f32>";
  std::string body = R"(
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %c1 = llvm.mlir.constant(1.0 : f32) : f32
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    llvm.store %c1, %s : f32, !llvm.ptr<3>
    %v = llvm.load %s {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xf32>
    USE)";
  auto with = [&](std::string use) {
    std::string text = body;
    text.replace(text.find("USE"), 3, use);
    return execute(llvmKernel(nvidia, 1, "memref<1xf32>", "memref<2xf32>", text,
                              global),
                   {array("f32", {1}, {0}), array("f32", {2}, {0, 0})},
                   optionsOf(nvidia, 1))
        .fault;
  };
  EXPECT_EQ(with(""), std::nullopt);
  EXPECT_EQ(with("%w = llvm.shufflevector %v, %v [1, 0] : vector<2xf32>"),
            std::nullopt);
  EXPECT_EQ(with("%e = llvm.extractelement %v[%i1 : i32] : vector<2xf32>\n"
                 "%f = llvm.fadd %e, %c1 : f32"),
            FaultKind::Unwritten);
  EXPECT_EQ(with("%b = llvm.bitcast %v : vector<2xf32> to i64\n"
                 "%n = llvm.add %b, %b : i64"),
            FaultKind::Unwritten);
  EXPECT_EQ(with("llvm.store %v, %out {alignment = 4 : i64} : vector<2xf32>, "
                 "!llvm.ptr<1>"),
            FaultKind::Unwritten);
}

TEST(LlvmOps, ConstantArraysAreRead) {
  std::string global =
      "llvm.mlir.global private constant @t(dense<[1.5, 2.5, 3.5]> : "
      "tensor<3xf16>) {addr_space = 1 : i32} : !llvm.array<3 x f16>";
  std::string body = R"(
    %t = llvm.mlir.addressof @t : !llvm.ptr<1>
    %p = llvm.getelementptr inbounds %t[0, %id] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.array<3 x f16>
    %v = llvm.load %p : !llvm.ptr<1> -> f16
    %to = llvm.getelementptr inbounds %out[%id] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
    llvm.store %v, %to : f16, !llvm.ptr<1>)";
  EXPECT_EQ(
      lastArgumentOf(
          llvmKernel(nvidia, 3, "memref<1xf16>", "memref<3xf16>", body, global),
          {array("f16", {1}, {0}), array("f16", {3}, {0, 0, 0})},
          optionsOf(nvidia, 3)),
      (Values{1.5, 2.5, 3.5}));
}

TEST(LlvmOps, WhatIsNotKnownIsNotModelled) {
  for (std::string body :
       {"llvm.inline_asm \"bar.sync 1;\", \"\" : () -> ()",
        "%p = llvm.addrspacecast %in : !llvm.ptr<1> to !llvm.ptr\n"
        "%a = llvm.call_intrinsic \"llvm.nvvm.atomic.add.gen.i.sys\"(%p, %lane)"
        " : (!llvm.ptr, i32) -> i32",
        "%l = llvm.load %in atomic seq_cst {alignment = 4 : i64} : "
        "!llvm.ptr<1> -> i32",
        "llvm.fence syncscope(\"cluster\") release"}) {
    Ending ending = execute(
        llvmKernel(nvidia, 1, "memref<1xi32>", "memref<1xi32>", body),
        {array("i32", {1}, {0}), array("i32", {1}, {0})}, optionsOf(nvidia, 1));
    EXPECT_EQ(ending.verdict, Verdict::NotModelled) << body << ending.error;
  }
}

TEST(LlvmOps, WhatLlvmIsToldMustHold) {
  auto with = [&](std::string body) {
    return faultOf(
        llvmKernel(nvidia, 1, "memref<1xi32>", "memref<1xi32>", body),
        {array("i32", {1}, {0}), array("i32", {1}, {0})}, optionsOf(nvidia, 1));
  };
  EXPECT_NE(with("%f = llvm.mlir.constant(false) : i1\n"
                 "llvm.intr.assume %f : i1"),
            "");
}

/// An array that begins on 16 bytes, and a promise of 64.
TEST(LlvmOps, TheLaunchKeepsWhatArgumentsPromise) {
  std::string text =
      llvmKernel(nvidia, 1, "memref<1xi32>", "memref<1xi32>", "");
  text.replace(text.find("llvm.align = 16"), 15, "llvm.align = 64");
  EXPECT_EQ(execute(text, {array("i32", {1}, {0}), array("i32", {1}, {0})},
                    optionsOf(nvidia, 1))
                .fault,
            FaultKind::Misaligned);
}

} // namespace
