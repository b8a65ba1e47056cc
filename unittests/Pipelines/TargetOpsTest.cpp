//===- TargetOpsTest.cpp - Instructions with layouts of their own ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine that nobody builds has an exp2 whose result lanes are permuted, and
// more of the kind (VX-126). What its instructions compute is said twice, and
// apart: for the compiler in tables of digits, for the SIMT machine in closed
// forms of lanes. Kernels go the whole pipeline; at every stage the machine
// computes what the source says.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/TargetOps.h"
#include "Journey.h"
#include "MadeUpOps.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::made_up;
using journey_test::Journey;

namespace {

/// What of a lowered kernel moves or computes.
struct Code {
  std::map<std::string, int64_t> issues; // by name of the instruction
  int64_t shuffles = 0, barriers = 0, ordinary = 0;

  int64_t of(const std::string &name) const {
    auto it = issues.find(name);
    return it == issues.end() ? 0 : it->second;
  }

  static Code of(ModuleOp module) {
    Code code;
    module.walk([&](Operation *op) {
      if (auto issue = dyn_cast<core::TargetOpOp>(op))
        code.issues[issue.getKind().getName().str()] += issue.getIssues();
      code.shuffles += isa<gpu::ShuffleOp>(op);
      code.barriers += isa<gpu::BarrierOp>(op);
      code.ordinary += isa<math::Exp2Op, arith::NegFOp>(op);
    });
    return code;
  }
};

class TargetOps : public testing::TestWithParam<int64_t> {
protected:
  TargetOps() : machine(GetParam()) {}

  /// Takes the kernel down the pipeline, and runs it at each stage from where
  /// layouts are written.
  Code expectRuns(const std::string &text) {
    SCOPED_TRACE(text);
    auto source = journey.parse(text);
    if (!source) {
      ADD_FAILURE() << journey.messages;
      return {};
    }
    Code code;
    for (StringRef stage : {"assign-layouts", "distribute", "lower"}) {
      auto compiled = journey.parse(text);
      if (!journey.take(*compiled, machine.target, stage)) {
        ADD_FAILURE() << stage.str() << ": " << journey.messages;
        return {};
      }
      EXPECT_EQ(journey.compare(*source, *compiled, machine.target), "")
          << stage.str();
      if (stage == "lower")
        code = Code::of(*compiled);
    }
    return code;
  }

  /// One subgroup whose lanes have a row of `registers` numbers each.
  std::string chain(int64_t registers, ArrayRef<StringRef> ops,
                    StringRef first = "rows", StringRef last = "rows") {
    return machine.kernel(registers, ops, first, last);
  }

  Machine machine;
  Journey journey;
};

TEST_P(TargetOps, VX126_AChainOfPermutedExp2sCancelsItsPermutations) {
  for (int64_t length : {2, 4}) {
    Code code = expectRuns(
        chain(1, SmallVector<StringRef>(length, "math.exp2"), "rows", "rows"));
    EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), length);
    EXPECT_EQ(code.ordinary, 0);
    EXPECT_EQ(code.shuffles, 0);
  }
}

TEST_P(TargetOps, VX126_AnOddChainKeepsOneOpWhereMovingCostsMore) {
  // A shuffle costs 6 at least, what the instruction saves of one op is 4.
  for (int64_t length : {1, 3}) {
    Code code =
        expectRuns(chain(1, SmallVector<StringRef>(length, "math.exp2")));
    EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), length - 1);
    EXPECT_EQ(code.ordinary, 1);
    EXPECT_EQ(code.shuffles, 0);
  }
}

TEST_P(TargetOps, VX126_AnOddChainMovesWhereTheOpCostsMore) {
  machine.target.issue.function = 200;
  for (int64_t length : {1, 3}) {
    Code code =
        expectRuns(chain(1, SmallVector<StringRef>(length, "math.exp2")));
    EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), length);
    EXPECT_EQ(code.ordinary, 0);
    EXPECT_EQ(code.shuffles, 1);
  }
}

TEST_P(TargetOps, VX126_AnchorsThatArePermutedTakeAnOddChain) {
  for (int64_t registers : {1, 3, 5}) {
    Code code = expectRuns(chain(registers, {"math.exp2"}, "rows", "swapped"));
    EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), registers);
    EXPECT_EQ(code.ordinary, 0);
    EXPECT_EQ(code.shuffles, 0);
  }
}

TEST_P(TargetOps, VX126_APermutationAndItsInverseCancel) {
  machine.withOnly({"MADE_UP_TURN_EXP2", "MADE_UP_UNTURN_NEG"});
  Code code = expectRuns(
      chain(2, {"math.exp2", "arith.negf", "math.exp2", "arith.negf"}));
  EXPECT_EQ(code.of("MADE_UP_TURN_EXP2"), 4);
  EXPECT_EQ(code.of("MADE_UP_UNTURN_NEG"), 4);
  EXPECT_EQ(code.ordinary, 0);
  EXPECT_EQ(code.shuffles, 0);
  // Two turns in a row are no identity.
  code = expectRuns(chain(1, {"math.exp2", "math.exp2"}));
  EXPECT_EQ(code.of("MADE_UP_TURN_EXP2"), 0);
  EXPECT_EQ(code.shuffles, 0);
}

TEST_P(TargetOps, VX126_ATurnThatComesAroundCancels) {
  // Lane bits turn by two places of five, or of six.
  machine.withOnly({"MADE_UP_TURN_EXP2"});
  int64_t order = GetParam() == 32 ? 5 : 3;
  machine.exp2IsDamped = true;
  Code code = expectRuns(chain(1, SmallVector<StringRef>(order, "math.exp2")));
  EXPECT_EQ(code.of("MADE_UP_TURN_EXP2"), order);
  EXPECT_EQ(code.shuffles, 0);
}

TEST_P(TargetOps, VX126_InfiniteCostIsNeverSelected) {
  machine.rows[0].issueCost = infiniteCost;
  machine.target.issue.function = 1000;
  Code code = expectRuns(chain(1, {"math.exp2", "math.exp2"}));
  EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), 0);
  EXPECT_EQ(code.ordinary, 2);
}

TEST_P(TargetOps, VX126_ADearInstructionIsNotTaken) {
  for (int64_t cost : {8, 10}) { // the op by itself is 9
    machine.rows[0].issueCost = cost;
    Code code = expectRuns(chain(1, {"math.exp2", "math.exp2"}));
    EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), cost < 9 ? 2 : 0);
    EXPECT_EQ(code.ordinary, cost < 9 ? 0 : 2);
  }
}

TEST_P(TargetOps, VX126_ATileOfSeveralRegistersIsPadded) {
  // Two registers per issue, which keep their numbers.
  machine.withOnly({"MADE_UP_PAIR_EXP2"});
  for (int64_t registers : {1, 2, 3, 5}) {
    Code code = expectRuns(chain(registers, {"math.exp2", "math.exp2"}));
    bool pays = registers > 1; // 12 for two, which are 18 one by one
    EXPECT_EQ(code.of("MADE_UP_PAIR_EXP2"), pays ? (registers + 1) / 2 * 2 : 0);
    EXPECT_EQ(code.shuffles, 0);
  }
}

TEST_P(TargetOps, VX126_AnOpOfTwoOperandsReadsEachWhereItIs) {
  machine.withOnly({"MADE_UP_SWAP_EXP2", "MADE_UP_CROSS_ADD"});
  // x + exp2(x): the second operand is read from swapped lanes.
  Code code = expectRuns(machine.crossed());
  EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), 1);
  EXPECT_EQ(code.of("MADE_UP_CROSS_ADD"), 1);
  EXPECT_EQ(code.ordinary, 0);
  EXPECT_EQ(code.shuffles, 0);
}

//===----------------------------------------------------------------------===//
// Two dims
//===----------------------------------------------------------------------===//

TEST_P(TargetOps, VX126_ATransposeOfTilesIsSelectedByCost) {
  for (int64_t cost : {3, 1000}) {
    machine.withOnly({"MADE_UP_TRANSPOSE"});
    machine.rows[0].issueCost = cost;
    Code code = expectRuns(machine.transposition(1));
    EXPECT_EQ(code.of("MADE_UP_TRANSPOSE"), cost == 3 ? 1 : 0);
    EXPECT_EQ(code.shuffles + code.barriers == 0, cost == 3);
  }
}

TEST_P(TargetOps, VX126_SeveralTilesAreTransposedOneByOne) {
  machine.withOnly({"MADE_UP_TRANSPOSE"});
  Code code = expectRuns(machine.transposition(3));
  EXPECT_EQ(code.of("MADE_UP_TRANSPOSE"), 3);
  EXPECT_EQ(code.shuffles + code.barriers, 0);
}

TEST_P(TargetOps, VX126_ATileOfTwoDimsMovesRegistersToo) {
  if (GetParam() != 32)
    return;
  machine.withOnly({"MADE_UP_TILE_EXP2"});
  Code code = expectRuns(machine.tiles(1, "math.exp2", 2, "rows"));
  EXPECT_EQ(code.of("MADE_UP_TILE_EXP2"), 2);
  EXPECT_EQ(code.shuffles + code.barriers, 0);
  code = expectRuns(machine.tiles(2, "math.exp2", 1, "columns"));
  EXPECT_EQ(code.of("MADE_UP_TILE_EXP2"), 2);
  EXPECT_EQ(code.shuffles + code.barriers, 0);
  // It is taken where it moves what has to move.
  machine.rows[0].issueCost = 1000;
  code = expectRuns(machine.tiles(1, "math.exp2", 1, "columns"));
  EXPECT_EQ(code.of("MADE_UP_TILE_EXP2"), 0);
  EXPECT_GT(code.shuffles + code.barriers, 0);
}

//===----------------------------------------------------------------------===//
// Control flow, edges
//===----------------------------------------------------------------------===//

TEST_P(TargetOps, VX126_ALoopCarriesAChainThatCancels) {
  for (int64_t length : {1, 2, 3}) {
    Code code = expectRuns(machine.loop(length));
    EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), length / 2 * 2) << length;
    EXPECT_EQ(code.shuffles, 0);
  }
}

TEST_P(TargetOps, VX126_BranchesOfAChainMeetInOneLayout) {
  // y = exp2(x); z = exp2(y) + exp2(-y): all three exp2 and the way back.
  Code code = expectRuns(machine.branches());
  EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), 3);
  EXPECT_EQ(code.ordinary, 1); // the negation
  EXPECT_EQ(code.shuffles, 0);
}

TEST_P(TargetOps, VX126_LanesThatAreNoWholeDigitsKeepTheOp) {
  for (StringRef shape : {"5", "3x7", "1", "1x1", "31x2"}) {
    Code code = expectRuns(machine.unanchored(shape, 2));
    EXPECT_EQ(code.shuffles, 0) << shape.str();
  }
  // Of a vector of rank 0 every lane has all.
  Code code = expectRuns(machine.unanchored("", 1));
  EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), 1);
}

TEST_P(TargetOps, VX126_ReportsRankTheInstructionsOfAnOp) {
  machine.withOnly(
      {"MADE_UP_SWAP_EXP2", "MADE_UP_TURN_EXP2", "MADE_UP_PAIR_EXP2"});
  machine.rows[1].issueCost = 7;
  machine.rows[2].issueCost = infiniteCost;
  auto module = journey.parse(chain(3, {"math.exp2", "math.exp2"}));
  ASSERT_TRUE(module) << journey.messages;
  func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
  kernel.walk([&](math::Exp2Op op) {
    std::vector<TargetOpCandidate> ranked =
        getTargetOps(op, machine.target, {1, machine.lanes});
    ASSERT_EQ(ranked.size(), 2u);
    EXPECT_EQ(ranked[0].row, &machine.rows[0]);
    EXPECT_EQ(ranked[0].issues, 3);
    EXPECT_EQ(ranked[0].cost, 15);
    EXPECT_EQ(ranked[1].cost, 21);
  });
  DecisionLog log;
  ASSERT_TRUE(succeeded(
      chooseLayouts(kernel, machine.target, {1, machine.lanes}, &log)));
  ASSERT_EQ(log.choices.size(), 2u);
  for (const ChoiceDecision &decision : log.choices) {
    std::string shape = " " + std::to_string(machine.lanes) + ", 3 issues";
    EXPECT_EQ(decision.subject, "math.exp2");
    EXPECT_EQ(decision.chosen.what, "MADE_UP_SWAP_EXP2" + shape);
    EXPECT_EQ(decision.chosen.cost, 15);
    ASSERT_EQ(decision.losers.size(), 2u);
    EXPECT_EQ(decision.losers[0].what, "MADE_UP_TURN_EXP2" + shape);
    EXPECT_EQ(decision.losers[0].cost, 21);
    EXPECT_EQ(decision.losers[1].what, "each lane by itself");
    EXPECT_EQ(decision.losers[1].cost, 27);
    for (const Alternative &loser : decision.losers)
      EXPECT_TRUE(StringRef(loser.reason).starts_with("the kernel would cost "))
          << loser.reason;
  }
}

TEST_P(TargetOps, VX126_ReportsSayWhatNoInstructionTakes) {
  journey.context.loadAllAvailableDialects();
  auto module = journey.parse(machine.unanchored("3x7", 1));
  ASSERT_TRUE(module) << journey.messages;
  DecisionLog log;
  ASSERT_TRUE(
      succeeded(chooseLayouts(*module->getOps<func::FuncOp>().begin(),
                              machine.target, {1, machine.lanes}, &log)));
  ASSERT_EQ(log.choices.size(), 1u);
  EXPECT_EQ(log.choices[0].chosen.what, "each lane by itself");
  ASSERT_EQ(log.choices[0].losers.size(), 1u);
  EXPECT_EQ(log.choices[0].losers[0].reason, "the layouts are no whole tiles");
}

TEST_P(TargetOps, VX126_LayoutsGoThroughAnInstructionForthAndBack) {
  machine.withOnly({"MADE_UP_TURN_EXP2"});
  const TargetOp &row = machine.rows[0];
  auto module = journey.parse(chain(2, {"math.exp2"}));
  ASSERT_TRUE(module) << journey.messages;
  module->walk([&](math::Exp2Op op) {
    VectorLayoutInterface layout;
    module->walk(
        [&](vector_ext::ToLayoutOp anchor) { layout = anchor.getLayout(); });
    std::string why;
    OpLayouts back = OpLayouts::get(op), forth = back, wrong = back;
    back.resultLayouts.front() = layout;
    ASSERT_TRUE(succeeded(inferLayoutsBy(&row, op, back, why))) << why;
    VectorLayoutInterface before = back.operandLayouts.front();
    EXPECT_NE(before, layout);
    // The lane that reads an element knows it as its result does.
    for (int64_t lane = 0; lane < machine.lanes; ++lane) {
      int64_t outer = lane / (machine.lanes / 4),
              inner = lane % (machine.lanes / 4);
      EXPECT_EQ(before.getLayout().indexOf({0, lane, 1}),
                layout.getLayout().indexOf({0, inner * 4 + outer, 1}));
    }
    forth.operandLayouts.front() = before;
    ASSERT_TRUE(succeeded(inferLayoutsBy(&row, op, forth, why))) << why;
    EXPECT_EQ(forth.resultLayouts.front().getLayout(), layout.getLayout());
    wrong.operandLayouts.front() = wrong.resultLayouts.front() = layout;
    EXPECT_TRUE(failed(inferLayoutsBy(&row, op, wrong, why)));
    // Copies by remainder are no digits.
    wrong.operandLayouts.front() = vector_ext::getLayoutAttr(
        &journey.context,
        *Layout::get({{{Axis::Register, 2, 1}}, {{Axis::Lane, 5, 1}}}));
    EXPECT_TRUE(failed(inferLayoutsBy(&row, op, wrong, why)));
    EXPECT_NE(why.find(" is no whole tiles of MADE_UP_TURN_EXP2, which places "
                       "elements by digits of "),
              std::string::npos)
        << why;
  });
}

TEST_P(TargetOps, VX126_WhatTheTargetCannotDoIsRefused) {
  std::string named = machine.demanding("MADE_UP_SWAP_EXP2");
  auto refuse = [&](const std::string &text, StringRef why) {
    auto module = journey.parse(text);
    journey.messages.clear();
    EXPECT_FALSE(journey.take(*module, machine.target));
    EXPECT_NE(journey.messages.find(why.str()), std::string::npos)
        << journey.messages;
  };
  // Rows of another size of subgroup.
  for (TargetOp &row : machine.rows)
    row.subgroupSize = 16;
  refuse(named, "is laid out for MADE_UP_SWAP_EXP2, an instruction of "
                "subgroups of 16 lanes (DG6)");
  machine.withOnly({"MADE_UP_SWAP_EXP2", "MADE_UP_CROSS_ADD"});
  std::string half = machine.demanding("MADE_UP_CROSS_ADD");
  size_t at = half.find("math.exp2 %named");
  refuse(half.replace(at, 16, "arith.addf %named, %x"),
         "has the mma_kind MADE_UP_CROSS_ADD, which another operand of "
         "'arith.addf' does not name");
  refuse(machine.demanding("MADE_UP_CROSS_ADD"),
         "which does arith.addf; its value is read by 'math.exp2'");
  machine.rows[0].issueCost = infiniteCost;
  refuse(named, "is laid out for MADE_UP_SWAP_EXP2, which is not to be used on "
                "permuting");
}

TEST_P(TargetOps, VX126_AUsersKindIsObeyed) {
  machine.rows[0].issueCost = 500;
  Code code = expectRuns(machine.demanding("MADE_UP_SWAP_EXP2"));
  EXPECT_EQ(code.of("MADE_UP_SWAP_EXP2"), 1);
  EXPECT_EQ(code.ordinary, 0);
}

INSTANTIATE_TEST_SUITE_P(, TargetOps, testing::Values(32, 64),
                         [](const auto &info) {
                           return "Lanes" + std::to_string(info.param);
                         });

} // namespace
