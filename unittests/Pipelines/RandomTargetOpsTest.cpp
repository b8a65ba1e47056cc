//===- RandomTargetOpsTest.cpp - Programs of permuting instructions -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeded programs for machines of 32 and 64 lanes with several instructions of
// random costs (VX-126): values that branch and meet again, loops, anchors or
// none. Each runs lane by lane, and costs no more than without instructions.
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "Journey.h"
#include "MadeUpOps.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace distaff;
using namespace distaff::made_up;
using journey_test::Journey;

namespace {

/// x = exp2(-x), -x, a + b / 2, one after the other, on values that are there.
std::string randomBody(const std::string &shape, std::mt19937 &random) {
  std::string type = " : vector<" + shape + ">\n", text;
  text += "  %half = arith.constant dense<0.5> : vector<" + shape + ">\n";
  std::vector<std::string> values = {"%x"};
  auto pick = [&] {
    size_t back = random() % std::min<size_t>(values.size(), 3);
    return values[values.size() - 1 - back];
  };
  int64_t count = 2 + random() % 6;
  for (int64_t i = 0; i < count; ++i) {
    std::string name = "%v" + std::to_string(i), from = pick();
    switch (random() % 4) {
    case 0:
    case 1:
      text += "  " + name + "n = arith.negf " + from + type;
      text += "  " + name + " = math.exp2 " + name + "n" + type;
      break;
    case 2:
      text += "  " + name + "h = arith.mulf " + pick() + ", %half" + type;
      text += "  " + name + " = arith.addf " + from + ", " + name + "h" + type;
      break;
    default:
      text += "  " + name + " = scf.for %t" + std::to_string(i) +
              " = %c0 to %c2 step %c1 iter_args(%i" + std::to_string(i) +
              " = " + from + ") -> (vector<" + shape + ">) {\n";
      text += "  " + name + "n = arith.negf %i" + std::to_string(i) + type;
      text += "  " + name + "e = math.exp2 " + name + "n" + type;
      if (random() % 2) {
        text += "  " + name + "m = arith.negf " + name + "e" + type;
        text += "  " + name + "f = math.exp2 " + name + "m" + type;
        text += "  scf.yield " + name + "f" + type + "  }\n";
      } else {
        text += "  scf.yield " + name + "e" + type + "  }\n";
      }
    }
    values.push_back(name);
  }
  return text + "  %y = arith.negf " + values.back() + type;
}

class RandomTargetOps : public testing::TestWithParam<int64_t> {};

TEST_P(RandomTargetOps, VX126_ProgramsComputeTheSameAndCostNoMore) {
  std::mt19937 random(GetParam());
  Machine machine(GetParam());
  std::map<std::string, int64_t> issued;
  int64_t cheaper = 0, trials = share(32);
  for (int64_t trial = 0; trial < trials; ++trial) {
    machine.withOnly({"MADE_UP_SWAP_EXP2", "MADE_UP_TURN_EXP2",
                      "MADE_UP_UNTURN_NEG", "MADE_UP_CROSS_ADD",
                      "MADE_UP_PAIR_EXP2"});
    for (TargetOp &row : machine.rows)
      row.issueCost =
          random() % 4 == 0 ? infiniteCost : 1 + int64_t(random() % 12);
    machine.target.issue.function = 4 + random() % 40;
    std::string text = machine.random(random, randomBody);
    SCOPED_TRACE(text);
    Journey journey;
    auto source = journey.parse(text), compiled = journey.parse(text);
    ASSERT_TRUE(source && compiled) << journey.messages;

    Target without = machine.target;
    without.ops = {};
    func::FuncOp kernel = *source->getOps<func::FuncOp>().begin();
    journey.context.loadAllAvailableDialects();
    FailureOr<LayoutChoice> plain =
        chooseLayouts(kernel, without, {1, machine.lanes});
    DecisionLog log;
    FailureOr<LayoutChoice> choice =
        chooseLayouts(kernel, machine.target, {1, machine.lanes}, &log);
    ASSERT_TRUE(succeeded(plain) && succeeded(choice)) << journey.messages;
    EXPECT_LE(choice->cost, plain->cost);
    cheaper += choice->cost < plain->cost;
    for (const ChoiceDecision &decision : log.choices)
      for (const Alternative &loser : decision.losers)
        EXPECT_LT(loser.cost, infiniteCost / 2);

    ASSERT_TRUE(journey.take(*compiled, machine.target)) << journey.messages;
    EXPECT_EQ(journey.compare(*source, *compiled, machine.target), "");
    compiled->walk([&](core::TargetOpOp op) {
      std::string name = op.getKind().getName().str();
      EXPECT_NE(machine.target.findOp(name)->issueCost, infiniteCost);
      ++issued[name];
    });
  }
  EXPECT_GE(issued.size(), isQuick() ? 3u : 4u);
  EXPECT_GT(cheaper, trials / 2);
}

INSTANTIATE_TEST_SUITE_P(, RandomTargetOps, testing::Values(32, 64),
                         [](const auto &info) {
                           return "Lanes" + std::to_string(info.param);
                         });

} // namespace
