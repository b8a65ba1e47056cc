//===- LayoutCostsTest.cpp - What conversions are said to cost ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Analysis/LayoutCosts.h"
#include "Parsing.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

constexpr int64_t sharedBytes = 48 * 1024;

/// The cost of a conversion of 4x32 f16 between rows over 8 lanes and columns
/// over 8 lanes, with 4 elements of a lane side by side or apart.
int64_t conversionCost(bool apart) {
  std::string four = apart ? "batch_tile = [1, 4], element_tile = [1, 1]"
                           : "batch_tile = [1, 1], element_tile = [1, 4]";
  auto layout = [&](const char *lanes, const char *strides) {
    std::string batch = four.substr(0, four.find(", element"));
    std::string element = four.substr(four.find("element"));
    return "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], " + batch +
           ", outer_tile = [1, 1], thread_tile = " + lanes + ", " + element +
           ", subgroup_strides = [0, 0], thread_strides = " + strides + ">";
  };
  Kernel kernel("func.func @f(%x: vector<4x32xf16>) {\n"
                "%a = iree_vector_ext.to_layout %x to layout(" +
                layout("[4, 8]", "[8, 1]") +
                ") : vector<4x32xf16>\n"
                "%b = iree_vector_ext.to_layout %a to layout(" +
                layout("[4, 8]", "[1, 4]") +
                ") : vector<4x32xf16>\nreturn\n}\n");
  EXPECT_TRUE(kernel.module) << kernel.messages;
  SmallVector<vector_ext::ToLayoutOp> ops(
      kernel.function.getOps<vector_ext::ToLayoutOp>());
  LayoutCosts costs(*lookupTarget("sm_80"), {1, 32}, sharedBytes);
  LayoutCosts::Conversion conversion = costs.conversionOf(
      ops[0].getResult(), ops[0].getLayout(), ops[1].getLayout(),
      /*exact=*/true);
  EXPECT_TRUE(conversion.shared);
  return conversion.cost;
}

// 4 halves of a lane are one access of 8 bytes, or four of a word each.
TEST(LayoutCosts, WhatLiesApartIsNotAccessedAtOnce) {
  EXPECT_LT(conversionCost(/*apart=*/false), conversionCost(/*apart=*/true));
}

// Where several subgroups hold an element, one of them is told to write it.
TEST(LayoutCosts, AReplicatedWriteIsGuarded) {
  Kernel kernel(
      "func.func @f(%x: vector<32xf32>, %m: memref<32xf32>) {\n"
      "%c0 = arith.constant 0 : index\n"
      "%a = iree_vector_ext.to_layout %x to layout("
      "#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], "
      "outer_tile = [1], thread_tile = [32], element_tile = [1], "
      "subgroup_strides = [0], thread_strides = [1]>) : vector<32xf32>\n"
      "vector.transfer_write %a, %m[%c0] {in_bounds = [true]} : "
      "vector<32xf32>, memref<32xf32>\nreturn\n}\n");
  ASSERT_TRUE(kernel.module) << kernel.messages;
  auto layout =
      cast<vector_ext::ToLayoutOp>(kernel.op("iree_vector_ext.to_layout"))
          .getLayout();
  LayoutNode node;
  node.op = kernel.op("vector.transfer_write");
  node.operands = {&node.op->getOpOperand(0)};
  LayoutCandidate candidate;
  candidate.operands = {layout};
  const Target &target = *lookupTarget("sm_80");
  int64_t once =
      LayoutCosts(target, {1, 32}, sharedBytes).costOf(node, candidate);
  int64_t twice =
      LayoutCosts(target, {2, 32}, sharedBytes).costOf(node, candidate);
  EXPECT_EQ(twice, once + target.costs.addressOp);
}

/// What all candidates of a kernel's ops cost together, on two subgroups.
int64_t costOfAll(Kernel &kernel, const Target &target) {
  kernel.context.loadAllAvailableDialects(); // of the layouts
  HardwareShape hardware = {2, target.subgroupSize};
  FailureOr<LayoutGraph> graph =
      LayoutGraph::build(kernel.function, target, hardware);
  EXPECT_TRUE(succeeded(graph)) << kernel.messages;
  LayoutCosts costs(target, hardware, sharedBytes);
  int64_t sum = 0;
  for (const LayoutNode &node : graph->nodes)
    for (const LayoutCandidate &candidate : node.candidates)
      sum += costs.costOf(node, candidate);
  return sum;
}

// Prices hang on each of these facts of the target, not on numbers of their
// own.
TEST(LayoutCosts, EveryRateOfTheTargetCounts) {
  Kernel kernel(
      "func.func @f(%m: memref<16x256xf32>, %o: memref<16xf32>) {\n"
      "%c0 = arith.constant 0 : index\n%z = arith.constant 0.0 : f32\n"
      "%n = arith.constant dense<0.0> : vector<16xf32>\n"
      "%a = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : "
      "memref<16x256xf32>, vector<16x256xf32>\n"
      "%e = math.exp2 %a : vector<16x256xf32>\n"
      "%q = arith.divf %a, %e : vector<16x256xf32>\n"
      "%s = vector.multi_reduction <add>, %q, %n [1] : vector<16x256xf32> to "
      "vector<16xf32>\n"
      "vector.transfer_write %s, %o[%c0] {in_bounds = [true]} : "
      "vector<16xf32>, memref<16xf32>\nreturn\n}\n");
  ASSERT_TRUE(kernel.module) << kernel.messages;
  Target changed = *lookupTarget("sm_80");
  int64_t before = costOfAll(kernel, changed);
  std::pair<const char *, int64_t *> rates[] = {
      {"division", &changed.issue.division},
      {"function", &changed.issue.function},
      {"meetingLatency", &changed.issue.meetingLatency},
      {"lineBytes", &changed.globalMemory.lineBytes},
      {"issueCost", &changed.globalMemory.issueCost},
      {"barrier", &changed.costs.barrier},
      {"shuffle", &changed.costs.shuffle}};
  for (auto [name, rate] : rates) {
    int64_t kept = *rate;
    *rate /= 2;
    EXPECT_NE(costOfAll(kernel, changed), before) << name;
    *rate = kept;
  }
}

} // namespace
