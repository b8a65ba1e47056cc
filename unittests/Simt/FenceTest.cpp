//===- FenceTest.cpp - Barriers that wait, fences that order --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two subgroups of 4 lanes; the first writes what the second reads. A barrier
// of no vendor only makes them wait: without a release before it and an acquire
// after it, that far, the read is a race.
//
//===----------------------------------------------------------------------===//
#include "Schedules.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// Each subgroup runs its own part.
std::string kernelOfFences(std::string first, std::string second) {
  return R"(
    #shared = #gpu.address_space<workgroup>
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) kernel {
      %id = gpu.thread_id x
      %v = arith.index_cast %id : index to i32
      %m = memref.alloc() : memref<8xi32, #shared>
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %low = arith.remui %id, %c4 : index
      %next = arith.xori %low, %c3 : index
      %isFirst = arith.cmpi ult, %id, %c4 : index
      scf.if %isFirst {
)" + first +
         "} else {\n" + second + "}\ngpu.return\n} }";
}

Argument out() { return array("i32", {8}, Values(8, 0)); }

const std::string write =
    "memref.store %v, %m[%low] : memref<8xi32, #shared>\n";
const std::string read = "%x = memref.load %m[%low] : memref<8xi32, #shared>\n"
                         "memref.store %x, %out[%id] : memref<8xi32>\n";
/// Of what another lane of the subgroup wrote.
const std::string readNext =
    "%x = memref.load %m[%next] : memref<8xi32, #shared>\n"
    "memref.store %x, %out[%id] : memref<8xi32>\n";
const std::string barrier = "iree_gpu.global_subgroup_barrier\n";
const std::string named =
    "iree_gpu.global_subgroup_barrier id(3) threads(%c8)\n";
const std::string lanes = "iree_gpu.lane_barrier\n";

std::string release(std::string level = "workgroup") {
  return "iree_gpu.fence release " + level + "\n";
}
std::string acquire(std::string level = "workgroup") {
  return "iree_gpu.fence acquire " + level + "\n";
}

/// The fault under every schedule, which must not matter.
std::string faultInOfFences(const std::string &source) {
  return underSchedules(8, [&](uint64_t schedule) {
    return faultOf(source, {out()}, launch(4, 8, schedule));
  });
}

Values valuesInOfFences(const std::string &source) {
  return underSchedules(16, [&](uint64_t schedule) {
    return lastArgumentOf(source, {out()}, launch(4, 8, schedule));
  });
}

//===----------------------------------------------------------------------===//
// Barriers of subgroups (PCF-81, PCF-82)
//===----------------------------------------------------------------------===//

TEST(Fences, ABarrierBetweenFencesPassesOnWhatWasWritten) {
  const Values passedOn = {0, 0, 0, 0, 0, 1, 2, 3};
  for (const std::string &wait : {barrier, named})
    for (std::string level : {"workgroup", "device"})
      EXPECT_EQ(valuesInOfFences(kernelOfFences(write + release(level) + wait,
                                                wait + acquire(level) + read)),
                passedOn)
          << wait << level;
}

TEST(Fences, ABarrierAloneOrdersNoMemory) {
  for (const std::string &wait : {barrier, named}) {
    EXPECT_EQ(faultInOfFences(kernelOfFences(write + wait, wait + read)),
              "race");
    EXPECT_EQ(
        faultInOfFences(kernelOfFences(write + release() + wait, wait + read)),
        "race");
    EXPECT_EQ(
        faultInOfFences(kernelOfFences(write + wait, wait + acquire() + read)),
        "race");
  }
}

TEST(Fences, AFenceBelongsOnItsSideOfTheBarrier) {
  EXPECT_EQ(faultInOfFences(kernelOfFences(write + barrier + release(),
                                           barrier + acquire() + read)),
            "race");
  EXPECT_EQ(faultInOfFences(kernelOfFences(write + release() + barrier,
                                           acquire() + barrier + read)),
            "race");
  EXPECT_EQ(faultInOfFences(kernelOfFences(release() + write + barrier,
                                           barrier + acquire() + read)),
            "race");
}

TEST(Fences, AFenceOfASubgroupDoesNotReachAnother) {
  EXPECT_EQ(
      faultInOfFences(kernelOfFences(write + release("subgroup") + barrier,
                                     barrier + acquire() + read)),
      "race");
  EXPECT_EQ(
      faultInOfFences(kernelOfFences(write + release() + barrier,
                                     barrier + acquire("subgroup") + read)),
      "race");
}

TEST(Fences, BarriersPairUpInProgramOrder) {
  // Two that follow each other stay two, and meet two others.
  const Values passedOn = {0, 0, 0, 0, 0, 1, 2, 3};
  EXPECT_EQ(
      valuesInOfFences(kernelOfFences(barrier + write + release() + barrier,
                                      barrier + barrier + acquire() + read)),
      passedOn);
  EXPECT_EQ(
      faultInOfFences(kernelOfFences(write + release() + barrier + barrier,
                                     barrier + acquire() + read)),
      "deadlock");
  EXPECT_EQ(faultInOfFences(kernelOfFences(barrier, "")), "deadlock");
  EXPECT_EQ(faultInOfFences(kernelOfFences(named, barrier)), "deadlock");
}

TEST(Fences, LanesOfASubgroupReachABarrierTogether) {
  std::string some =
      "%few = arith.cmpi ult, %low, %c3 : index\nscf.if %few {\n";
  EXPECT_EQ(faultInOfFences(kernelOfFences(some + barrier + "}\n", barrier)),
            "divergent barrier");
  EXPECT_EQ(faultInOfFences(kernelOfFences(some + lanes + "}\n", "")),
            "divergent barrier");
}

//===----------------------------------------------------------------------===//
// Barriers of lanes
//===----------------------------------------------------------------------===//

TEST(Fences, LanesPassOnWhatTheyWrote) {
  EXPECT_EQ(
      valuesInOfFences(kernelOfFences(write + release("subgroup") + lanes +
                                          acquire("subgroup") + readNext,
                                      "")),
      (Values{3, 2, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(valuesInOfFences(kernelOfFences(
                write + release() + lanes + acquire() + readNext, "")),
            (Values{3, 2, 1, 0, 0, 0, 0, 0}));
}

TEST(Fences, ALaneBarrierAloneOrdersNoMemory) {
  EXPECT_EQ(faultInOfFences(kernelOfFences(write + lanes + readNext, "")),
            "race");
  EXPECT_EQ(
      faultInOfFences(kernelOfFences(write + release() + lanes + readNext, "")),
      "race");
  EXPECT_EQ(
      faultInOfFences(kernelOfFences(write + lanes + acquire() + readNext, "")),
      "race");
}

TEST(Fences, ALaneBarrierIsNoneOfSubgroups) {
  EXPECT_EQ(faultInOfFences(kernelOfFences(write + release() + lanes,
                                           lanes + acquire() + read)),
            "race");
}

} // namespace
