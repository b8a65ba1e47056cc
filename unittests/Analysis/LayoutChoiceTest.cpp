//===- LayoutChoiceTest.cpp - The choice against one that plans all -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice plans only the conversions that it takes and goes by bounds of the
// others. Here all are planned, and the cheapest assignment is found by trying
// every one (VX-54).
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "../../lib/Analysis/Layout/LayoutCosts.h"
#include "../Depth.h"
#include "Parsing.h"
#include "distaff/Analysis/Layout/Selection.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "gtest/gtest.h"
#include <limits>
#include <random>

using namespace distaff;

namespace {

constexpr int64_t sharedBytes = 160 * 1024;

/// A layout of rows x columns on 32 lanes, some of which may hold replicas.
std::string randomLayout(std::mt19937 &random, int64_t rows, int64_t columns) {
  int64_t along = 1 << random() % 4, across = std::min<int64_t>(32 / along, 4);
  auto pair = [](int64_t a, int64_t b) {
    return "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
  };
  int64_t lanes[] = {std::min(along, rows), std::min(across, columns)};
  bool byRows = random() % 2;
  return "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = "
         "[1, 1], outer_tile = [1, 1], thread_tile = " +
         pair(lanes[0], lanes[1]) +
         ", element_tile = " + pair(rows / lanes[0], columns / lanes[1]) +
         ", subgroup_strides = [0, 0], thread_strides = " +
         (byRows ? pair(lanes[1], 1) : pair(1, lanes[0])) + ">";
}

/// A kernel of reads, sums, products and reductions along one dim or the other,
/// of which each is written; some values are anchored.
std::string randomKernel(std::mt19937 &random) {
  int64_t rows = 8 << random() % 2, columns = 8 << random() % 2;
  const char *elements[] = {"f16", "f32", "f64"};
  std::string element = elements[random() % 3];
  auto shaped = [&](const char *kind, std::initializer_list<int64_t> extents) {
    std::string text = std::string(kind) + "<";
    for (int64_t extent : extents)
      text += std::to_string(extent) + "x";
    return text + element + ">";
  };
  std::string v = shaped("vector", {rows, columns}),
              t = shaped("vector", {columns, rows}),
              m = shaped("memref", {rows, columns}),
              mt = shaped("memref", {columns, rows});
  std::string text = "func.func @f(%a: " + m + ", %b: " + mt + ", %o: " + m +
                     ", %p: " + mt + ", %q: " + shaped("memref", {rows}) +
                     ") {\n%c0 = arith.constant 0 : index\n%z = arith.constant "
                     "0.0 : " +
                     element + "\n%n = arith.constant dense<0.0> : " +
                     shaped("vector", {rows}) + "\n";
  auto line = [&](const std::string &what) { text += what + "\n"; };
  std::string inside = " {in_bounds = [true, true]} : ";
  line("%x = vector.transfer_read %a[%c0, %c0], %z" + inside + m + ", " + v);
  line("%w = vector.transfer_read %b[%c0, %c0], %z" + inside + mt + ", " + t);
  line("%y = vector.transpose %w, [1, 0] : " + t + " to " + v);
  std::string last = "%x";
  if (random() % 4) {
    line("%l = iree_vector_ext.to_layout %x to layout(" +
         randomLayout(random, rows, columns) + ") : " + v);
    last = "%l";
  }
  if (random() % 2) {
    line("%s = arith.addf " + last + ", %y : " + v);
    last = "%s";
  }
  if (random() % 2) {
    line("%e = math.exp %y : " + v);
    line("vector.transfer_write %e, %o[%c0, %c0]" + inside + v + ", " + m);
  }
  if (random() % 2) {
    line("%r = vector.multi_reduction <add>, " + last + ", %n [1] : " + v +
         " to " + shaped("vector", {rows}));
    line("vector.transfer_write %r, %q[%c0] {in_bounds = [true]} : " +
         shaped("vector", {rows}) + ", " + shaped("memref", {rows}));
  }
  if (random() % 4) {
    line("%k = iree_vector_ext.to_layout " + last + " to layout(" +
         randomLayout(random, rows, columns) + ") : " + v);
    last = "%k";
  }
  line("%t = vector.transpose " + last + ", [1, 0] : " + v + " to " + t);
  line("vector.transfer_write %t, %p[%c0, %c0]" + inside + t + ", " + mt);
  return text + "return\n}\n";
}

/// The least that any assignment costs, all conversions planned; nothing if
/// there are too many assignments to try.
std::optional<int64_t> leastOfAll(Kernel &kernel, const Target &target,
                                  HardwareShape hardware) {
  FailureOr<LayoutGraph> graph =
      LayoutGraph::build(kernel.function, target, hardware);
  if (failed(graph))
    return std::nullopt;
  LayoutCosts costs(target, hardware, sharedBytes);
  double assignments = 1;
  for (const LayoutNode &node : graph->nodes)
    assignments *= node.candidates.size();
  if (assignments > 1e5)
    return std::nullopt;
  struct Use {
    unsigned definition, user;
    std::vector<int64_t> cost;
  };
  std::vector<Use> uses;
  std::vector<std::vector<int64_t>> own;
  for (auto [index, user] : llvm::enumerate(graph->nodes)) {
    for (const LayoutCandidate &candidate : user.candidates) {
      if (own.size() == index)
        own.emplace_back();
      own.back().push_back(256 * costs.costOf(user, candidate));
    }
    for (auto [slot, operand] : llvm::enumerate(user.operands)) {
      auto found = graph->definitions.find(operand->get());
      if (found == graph->definitions.end())
        continue;
      Use use{found->second.node, unsigned(index), {}};
      for (const LayoutCandidate &from :
           graph->nodes[use.definition].candidates)
        for (const LayoutCandidate &to : user.candidates) {
          LayoutCosts::Conversion conversion = costs.conversionOf(
              operand->get(), from.results[found->second.result],
              to.operands[slot], /*exact=*/true);
          use.cost.push_back(256 * conversion.cost + conversion.words);
        }
      uses.push_back(std::move(use));
    }
  }
  std::vector<unsigned> choice(own.size(), 0);
  int64_t least = std::numeric_limits<int64_t>::max();
  for (;;) {
    int64_t cost = 0;
    for (auto [node, candidate] : llvm::zip_equal(own, choice))
      cost += node[candidate];
    for (const Use &use : uses)
      cost += use.cost[choice[use.definition] * own[use.user].size() +
                       choice[use.user]];
    least = std::min(least, cost);
    size_t at = 0;
    while (at < choice.size() && ++choice[at] == own[at].size())
      choice[at++] = 0;
    if (at == choice.size())
      return least / 256;
  }
}

TEST(LayoutChoice, VX54_IsTheLeastOfAllPlannedAssignments) {
  std::mt19937 random(3);
  int compared = 0, converting = 0;
  for (int trial = 0; trial < share(120); ++trial) {
    std::string text = randomKernel(random);
    const char *targets[] = {"sm_80", "gfx942"};
    // Registers would be a constraint.
    Target target = *lookupTarget(targets[trial % 2]);
    target.registersPerLane = target.registersPerUnit = 1 << 24;
    HardwareShape hardware{1 + int64_t(random() % 2), target.subgroupSize};
    Kernel kernel(text);
    ASSERT_TRUE(kernel.module) << kernel.messages;
    kernel.context.loadAllAvailableDialects(); // of the layouts
    std::optional<int64_t> least = leastOfAll(kernel, target, hardware);
    if (!least)
      continue;
    FailureOr<LayoutChoice> choice =
        chooseLayouts(kernel.function, target, hardware);
    ASSERT_TRUE(succeeded(choice)) << kernel.messages;
    EXPECT_TRUE(choice->exact);
    EXPECT_EQ(choice->cost, *least) << text;
    ++compared;
    converting += !choice->changes.empty();
  }
  EXPECT_GT(compared, share(20));
  EXPECT_GT(converting, share(5));
}

int64_t liveOf(Kernel &kernel, HardwareShape hardware, LayoutOfValue layouts) {
  return mostLiveRegisters(kernel.function, layouts, hardware,
                           /*needsValues=*/false)
      .vectors;
}

/// The fewest registers that any assignment of the first candidates needs.
int64_t fewestRegisters(Kernel &kernel, const Target &target,
                        HardwareShape hardware) {
  FailureOr<LayoutGraph> graph =
      LayoutGraph::build(kernel.function, target, hardware);
  EXPECT_TRUE(succeeded(graph));
  std::mt19937 random(1);
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<unsigned> choice;
    for (const LayoutNode &node : graph->nodes)
      choice.push_back(random() % node.candidates.size());
    fewest = std::min(
        fewest, liveOf(kernel, hardware,
                       [&](Value value) -> vector_ext::VectorLayoutInterface {
                         auto found = graph->definitions.find(value);
                         if (found == graph->definitions.end())
                           return {};
                         auto [node, result] = found->second;
                         return graph->nodes[node]
                             .candidates[choice[node]]
                             .results[result];
                       }));
  }
  return fewest;
}

// A target with as few registers as some assignment needs, and fewer than the
// cheapest one takes: the choice is another, dearer one that fits.
TEST(LayoutChoice, RegistersAreAConstraint) {
  std::mt19937 random(9);
  int over = 0, fitted = 0;
  for (int trial = 0; trial < share(80); ++trial) {
    std::string text = randomKernel(random);
    Target target = *lookupTarget("sm_80");
    HardwareShape hardware{1 + int64_t(random() % 2), target.subgroupSize};
    Kernel kernel(text);
    ASSERT_TRUE(kernel.module) << kernel.messages;
    kernel.context.loadAllAvailableDialects();
    auto choose = [&] {
      FailureOr<LayoutChoice> choice =
          chooseLayouts(kernel.function, target, hardware);
      EXPECT_TRUE(succeeded(choice)) << kernel.messages;
      return std::pair(choice->cost, liveOf(kernel, hardware, [&](Value value) {
                         return choice->values.lookup(value);
                       }));
    };
    auto [cost, live] = choose();
    int64_t fewest = fewestRegisters(kernel, target, hardware);
    if (live <= fewest)
      continue;
    // Of what a lane may have some is not for vectors.
    int64_t lanes = hardware.subgroups * hardware.lanes;
    while (target.vectorRegistersFor(lanes) >= live &&
           target.registersPerLane > 1)
      --target.registersPerLane;
    if (target.vectorRegistersFor(lanes) < fewest)
      continue;
    ++over;
    auto [dearer, fewer] = choose();
    fitted += fewer <= target.vectorRegistersFor(lanes);
  }
  EXPECT_GT(over, share(5));
  // Costs per register find nearly all that random search finds.
  EXPECT_GE(10 * fitted, 9 * over) << fitted << " of " << over;
}

} // namespace
