//===- PcfBarriersTest.cpp - Barriers of one workgroup of a loop ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine runs several iterations of a loop over workgroups at a time. Each
// is a workgroup: a barrier in it waits for its own subgroups, of which there
// are four of 8 lanes here, whatever other iterations do (PCF-164).
//
//===----------------------------------------------------------------------===//
#include "PcfKernel.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// Subgroups of %n workgroups pass on values through workgroup memory twice,
/// with a WAIT between any two accesses of other subgroups.
std::string passTwice() {
  return pcfAliases + R"(
  func.func @f(%init: tensor<40xi32>, %n: index) -> tensor<40xi32> {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %r = pcf.loop scope(#wgl) count(%n) execute(%o = %init)[%i: index]
      : (!pcf.sref<40xi32, sync(#wgl)>) -> (tensor<40xi32>) {
      %shared = memref.alloc() : memref<4xi32, #gpu.address_space<workgroup>>
      pcf.generic scope(#sg) execute[%w: index, %nw: index] {
        %v = arith.index_cast %w : index to i32
        %t = arith.index_cast %i : index to i32
        memref.store %v, %shared[%w] : memref<4xi32, #gpu.address_space<workgroup>>
        WAIT
        %other = arith.subi %c3, %w : index
        %y = memref.load %shared[%other] : memref<4xi32, #gpu.address_space<workgroup>>
        WAIT
        %s = arith.addi %y, %t : i32
        memref.store %s, %shared[%w] : memref<4xi32, #gpu.address_space<workgroup>>
        WAIT
        %next = arith.xori %w, %c1 : index
        %z = memref.load %shared[%next] : memref<4xi32, #gpu.address_space<workgroup>>
        %first = arith.muli %i, %nw : index
        %at = arith.addi %first, %w : index
        %e = vector.broadcast %z : i32 to !I
        pcf.write_slice %e into %o[%at] [1] [1] : !I into !pcf.sref<40xi32, sync(#wgl)>
        pcf.return
      }
      pcf.return
    }
    return %r : tensor<40xi32>
  })";
}

/// What ten workgroups leave.
Values passedTwice() {
  Values values;
  for (int64_t i = 0; i < 10; ++i)
    for (int64_t w = 0; w < 4; ++w)
      values.push_back(double(3 - (w ^ 1) + i));
  return values;
}

/// The text with one of these in place of each WAIT, in turns.
std::string withEach(std::string text, ArrayRef<std::string> waits) {
  size_t number = 0;
  for (size_t at; (at = text.find("WAIT")) != std::string::npos;)
    text.replace(at, 4, waits[number++ % waits.size()]);
  return text;
}

TEST(PcfBarriers, ABarrierIsOfOneWorkgroupOfALoop) {
  auto fenced = [](std::string barrier) {
    return "iree_gpu.fence release workgroup\n" + barrier +
           "\niree_gpu.fence acquire workgroup\n";
  };
  std::string named = "iree_gpu.global_subgroup_barrier id(1) threads(%c32)";
  std::string whole = "iree_gpu.global_subgroup_barrier";
  Argument init = integers(40);
  for (const std::string &barrier :
       {fenced(named), fenced(whole), std::string("gpu.barrier\n")})
    EXPECT_EQ(valuesOfFour(withEach(passTwice(), {barrier}), init, 10),
              passedTwice())
        << barrier;
  // Planted: one that is missing, or whose fence is.
  for (const std::string &barrier : {named, whole}) {
    std::string full = fenced(barrier);
    EXPECT_EQ(faultOfFour(withEach(passTwice(), {"", full, full}), init, 10),
              "race");
    EXPECT_EQ(faultOfFour(withEach(passTwice(), {full, "", full}), init, 10),
              "race");
    EXPECT_EQ(faultOfFour(withEach(passTwice(), {full, full, ""}), init, 10),
              "race");
    EXPECT_EQ(
        faultOfFour(withEach(passTwice(), {barrier, full, full}), init, 10),
        "race");
  }
}

/// Subgroups of %n workgroups, of each of which one stays away from a barrier
/// if they are several.
std::string withoutOne(std::string barrier) {
  return pcfAliases + R"(
  func.func @f(%init: tensor<40xi32>, %n: index) -> tensor<40xi32> {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    pcf.loop scope(#wgl) count(%n) execute[%i: index] {
      pcf.generic scope(#sg) execute[%w: index, %nw: index] {
        %areMany = arith.cmpi ugt, %n, %c1 : index
        %isLast = arith.cmpi eq, %w, %c3 : index
        %isAway = arith.andi %areMany, %isLast : i1
        scf.if %isAway {
        } else {
          )" +
         barrier + R"(
        }
        pcf.return
      }
      pcf.return
    }
    return %init : tensor<40xi32>
  })";
}

// The barriers of four iterations have 12 arrivals together, which are enough
// for three barriers.
TEST(PcfBarriers, ASubgroupThatStaysAwayIsMissedInItsWorkgroup) {
  Argument init = integers(40);
  for (std::string barrier :
       {"iree_gpu.global_subgroup_barrier id(1) threads(%c32)",
        "iree_gpu.global_subgroup_barrier", "gpu.barrier"}) {
    EXPECT_EQ(faultOfFour(withoutOne(barrier), init, 1), "");
    EXPECT_EQ(faultOfFour(withoutOne(barrier), init, 4), "deadlock");
  }
  EXPECT_EQ(execute(withoutOne("iree_gpu.global_subgroup_barrier"),
                    {init, index(2)}, launch(8, 32))
                .error,
            "'iree_gpu.global_subgroup_barrier' op deadlock: subgroup 0 waits "
            "at this barrier, but subgroup 3 has finished without reaching it");
}

TEST(PcfBarriers, AnMBarrierIsOfOneWorkgroupOfALoop) {
  std::string group =
      "!nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>";
  std::string create = R"(
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %false = arith.constant false
        %true = arith.constant true
        %isZero = arith.cmpi eq, %w, %c0 : index
        %b = nvgpu.mbarrier.create -> GROUP
        nvgpu.mbarrier.init %b[%c0], %c4, predicate = %isZero : GROUP
        gpu.barrier
)";
  auto phase = [&](std::string number, std::string parity) {
    return "%t" + number + " = nvgpu.mbarrier.arrive %b[%c0] : " + group +
           " -> !nvgpu.mbarrier.token\n" +
           "nvgpu.mbarrier.try_wait.parity %b[%c0], " + parity +
           ", %c1 : " + group + "\n";
  };
  create.replace(create.find("GROUP"), 5, group);
  create.replace(create.find("GROUP"), 5, group);
  EXPECT_EQ(valuesOfFour(withEach(passTwice(),
                                  {create + phase("0", "%false"),
                                   phase("1", "%true"), phase("2", "%false")}),
                         integers(40), 10),
            passedTwice());
}

} // namespace
