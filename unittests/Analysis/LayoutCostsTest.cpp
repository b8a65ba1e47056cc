//===- LayoutCostsTest.cpp - What conversions are said to cost ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Analysis/Layout/LayoutCosts.h"
#include "Parsing.h"
#include "gtest/gtest.h"
#include <map>

using namespace distaff;

namespace {

constexpr int64_t bytesOfShared = 48 * 1024;

std::string layoutText(const char *thread, const char *element,
                       const char *strides) {
  return std::string(
             "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], "
             "batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = ") +
         thread + ", element_tile = " + element +
         ", subgroup_strides = [0, 0], thread_strides = " + strides + ">";
}

/// Two layouts of a vector<8x8xf16> on one subgroup, and what the conversion
/// between them costs.
struct Converted {
  Converted(const std::string &from, const std::string &to)
      : kernel("func.func @f(%x: vector<8x8xf16>) {\n"
               "%a = iree_vector_ext.to_layout %x to layout(" +
               from +
               ") : vector<8x8xf16>\n"
               "%b = iree_vector_ext.to_layout %a to layout(" +
               to + ") : vector<8x8xf16>\nreturn\n}\n") {
    EXPECT_TRUE(kernel.module) << kernel.messages;
    SmallVector<vector_ext::ToLayoutOp> ops(
        kernel.function.getOps<vector_ext::ToLayoutOp>());
    source = ops[0].getLayout();
    destination = ops[1].getLayout();
    bound = costs.conversionOf(ops[0].getResult(), source, destination,
                               /*exact=*/false);
    exact = costs.conversionOf(ops[0].getResult(), source, destination,
                               /*exact=*/true);
    again = costs.conversionOf(ops[0].getResult(), source, destination,
                               /*exact=*/false);
  }

  ConversionPlan plan() {
    ConversionOptions options;
    options.emitSelect = options.emitShuffle = true;
    options.sharedBytes = bytesOfShared;
    return planConversion(source.getLayout(), destination.getLayout(), {1, 32},
                          16, target.costs, target.banks, options);
  }

  const Target &target = *lookupTarget("sm_80");
  Kernel kernel;
  LayoutCosts costs = LayoutCosts(target, {1, 32}, bytesOfShared);
  vector_ext::VectorLayoutInterface source, destination;
  LayoutCosts::Conversion bound, exact, again;
};

// A conversion is priced as it is planned, whatever its tier, and a bound is
// not above that (VX-49).
TEST(LayoutCosts, VX49_ConversionsCostWhatIsPlanned) {
  std::string layouts[] = {layoutText("[8, 2]", "[1, 4]", "[2, 1]"),
                           layoutText("[2, 8]", "[4, 1]", "[8, 1]"),
                           layoutText("[8, 2]", "[1, 4]", "[1, 8]"),
                           layoutText("[1, 1]", "[8, 8]", "[0, 0]"),
                           layoutText("[1, 8]", "[8, 1]", "[0, 1]"),
                           layoutText("[1, 2]", "[8, 4]", "[0, 1]")};
  std::map<Tier, int> seen;
  int bounds = 0;
  for (const std::string &from : layouts)
    for (const std::string &to : layouts) {
      Converted converted(from, to);
      ConversionPlan plan = converted.plan();
      ++seen[plan.tier];
      bool shared = plan.tier == Tier::SharedMemory;
      EXPECT_EQ(converted.exact.shared, shared) << from << to;
      EXPECT_FALSE(converted.exact.isBound);
      if (shared)
        EXPECT_GE(converted.exact.cost, plan.cost) << from << to;
      else
        EXPECT_EQ(converted.exact.cost, plan.cost) << from << to;
      bounds += converted.bound.isBound;
      EXPECT_LE(converted.bound.cost, converted.exact.cost) << from << to;
      EXPECT_EQ(converted.again.cost, converted.exact.cost) << from << to;
    }
  EXPECT_GT(bounds, 0);
  EXPECT_GT(seen[Tier::RegisterSelect], 0);
  EXPECT_GT(seen[Tier::LaneShuffle], 0);
  EXPECT_GT(seen[Tier::SharedMemory], 0);
}

// To plan what no lane has the registers for takes long, and no choice takes
// it: its bound has all but the accesses.
TEST(LayoutCosts, MoreThanALaneHasIsNotPlannedAtOnce) {
  auto layout = [](const char *subgroups, const char *lanes,
                   const char *elements, const char *strides) {
    return std::string("#iree_vector_ext.nested_layout<subgroup_tile = ") +
           subgroups + ", batch_tile = [1, 1], outer_tile = [1, 1], " +
           "thread_tile = " + lanes + ", element_tile = " + elements +
           ", subgroup_strides = " + strides + ", thread_strides = " + strides +
           ">";
  };
  Kernel kernel("func.func @f(%x: vector<64x128xf32>) {\n"
                "%a = iree_vector_ext.to_layout %x to layout(" +
                layout("[2, 1]", "[32, 1]", "[1, 128]", "[1, 0]") +
                ") : vector<64x128xf32>\n"
                "%b = iree_vector_ext.to_layout %a to layout(" +
                layout("[1, 1]", "[1, 1]", "[64, 128]", "[0, 0]") +
                ") : vector<64x128xf32>\nreturn\n}\n");
  ASSERT_TRUE(kernel.module) << kernel.messages;
  SmallVector<vector_ext::ToLayoutOp> ops(
      kernel.function.getOps<vector_ext::ToLayoutOp>());
  const Target &target = *lookupTarget("sm_80");
  LayoutCosts costs(target, {2, 32}, bytesOfShared);
  auto cost = [&](bool exact) {
    return costs.conversionOf(ops[0].getResult(), ops[0].getLayout(),
                              ops[1].getLayout(), exact);
  };
  LayoutCosts::Conversion bound = cost(/*exact=*/false),
                          exact = cost(/*exact=*/true);
  EXPECT_TRUE(bound.isBound && !exact.isBound);
  EXPECT_TRUE(bound.shared && exact.shared);
  EXPECT_EQ(bound.words, exact.words);
  EXPECT_LE(bound.cost, exact.cost);
  EXPECT_GT(bound.cost, exact.cost / 4);
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
      LayoutCosts(target, {1, 32}, bytesOfShared).costOf(node, candidate);
  int64_t twice =
      LayoutCosts(target, {2, 32}, bytesOfShared).costOf(node, candidate);
  EXPECT_EQ(twice, once + target.costs.addressOp);
}

/// What all candidates of a kernel's ops cost together, on two subgroups.
int64_t costOfAll(Kernel &kernel, const Target &target) {
  kernel.context.loadAllAvailableDialects(); // of the layouts
  HardwareShape hardware = {2, target.subgroupSize};
  FailureOr<LayoutGraph> graph =
      LayoutGraph::build(kernel.function, target, hardware);
  EXPECT_TRUE(succeeded(graph)) << kernel.messages;
  LayoutCosts costs(target, hardware, bytesOfShared);
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

/// What the one op of `text` that is named costs with its vector in `layout`.
int64_t costOfOp(const std::string &text, const char *name,
                 const std::string &layout) {
  Kernel kernel("#l = " + layout + "\nfunc.func @f(" + text + "return\n}\n");
  EXPECT_TRUE(kernel.module) << kernel.messages;
  auto attr =
      cast<vector_ext::ToLayoutOp>(kernel.op("iree_vector_ext.to_layout"))
          .getLayout();
  LayoutNode node;
  node.op = kernel.op(name);
  OpLayouts slots = OpLayouts::get(node.op);
  node.operands = slots.operands;
  node.results.assign(slots.results.begin(), slots.results.end());
  LayoutCandidate candidate;
  candidate.operands.assign(node.operands.size(), attr);
  candidate.results.assign(node.results.size(), attr);
  return LayoutCosts(*lookupTarget("sm_80"), {1, 32}, bytesOfShared)
      .costOf(node, candidate);
}

// Every op that moves a vector to memory or from it: lanes along what is
// contiguous share lines, and wide accesses are fewer.
TEST(LayoutCosts, AccessesCostByWidthAndLines) {
  std::string rows = layoutText("[1, 32]", "[8, 2]", "[0, 1]"),
              wide = layoutText("[2, 16]", "[4, 4]", "[16, 1]"),
              columns = layoutText("[8, 4]", "[1, 16]", "[1, 8]");
  std::string start =
      "%m: memref<8x64xf32>, %x: vector<8x64xf32>, %i: vector<8x64xi32>, "
      "%k: vector<8x64xi1>) {\n%c0 = arith.constant 0 : index\n"
      "%l = iree_vector_ext.to_layout %x to layout(#l) : vector<8x64xf32>\n";
  std::pair<const char *, std::string> ops[] = {
      {"vector.load",
       "%v = vector.load %m[%c0, %c0] : memref<8x64xf32>, vector<8x64xf32>\n"},
      {"vector.store",
       "vector.store %l, %m[%c0, %c0] : memref<8x64xf32>, vector<8x64xf32>\n"}};
  for (auto &[name, text] : ops) {
    int64_t byRows = costOfOp(start + text, name, rows);
    EXPECT_LT(costOfOp(start + text, name, wide), byRows) << name;
    EXPECT_LT(byRows, costOfOp(start + text, name, columns)) << name;
  }
  // Each element by itself: whatever lanes do, there are as many.
  std::string gather =
      "%g = vector.gather %m[%c0, %c0] [%i], %k, %l : memref<8x64xf32>, "
      "vector<8x64xi32>, vector<8x64xi1>, vector<8x64xf32> into "
      "vector<8x64xf32>\n";
  EXPECT_EQ(costOfOp(start + gather, "vector.gather", rows),
            costOfOp(start + gather, "vector.gather", wide));
  EXPECT_GT(costOfOp(start + gather, "vector.gather", rows),
            costOfOp(start + ops[0].second, "vector.load", rows));
}

// Lanes whose words lie in one bank of workgroup memory wait for each other.
TEST(LayoutCosts, ConflictsOfWorkgroupMemoryCost) {
  auto cost = [](const char *memory, const std::string &layout) {
    std::string type =
        std::string("memref<") + memory + ", #gpu.address_space<workgroup>>";
    return costOfOp("%m: " + type +
                        ") {\n%c0 = arith.constant 0 : index\n"
                        "%z = arith.constant 0.0 : f32\n"
                        "%v = vector.transfer_read %m[%c0, %c0], %z {in_bounds "
                        "= [true, true]} : " +
                        type +
                        ", vector<32x8xf32>\n%l = iree_vector_ext.to_layout %v "
                        "to layout(#l) : vector<32x8xf32>\n",
                    "vector.transfer_read", layout);
  };
  // A lane has a row: 32 words of one bank, or, with rows of 33, one of each.
  std::string rows = layoutText("[32, 1]", "[1, 8]", "[1, 0]");
  int64_t wavefront = lookupTarget("sm_80")->costs.sharedWavefront;
  EXPECT_EQ(cost("32x8xf32, strided<[33, 1]>", rows), 8 * wavefront);
  EXPECT_EQ(cost("32x8xf32, strided<[32, 1]>", rows), 2 * 32 * wavefront);
  EXPECT_EQ(cost("32x8xf32, strided<[?, 1]>", rows), 8 * wavefront);
}

// Without workgroup memory left, what goes through it is as good as impossible.
TEST(LayoutCosts, NothingGoesThroughMemoryThatIsNotThere) {
  Kernel kernel("func.func @f(%x: vector<64xf32>, %n: f32) {\n"
                "%a = iree_vector_ext.to_layout %x to layout("
                "#iree_vector_ext.nested_layout<subgroup_tile = [2], "
                "batch_tile = [1], outer_tile = [1], thread_tile = [32], "
                "element_tile = [1], subgroup_strides = [1], thread_strides = "
                "[1]>) : vector<64xf32>\n"
                "%b = iree_vector_ext.to_layout %a to layout("
                "#iree_vector_ext.nested_layout<subgroup_tile = [1], "
                "batch_tile = [1], outer_tile = [1], thread_tile = [32], "
                "element_tile = [2], subgroup_strides = [0], thread_strides = "
                "[1]>) : vector<64xf32>\n"
                "%s = vector.multi_reduction <add>, %a, %n [0] : "
                "vector<64xf32> to f32\nreturn\n}\n");
  ASSERT_TRUE(kernel.module) << kernel.messages;
  SmallVector<vector_ext::ToLayoutOp> ops(
      kernel.function.getOps<vector_ext::ToLayoutOp>());
  LayoutNode node;
  node.op = kernel.op("vector.multi_reduction");
  node.operands = {&node.op->getOpOperand(0)};
  LayoutCandidate candidate;
  candidate.operands = {ops[0].getLayout()};
  for (int64_t bytes : {bytesOfShared, int64_t(0)}) {
    LayoutCosts costs(*lookupTarget("sm_80"), {2, 32}, bytes);
    LayoutCosts::Conversion conversion = costs.conversionOf(
        ops[0].getResult(), ops[0].getLayout(), ops[1].getLayout(),
        /*exact=*/true);
    EXPECT_TRUE(conversion.shared);
    EXPECT_EQ(conversion.cost >= LayoutCosts::impossible, bytes == 0);
    EXPECT_EQ(costs.costOf(node, candidate) >= LayoutCosts::impossible,
              bytes == 0);
  }
}

} // namespace
