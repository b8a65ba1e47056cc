//===- FaultTest.cpp - What the machine refuses ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fault by name, and beside it the smallest change that makes it go away.
//
//===----------------------------------------------------------------------===//
#include "FaultKernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

// Places in the register file are 32-bit numbers; beyond them values would lie
// on top of each other.
TEST(Fault, ValuesBeyondTheRegisterFileAreRefused) {
  auto error = [](StringRef elements) {
    return execute(
               kernelOfFaults(("%large = arith.constant dense<7> : vector<" +
                               elements + "xi32>")
                                  .str()),
               {array("i32", {8}, Values(8, 0))}, launch(4, 8))
        .error;
  };
  EXPECT_NE(error("70000000")
                .find("not modelled: the values up to here take "
                      "more than 768 MiB"),
            std::string::npos)
      << error("70000000");
  EXPECT_EQ(error("70000"), "");
}

TEST(Fault, ALoopWithoutEndIsStopped) {
  Options options = launch(4, 8);
  options.maxSteps = 10'000;
  for (uint64_t schedule : {0, 1, 2}) {
    options.schedule = schedule;
    std::string error = execute(kernelOfFaults(R"(
      %true = arith.constant true
      scf.while : () -> () {
        scf.condition(%true)
      } do {
        scf.yield
      })"),
                                {array("i32", {8}, Values(8, 0))}, options)
                            .error;
    EXPECT_TRUE(StringRef(error).contains(
        "is still here after 10000 instructions of its workgroup"))
        << error;
  }
}

TEST(Fault, ALongLoopWithinTheLimitIsNone) {
  Options options = launch(4, 8);
  options.maxSteps = 10'000;
  EXPECT_EQ(execute(kernelOfFaults(R"(
      %c99 = arith.constant 99 : index
      scf.for %i = %c0 to %c99 step %c1 {
        scf.yield
      })"),
                    {array("i32", {8}, Values(8, 0))}, options)
                .error,
            "");
}

TEST(Fault, MissingBarrierIsARace) {
  EXPECT_EQ(faultInOfFaults(std::string(store) + loadMirror), "race");
  EXPECT_EQ(faultInOfFaults(std::string(store) + barrier + loadMirror), "");
  // Lanes of one subgroup race too.
  EXPECT_EQ(faultInOfFaults(std::string(store) + loadMirror, 8), "race");
}

TEST(Fault, ReadThenWriteIsARace) {
  std::string read = "%x = memref.load %m[%mirror] : memref<8xi32, "
                     "#gpu.address_space<workgroup>>\n";
  EXPECT_EQ(faultInOfFaults(std::string(store) + barrier + read + store),
            "race");
  EXPECT_EQ(
      faultInOfFaults(std::string(store) + barrier + read + barrier + store),
      "");
}

TEST(Fault, TwoWritersAreARace) {
  EXPECT_EQ(faultInOfFaults("memref.store %v, %out[%c0] : memref<8xi32>"),
            "race");
  EXPECT_EQ(faultInOfFaults(R"(%first = arith.cmpi eq, %id, %c0 : index
    scf.if %first { memref.store %v, %out[%c0] : memref<8xi32> })"),
            "");
}

TEST(Fault, WorkgroupsAreNeverOrdered) {
  auto source = [](std::string position, std::string more) {
    return R"(func.func @f(%out: memref<8xi32>) {
      %v = arith.constant 1 : i32
      %c0 = arith.constant 0 : index
      scf.forall (%i) in (8) {
        memref.store %v, %out[)" +
           position + "] : memref<8xi32>\n" + more + R"(
      } {mapping = [#gpu.block<x>]}
      return
    })";
  };
  Argument out = array("i32", {8}, Values(8, 0));
  EXPECT_EQ(faultOf(source("%i", ""), {out}), "");
  EXPECT_EQ(faultOf(source("%c0", ""), {out}), "race");
  EXPECT_EQ(faultOf(source("%i", "%x = memref.load %out[%c0] : memref<8xi32>"),
                    {out}),
            "race");
  Ending outcome = execute(source("%c0", ""), {out});
  EXPECT_NE(outcome.error.find("workgroup (0, 0, 0) writes [0] of arg0"),
            std::string::npos)
      << outcome.error;
}

TEST(Fault, BarrierThatSomeLanesMissIsDivergent) {
  EXPECT_EQ(faultInOfFaults(R"(%some = arith.cmpi ult, %id, %c1 : index
    scf.if %some { gpu.barrier })"),
            "divergent barrier");
  // Reconverged lanes are all there.
  EXPECT_EQ(faultInOfFaults(R"(%some = arith.cmpi ult, %id, %c1 : index
    scf.if %some { memref.store %v, %out[%id] : memref<8xi32> }
    gpu.barrier)"),
            "");
}

TEST(Fault, SubgroupsAtDifferentBarriersAreDivergent) {
  EXPECT_EQ(faultInOfFaults(R"(%some = arith.cmpi ult, %id, %c4 : index
    scf.if %some { gpu.barrier } else { gpu.barrier })"),
            "divergent barrier");
}

TEST(Fault, BarrierThatASubgroupNeverReachesIsADeadlock) {
  EXPECT_EQ(faultInOfFaults(R"(%some = arith.cmpi ult, %id, %c4 : index
    scf.if %some { gpu.barrier })"),
            "deadlock");
  EXPECT_EQ(faultInOfFaults(R"(%n = arith.divui %id, %c4 : index
    scf.for %i = %c0 to %n step %c1 { gpu.barrier })"),
            "deadlock");
}

TEST(Fault, OutOfBounds) {
  EXPECT_EQ(faultInOfFaults(R"(%i = arith.addi %id, %c1 : index
    memref.store %v, %out[%i] : memref<8xi32>)"),
            "out of bounds");
  EXPECT_EQ(faultInOfFaults(R"(%i = arith.subi %id, %c1 : index
    %x = memref.load %out[%i] : memref<8xi32>)"),
            "out of bounds");
  // A lane that does not take part may have any index.
  EXPECT_EQ(faultInOfFaults(R"(%i = arith.addi %id, %c1 : index
    %in = arith.cmpi ult, %id, %c7 : index
    scf.if %in { memref.store %v, %out[%i] : memref<8xi32> })"),
            "");
}

TEST(Fault, MessagesNameLaneAndAddress) {
  Ending outcome =
      execute(kernelOfFaults("%i = arith.addi %id, %c1 : index\n"
                             "memref.store %v, %out[%i] : memref<8xi32>"),
              {array("i32", {8}, Values(8, 0))}, launch(4, 8));
  EXPECT_EQ(outcome.error, "'memref.store' op out of bounds: lane 3 of "
                           "subgroup 1 in workgroup (0, 0, 0) uses "
                           "index 8 in dimension 0 of arg0, whose extent is 8");
  outcome = execute(kernelOfFaults(std::string(store) + loadMirror),
                    {array("i32", {8}, Values(8, 0))}, launch(4, 8));
  EXPECT_EQ(outcome.error, "'memref.store' op race: lane 0 of subgroup 1 in "
                           "workgroup (0, 0, 0) writes [4] of "
                           "workgroup memory, which lane 3 of subgroup 0 in "
                           "workgroup (0, 0, 0) reads with no "
                           "barrier in between");
}

TEST(Fault, PlacesAreValues) {
  Ending outcome =
      execute(kernelOfFaults("%i = arith.addi %id, %c1 : index\n"
                             "memref.store %v, %out[%i] : memref<8xi32>"),
              {array("i32", {8}, Values(8, 0))}, launch(4, 8));
  EXPECT_EQ(outcome.verdict, Verdict::Faulty);
  EXPECT_EQ(outcome.fault, FaultKind::OutOfBounds);
  EXPECT_EQ(outcome.place.workgroup, (std::array<int64_t, 3>{0, 0, 0}));
  EXPECT_EQ(outcome.place.subgroup, 1);
  EXPECT_EQ(outcome.place.lane, 3);
  EXPECT_EQ(outcome.place.array, "arg0");
  outcome = execute(kernelOfFaults(std::string(store) + loadMirror),
                    {array("i32", {8}, Values(8, 0))}, launch(4, 8));
  EXPECT_EQ(outcome.fault, FaultKind::Race);
  EXPECT_EQ(outcome.place.array, "workgroup memory");
  EXPECT_EQ(outcome.place.element, 4);
  // Where no lane is to blame, the subgroup is.
  Options few = launch(4, 8);
  few.maxSteps = 1000;
  outcome =
      execute(kernelOfFaults("%true = arith.constant true\n"
                             "scf.while : () -> () {\nscf.condition(%true)\n"
                             "} do {\nscf.yield\n}"),
              {array("i32", {8}, Values(8, 0))}, few);
  EXPECT_EQ(outcome.fault, FaultKind::Endless);
  EXPECT_EQ(outcome.place.subgroup, 0);
  EXPECT_EQ(outcome.place.lane, -1);
}

// The kernel's own words are no verdict: only the machine may say that it does
// not know.
TEST(Fault, AKernelThatSaysNotModelledIsFaulty) {
  Ending outcome = execute(kernelOfFaults(R"(%no = arith.constant false
    cf.assert %no, "not modelled: I say so")"),
                           {array("i32", {8}, Values(8, 0))}, launch(4, 8));
  EXPECT_NE(outcome.error.find("not modelled: I say so"), std::string::npos);
  EXPECT_EQ(outcome.fault, FaultKind::Assertion);
  EXPECT_EQ(outcome.verdict, Verdict::Faulty);
  outcome = execute("func.func @f() {\ngpu.printf \"hello\"\nreturn\n}", {});
  EXPECT_EQ(outcome.verdict, Verdict::NotModelled);
  outcome = execute(kernelOfFaults(""), {}, launch(4, 8));
  EXPECT_EQ(outcome.verdict, Verdict::Unfit);
  EXPECT_EQ(outcome.error, "takes 1 arguments, found 0");
}

TEST(Fault, DimensionsAreCheckedOneByOne) {
  // [0, 4] is inside the buffer, but not inside its row.
  std::string source = R"(func.func @f(%in: memref<4x4xi32>) -> i32 {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %x = memref.load %in[%c0, %c4] : memref<4x4xi32>
      return %x : i32
    })";
  EXPECT_EQ(faultOf(source, {array("i32", {4, 4}, Values(16, 0))}),
            "out of bounds");
}

/// A vector load by each of 8 threads, %at elements from the start.
std::string loadAt(std::string at, std::string memory, std::string alignment) {
  std::string index = "%k = arith.muli %id, %c4 : index\n%at = arith.addi %k, ";
  std::string type = "memref<64xi32" + memory + ">";
  std::string from = memory.empty() ? "%big" : "%w";
  return R"(
    gpu.module @m { gpu.func @f(%big: memref<64xi32>, %out: memref<8xi32>) {
      %id = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %w = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
)" + index +
         at + " : index\n%x = vector.load " + from + "[%at]" + alignment +
         " : " + type + ", vector<4xi32>\ngpu.return\n} }";
}

TEST(Fault, MisalignedAccessesAreThoseThatClaimMore) {
  auto fault = [](std::string at, std::string memory, std::string alignment) {
    Options options = launch(4, 8);
    options.checks = false; // what is read has not been written
    return faultOf(
        loadAt(at, memory, alignment),
        {array("i32", {64}, Values(64, 0)), array("i32", {8}, Values(8, 0))},
        options);
  };
  for (std::string memory : {"", ", #gpu.address_space<workgroup>"}) {
    std::string wide = " {alignment = 16 : i64}",
                half = " {alignment = 8 : i64}";
    EXPECT_EQ(fault("%c0", memory, wide), "");
    EXPECT_EQ(fault("%c4", memory, wide), "");
    EXPECT_EQ(fault("%c2", memory, wide), "misaligned");
    EXPECT_EQ(fault("%c1", memory, wide), "misaligned");
    EXPECT_EQ(fault("%c2", memory, half), "");
    EXPECT_EQ(fault("%c1", memory, half), "misaligned");
    // An access that claims nothing is split where it must be.
    EXPECT_EQ(fault("%c1", memory, ""), "");
    // Buffers lie on no larger power of two than is promised.
    EXPECT_EQ(fault("%c0", memory, " {alignment = 32 : i64}"), "misaligned");
  }
}

TEST(Fault, MisalignedMessagesNameLaneAndAddress) {
  Ending outcome = execute(
      loadAt("%c2", "", " {alignment = 16 : i64}"),
      {array("i32", {64}, Values(64, 0)), array("i32", {8}, Values(8, 0))},
      launch(8, 8));
  EXPECT_EQ(outcome.error,
            "'vector.load' op misaligned: lane 0 of subgroup 0 in workgroup "
            "(0, 0, 0) is told that [2] of arg0 lies on a multiple of 16 "
            "bytes; it is byte 8 of memory that begins on a multiple of 16");
}

TEST(Fault, AllocationsLieWhereTheyAskFor) {
  // Private memory: the part of each lane begins there, 20 bytes apart or not.
  for (std::string alloc :
       {"memref.alloca()", "memref.alloc()", "memref.alloca() {alignment = 4}",
        "memref.alloc() {alignment = 64 : i64}"})
    for (int64_t claim : {16, 32, 64, 128}) {
      bool kept = claim == 16 || alloc.find("64") != std::string::npos;
      EXPECT_EQ(faultInOfFaults("%p = " + alloc + R"( : memref<5xi32>
        memref.store %v, %p[%c0] {alignment = )" +
                                std::to_string(claim) +
                                " : i64} : memref<5xi32>"),
                kept && claim <= 64 ? "" : "misaligned")
          << alloc << " " << claim;
    }
}

TEST(Fault, AssumedAlignmentIsChecked) {
  auto assume = [](int64_t offset, int64_t alignment) {
    return faultInOfFaults(
        "%s = memref.subview %out[" + std::to_string(offset) +
        "] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], "
        "offset: " +
        std::to_string(offset) + ">>\n%a = memref.assume_alignment %s, " +
        std::to_string(alignment) + " : memref<4xi32, strided<[1], offset: " +
        std::to_string(offset) + ">>");
  };
  EXPECT_EQ(assume(4, 16), "");
  EXPECT_EQ(assume(2, 8), "");
  EXPECT_EQ(assume(2, 16), "misaligned");
  EXPECT_EQ(assume(0, 32), "misaligned");
}

TEST(Fault, UnwrittenReads) {
  // The read alone is none (UnwrittenTest.cpp).
  EXPECT_EQ(faultInOfFaults("%x = memref.load %m[%id] : memref<8xi32, "
                            "#gpu.address_space<workgroup>>\n"
                            "memref.store %x, %out[%id] : memref<8xi32>"),
            "unwritten");
  // What another lane writes later, without a barrier, is a race.
  EXPECT_EQ(
      faultInOfFaults(
          R"(%x = memref.load %m[%mirror] : memref<8xi32, #gpu.address_space<workgroup>>
    memref.store %x, %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>)"),
      "race");
}

TEST(Fault, AnUnwrittenReadExplainsWhatFollows) {
  EXPECT_EQ(
      faultInOfFaults(
          R"(%x = memref.load %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>
    %i = arith.index_cast %x : i32 to index
    memref.store %v, %out[%i] : memref<8xi32>)"),
      "unwritten");
}

TEST(Fault, UnwrittenReadOfAnotherWorkgroupsOutputIsARace) {
  Argument out = array("i32", {8}, Values(8, 0));
  out.written = false;
  EXPECT_EQ(faultOf(R"(func.func @f(%out: memref<8xi32>) {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %v = arith.constant 1 : i32
      scf.forall (%i) in (8) {
        %mirror = arith.subi %c7, %i : index
        %x = memref.load %out[%mirror] : memref<8xi32>
        memref.store %v, %out[%i] : memref<8xi32>
      } {mapping = [#gpu.block<x>]}
      return
    })",
                    {out}),
            "race");
}

// What a launch touched is remembered by pages of 512 elements.
TEST(Fault, ElementsAreNamedInEveryPage) {
  constexpr int64_t size = 2000;
  Argument out = array("i32", {size}, Values(size, 0));
  out.written = false;
  // Workgroup `from` writes at `to`, all others at their own number.
  auto error = [&](int64_t count, int64_t from, int64_t to) {
    return execute("func.func @f(%out: memref<2000xi32>) {\n"
                   "%v = arith.constant 1 : i32\n"
                   "%from = arith.constant " +
                       std::to_string(from) +
                       " : index\n%to = arith.constant " + std::to_string(to) +
                       " : index\nscf.forall (%i) in (" +
                       std::to_string(count) + R"() {
        %moves = arith.cmpi eq, %i, %from : index
        %at = arith.select %moves, %to, %i : index
        memref.store %v, %out[%at] : memref<2000xi32>
      } {mapping = [#gpu.block<x>]}
      return
    })",
                   {out})
        .error;
  };
  auto names = [](const std::string &text, StringRef what, int64_t element) {
    return StringRef(text).contains(what) &&
           StringRef(text).contains("[" + std::to_string(element) +
                                    "] of arg0");
  };
  EXPECT_EQ(error(size, 0, 0), "");
  for (int64_t written : {0, 1, 511, 512, 513, 1024, 1536, 1999})
    EXPECT_TRUE(names(error(written, 0, 0), "no lane has written", written))
        << written;
  for (int64_t element : {1, 511, 512, 1023, 1024, 1998})
    EXPECT_TRUE(names(error(size, 1999, element), "race", element)) << element;
  // Pages before it that nobody touched.
  EXPECT_TRUE(names(error(1, 0, 1999), "no lane has written", 0));
}

TEST(Fault, OutputsMustBeWrittenWhole) {
  std::string source = R"(func.func @f(%out: memref<8xi32>) {
      %v = arith.constant 1 : i32
      scf.forall (%i) in (COUNT) {
        memref.store %v, %out[%i] : memref<8xi32>
      } {mapping = [#gpu.block<x>]}
      return
    })";
  Argument out = array("i32", {8}, Values(8, 0));
  out.written = false;
  auto withCount = [&](std::string count) {
    std::string text = source;
    return text.replace(text.find("COUNT"), 5, count);
  };
  EXPECT_EQ(faultOf(withCount("8"), {out}), "");
  EXPECT_EQ(faultOf(withCount("7"), {out}), "unwritten");
}

TEST(Fault, ChecksCanBeSwitchedOff) {
  Options options = launch(4, 8);
  options.checks = false;
  Argument out = array("i32", {8}, Values(8, 0));
  EXPECT_EQ(
      faultOf(kernelOfFaults(std::string(store) + loadMirror), {out}, options),
      "");
  EXPECT_EQ(faultOf(kernelOfFaults("%i = arith.addi %id, %c1 : index\n"
                                   "memref.store %v, %out[%i] : memref<8xi32>"),
                    {out}, options),
            "out of bounds");
}

TEST(Fault, TheFirstWorkgroupsFaultIsReported) {
  // Workgroups from 3 on are out of bounds, the later ones after more work, so
  // that on several threads their faults come last.
  std::string source = R"(func.func @f(%out: memref<8xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %c1000 = arith.constant 1000 : index
      %v = arith.constant 1 : i32
      scf.forall (%i) in (64) {
        %k = arith.addi %i, %c1 : index
        %n = arith.muli %k, %c1000 : index
        scf.for %l = %c0 to %n step %c1 {
        }
        %j = arith.addi %i, %c5 : index
        memref.store %v, %out[%j] : memref<8xi32>
      } {mapping = [#gpu.block<x>]}
      return
    })";
  for (unsigned threads : {1, 2, 8}) {
    Options options;
    options.threads = threads;
    Ending outcome =
        execute(source, {array("i32", {8}, Values(8, 0))}, options);
    EXPECT_NE(outcome.error.find("workgroup (3, 0, 0) uses index 8"),
              std::string::npos)
        << outcome.error;
  }
}

TEST(Fault, UnknownOperationsAreNamed) {
  Ending outcome = execute(R"(func.func @f() {
      gpu.printf "hello"
      return
    })",
                           {});
  EXPECT_EQ(
      outcome.error,
      "'gpu.printf' op not modelled: the machine does not know this operation");
}

/// An array whose extents the kernel computes, here from an argument.
std::string allocation(StringRef op, int64_t extent) {
  return faultOf(("func.func @f(%n: index) {\n" + op + "\nreturn\n}").str(),
                 {array("index", {}, Values{double(extent)})}, launch(4, 8));
}

TEST(Fault, ExtentsThatNoMachineHoldsHaveNoMemory) {
  StringRef ops[] = {
      "%t = tensor.empty(%n, %n) : tensor<?x?xf32>",
      "%t = bufferization.alloc_tensor(%n, %n) : tensor<?x?xf32>",
      "%m = memref.alloc(%n, %n) : memref<?x?xf32>",
      "%m = memref.alloca(%n, %n) : memref<?x?xf32>",
      "%t = tensor.generate %n, %n { ^bb0(%i: index, %j: index):\n"
      "tensor.yield %i : index } : tensor<?x?xindex>",
      "%c = arith.constant dense<1> : tensor<1x1xi32>\n"
      "%z = arith.constant 0 : i32\n"
      "%t = tensor.pad %c low[%n, %n] high[0, 0] { ^bb0(%i: index, %j: index):"
      "\ntensor.yield %z : i32 } : tensor<1x1xi32> to tensor<?x?xi32>",
  };
  for (StringRef op : ops) {
    for (int64_t extent : {int64_t(1) << 62, int64_t(1) << 32}) {
      std::string fault = allocation(op, extent);
      EXPECT_NE(fault.find("out of memory"), std::string::npos)
          << op.str() << ": " << fault;
    }
    EXPECT_EQ(allocation(op, 3), "") << op.str();
  }
}

} // namespace
