//===- PcfGroupsTest.cpp - Clusters, members and their payload ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four subgroups, split into clusters. A member has its own payload, knows what
// it did in its earlier phases, and of others what barriers have told it.
//
//===----------------------------------------------------------------------===//
#include "PcfKernel.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

const std::string members = R"(
    !TG = !pcf.threadgroup<#sg>
    !L = !pcf.cluster<#sg, (0 -> d0), w.left>
    !R = !pcf.cluster<#sg, (d0 -> s0), w.right>
    !LP = !pcf.cluster<#sg, (0 -> d0), private: {!I, index}, w.left>
    !A = !pcf.sref<4xi32, #sg>
)";

/// Members carry what they computed through a loop of their cluster.
std::string payload(std::string barrier) {
  return pcfAliases + members + R"(
  func.func @f(%init: tensor<4xi32>, %n: index) -> tensor<4xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = pcf.shared_executor scope(#sg)
      initialize { %b = pcf.alloc() : !A  pcf.yield %b : !A } -> (%a: !A)
      execute(%o = %init)[%tg: !TG] : (!pcf.sref<4xi32, sync(#sg)>) -> (tensor<4xi32>) {
      pcf.shared_executor.tile_group %tg ns(w) split [[%c3]] (%left: !L, %right: !R) {
        %p = pcf.shared_executor.run_thread(%left)[%c3] () [%id: index] {
          %v = arith.index_cast %id : index to i32
          %e = vector.broadcast %v : i32 to !I
          pcf.cluster_yield %e, %id : !I, index
        } : (!L) -> !LP
        %q = scf.for %i = %c0 to %n step %c1 iter_args(%it = %p) -> (!LP) {
          %next = pcf.shared_executor.run_thread(%it)[%c3] (%x: !I, %k: index) [%id: index] {
            %y = arith.addi %x, %x : !I
            pcf.cluster_yield %y, %k : !I, index
          } : (!LP) -> !LP
          scf.yield %next : !LP
        }
        pcf.shared_executor.run_thread(%q)[%c3] (%x: !I, %k: index) [%id: index] {
          pcf.write_slice %x into %a[%k] [1] [1] : !I into !A
          pcf.cluster_yield
        } : (!LP)
        )" +
         barrier + R"(
        pcf.shared_executor.run_thread(%right)[%c3] () [%id: index] {
          %all = pcf.read_slice %a[%id] [3] [1] : !A to vector<3xi32>
          pcf.write_slice %all into %o[0] [3] [1] : vector<3xi32> into !pcf.sref<4xi32, sync(#sg)>
          pcf.cluster_yield
        } : (!R)
        pcf.return
      } : !TG
      pcf.return
    }
    return %r : tensor<4xi32>
  })";
}

TEST(PcfGroups, MembersCarryTheirOwnPayload) {
  Argument init = integers(4);
  EXPECT_EQ(valuesOfFour(payload("pcf.barrier(#sg) fence(%a) : !A"), init, 3),
            (Values{0, 8, 16, init.values[3]}));
  EXPECT_EQ(valuesOfFour(payload("pcf.barrier(#sg) fence(%a) : !A"), init, 0),
            (Values{0, 1, 2, init.values[3]}));
}

TEST(PcfGroups, MembersOfDifferentClustersAreNotOrdered) {
  EXPECT_EQ(faultOfFour(payload(""), integers(4), 1), "race");
  EXPECT_EQ(faultOfFour(payload("pcf.barrier(#sg)"), integers(4), 1), "race");
}

// PCF-63: a barrier of some clusters is none of the others.
TEST(PcfGroups, ABarrierAmongClustersOrdersThem) {
  EXPECT_EQ(valuesOfFour(payload("pcf.barrier(#sg) among(%left, %right)[%c3] "
                                 "fence(%a) : !L, !R, !A"),
                         integers(4), 1)[2],
            4);
  EXPECT_EQ(faultOfFour(payload("pcf.barrier(#sg) among(%left)[%c3] fence(%a) "
                                ": !L, !A"),
                        integers(4), 1),
            "race");
}

/// Phases of members of one group, the second of which reads what the member
/// `distance` further wrote.
std::string phases(std::string barrier) {
  return pcfAliases + members + R"(
  func.func @f(%init: tensor<4xi32>, %n: index) -> tensor<4xi32> {
    %r = pcf.shared_executor scope(#sg)
      initialize { %b = pcf.alloc() : !A  pcf.yield %b : !A } -> (%a: !A)
      execute(%o = %init)[%tg: !TG] : (!pcf.sref<4xi32, sync(#sg)>) -> (tensor<4xi32>) {
      pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
        %v = arith.index_cast %id : index to i32
        %e = vector.broadcast %v : i32 to !I
        pcf.write_slice %e into %a[%id] [1] [1] : !I into !A
        pcf.cluster_yield
      } : (!TG)
      )" +
         barrier + R"(
      pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
        %other = arith.xori %id, %n : index
        %e = pcf.read_slice %a[%other] [1] [1] : !A to !I
        pcf.write_slice %e into %o[%id] [1] [1] : !I into !pcf.sref<4xi32, sync(#sg)>
        pcf.cluster_yield
      } : (!TG)
      pcf.return
    }
    return %r : tensor<4xi32>
  })";
}

TEST(PcfGroups, AMemberKnowsWhatItDidInAnEarlierPhase) {
  EXPECT_EQ(valuesOfFour(phases(""), integers(4), 0), (Values{0, 1, 2, 3}));
  EXPECT_EQ(faultOfFour(phases(""), integers(4), 1), "race");
  EXPECT_EQ(
      valuesOfFour(phases("pcf.barrier(#sg) fence(%a) : !A"), integers(4), 1),
      (Values{1, 0, 3, 2}));
}

TEST(PcfGroups, SplitPointsDoNotDecrease) {
  std::string text = payload("");
  size_t at = text.find("split [[%c3]]");
  text.replace(at, 13, "split [[%n]]");
  for (size_t from; (from = text.find("[%c3] (")) != std::string::npos;)
    text.replace(from, 5, "[%n]");
  EXPECT_EQ(faultOfFour(text, integers(4), 5), "misuse");
}

// What they would do together is open; each would do it.
TEST(PcfGroups, WhatSeveralClustersDoTogetherIsNotModelled) {
  EXPECT_EQ(faultOfFour(payload(R"(
        pcf.shared_executor.run_cluster(%tg)[] () {
          pcf.cluster_yield
        } : (!TG))"),
                        integers(4), 1),
            "not modelled");
  EXPECT_EQ(faultOfFour(payload(R"(
        %one = arith.constant dense<1> : !I
        pcf.write_slice %one into %a[0] [1] [1] : !I into !A)"),
                        integers(4), 1),
            "not modelled");
}

} // namespace
