//===- PcfGroupsTest.cpp - Clusters, members and their payload ----------===//
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
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

Options options(uint64_t schedule = 0) {
  Options options;
  options.subgroupSize = 8;
  options.workgroupSize = {32, 1, 1};
  options.schedule = schedule;
  return options;
}

Argument index(int64_t value) { return array("index", {}, {double(value)}); }

const std::string aliases = R"(
  #seq = #pcf.sequential
  #wg = #iree_codegen.workgroup_scope
  #wgl = #iree_codegen.workgroup_scope<linearize>
  #sg = #iree_gpu.subgroup_scope
  #ln = #iree_gpu.lane_scope
  !I = vector<1xi32>
)";

Argument numbers(int64_t count) {
  return randomArray("i32", {count}, 11, -99, 99);
}

Values valuesIn(const std::string &source, Argument init, int64_t n = 0) {
  Values first = valuesOf(source, {init, index(n)}, options());
  for (uint64_t schedule = 1; schedule < 8; ++schedule)
    EXPECT_EQ(valuesOf(source, {init, index(n)}, options(schedule)), first)
        << "schedule " << schedule;
  return first;
}

std::string faultIn(const std::string &source, Argument init, int64_t n = 0) {
  std::string first = faultOf(source, {init, index(n)}, options());
  for (uint64_t schedule = 1; schedule < 8; ++schedule)
    EXPECT_EQ(faultOf(source, {init, index(n)}, options(schedule)), first)
        << "schedule " << schedule;
  return first;
}

const std::string members = R"(
    !TG = !pcf.threadgroup<#sg>
    !L = !pcf.cluster<#sg, (0 -> d0), w.left>
    !R = !pcf.cluster<#sg, (d0 -> s0), w.right>
    !LP = !pcf.cluster<#sg, (0 -> d0), private: {!I, index}, w.left>
    !A = !pcf.sref<4xi32, #sg>
)";

/// Members carry what they computed through a loop of their cluster.
std::string payload(std::string barrier) {
  return aliases + members + R"(
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
  Argument init = numbers(4);
  EXPECT_EQ(valuesIn(payload("pcf.barrier(#sg) fence(%a) : !A"), init, 3),
            (Values{0, 8, 16, init.values[3]}));
  EXPECT_EQ(valuesIn(payload("pcf.barrier(#sg) fence(%a) : !A"), init, 0),
            (Values{0, 1, 2, init.values[3]}));
}

TEST(PcfGroups, MembersOfDifferentClustersAreNotOrdered) {
  EXPECT_EQ(faultIn(payload(""), numbers(4), 1), "race");
  EXPECT_EQ(faultIn(payload("pcf.barrier(#sg)"), numbers(4), 1), "race");
}

// PCF-63: a barrier of some clusters is none of the others.
TEST(PcfGroups, ABarrierAmongClustersOrdersThem) {
  EXPECT_EQ(valuesIn(payload("pcf.barrier(#sg) among(%left, %right)[%c3] "
                             "fence(%a) : !L, !R, !A"),
                     numbers(4), 1)[2],
            4);
  EXPECT_EQ(faultIn(payload("pcf.barrier(#sg) among(%left)[%c3] fence(%a) "
                            ": !L, !A"),
                    numbers(4), 1),
            "race");
}

/// Phases of members of one group, the second of which reads what the member
/// `distance` further wrote.
std::string phases(std::string barrier) {
  return aliases + members + R"(
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
  EXPECT_EQ(valuesIn(phases(""), numbers(4), 0), (Values{0, 1, 2, 3}));
  EXPECT_EQ(faultIn(phases(""), numbers(4), 1), "race");
  EXPECT_EQ(valuesIn(phases("pcf.barrier(#sg) fence(%a) : !A"), numbers(4), 1),
            (Values{1, 0, 3, 2}));
}

TEST(PcfGroups, SplitPointsDoNotDecrease) {
  std::string text = payload("");
  size_t at = text.find("split [[%c3]]");
  text.replace(at, 13, "split [[%n]]");
  for (size_t from; (from = text.find("[%c3] (")) != std::string::npos;)
    text.replace(from, 5, "[%n]");
  EXPECT_EQ(faultIn(text, numbers(4), 5), "misuse");
}

// What they would do together is open; each would do it.
TEST(PcfGroups, WhatSeveralClustersDoTogetherIsNotModelled) {
  EXPECT_EQ(faultIn(payload(R"(
        pcf.shared_executor.run_cluster(%tg)[] () {
          pcf.cluster_yield
        } : (!TG))"),
                    numbers(4), 1),
            "not modelled");
  EXPECT_EQ(faultIn(payload(R"(
        %one = arith.constant dense<1> : !I
        pcf.write_slice %one into %a[0] [1] [1] : !I into !A)"),
                    numbers(4), 1),
            "not modelled");
}

} // namespace
