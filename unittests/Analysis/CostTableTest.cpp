//===- CostTableTest.cpp - What the table of instructions decides ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of random costs (VX-125): the cheapest row for the whole contraction
// is taken, its shape says how often it is unrolled, reports rank by the same
// figures, and a row of infinite cost is never seen.
//
//===----------------------------------------------------------------------===//
#include "Parsing.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "gtest/gtest.h"
#include <random>
#include <set>
#include <vector>

using namespace distaff;

namespace {

/// A contraction of 32x64x32 halves, read from memory and written to it.
const char *const product = R"(
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<32x32xf16>, %b: memref<64x32xf16>, %o: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %none = arith.constant dense<0.0> : vector<32x64xf32>
  %x = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %y = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %z = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %none : vector<32x32xf16>, vector<64x32xf16> into vector<32x64xf32>
  vector.transfer_write %z, %o[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<32x64xf32>
  return
})";
constexpr int64_t points = 32 * 64 * 32;

/// A target whose instructions cost what is said.
struct Priced {
  Priced(StringRef name, std::mt19937 &random)
      : target(*lookupTarget(name)), rows(target.mma.vec()) {
    for (MmaRow &row : rows) {
      row.issueCost = 1 + int64_t(random() % 64);
      if (random() % 3 == 0)
        row.issueCost = infiniteCost;
    }
    target.mma = rows;
  }

  const MmaRow &rowOf(const ContractionCandidate &candidate) const {
    return *llvm::find_if(rows, [&](const MmaRow &row) {
      return row.name == candidate.row->name;
    });
  }

  Target target;
  std::vector<MmaRow> rows;
};

bool multipliesHalves(const MmaRow &row) {
  return row.a == ScalarKind::F16 && row.b == ScalarKind::F16 &&
         row.c == ScalarKind::F32 && row.blocks == 1;
}

/// How often one subgroup of two runs the instruction.
int64_t unrolled(const MmaRow &row) {
  return points / (row.m * row.n * row.k) / 2;
}

TEST(CostTable, VX125_TheCheapestRowOfFiniteCostIsTaken) {
  std::mt19937 random(11);
  std::set<std::string> taken;
  int without = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Priced priced(trial % 2 ? "gfx942" : "sm_80", random);
    std::optional<int64_t> least;
    for (const MmaRow &row : priced.rows)
      if (multipliesHalves(row) && row.issueCost != infiniteCost)
        least = std::min(least.value_or(infiniteCost),
                         unrolled(row) * row.issueCost);
    Kernel kernel(product);
    ASSERT_TRUE(kernel.module) << kernel.messages;
    kernel.context.loadAllAvailableDialects();
    auto op = cast<vector::ContractionOp>(kernel.op("vector.contract"));
    std::vector<ContractionCandidate> candidates =
        enumerateMma(ContractionProblem::get(op), priced.target, 2);
    without += !least.has_value();
    EXPECT_FALSE(candidates.empty() && least);
    if (!least) { // operands may extend to what an instruction takes
      for (const ContractionCandidate &candidate : candidates) {
        EXPECT_FALSE(multipliesHalves(priced.rowOf(candidate)));
        EXPECT_NE(priced.rowOf(candidate).issueCost, infiniteCost);
      }
      continue;
    }
    EXPECT_EQ(candidates.front().cost, *least);
    taken.insert(candidates.front().row->name.str());
    for (const ContractionCandidate &candidate : candidates) {
      EXPECT_NE(priced.rowOf(candidate).issueCost, infiniteCost);
      EXPECT_EQ(candidate.instructions, unrolled(priced.rowOf(candidate)));
      EXPECT_EQ(candidate.cost,
                candidate.instructions * priced.rowOf(candidate).issueCost);
    }
  }
  EXPECT_GE(taken.size(), 4u);
  EXPECT_GT(without, 0);
}

// The whole kernel's cost decides between rows that are close, and the report
// names every other row with the figures of the table.
TEST(CostTable, VX125_ReportsRankByTheTable) {
  std::mt19937 random(5);
  int compared = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Priced priced(trial % 2 ? "gfx942" : "sm_80", random);
    Kernel kernel(product);
    kernel.context.loadAllAvailableDialects();
    DecisionLog log;
    FailureOr<LayoutChoice> choice = chooseLayouts(
        kernel.function, priced.target, {2, priced.target.subgroupSize}, &log);
    ASSERT_TRUE(succeeded(choice)) << kernel.messages;
    ASSERT_EQ(log.choices.size(), 1u);
    const ChoiceDecision &decision = log.choices.front();
    if (choice->contractions.empty()) {
      EXPECT_EQ(decision.chosen.what, "plain multiply-adds");
      continue;
    }
    const ContractionCandidate &taken = choice->contractions.front().second;
    int64_t cost = unrolled(*taken.row) * priced.rowOf(taken).issueCost;
    EXPECT_NE(priced.rowOf(taken).issueCost, infiniteCost);
    EXPECT_EQ(decision.chosen.what, taken.describe());
    EXPECT_EQ(decision.chosen.cost, cost);
    for (const Alternative &loser : decision.losers) {
      EXPECT_LT(loser.cost, infiniteCost / 2);
      compared += loser.cost > cost;
    }
  }
  EXPECT_GT(compared, 20);
}

/// The contraction with to_layout ops of the user's on lhs and rhs, as
/// `candidate` has them.
void anchor(Operation *op, const ContractionCandidate &candidate, bool named) {
  OpBuilder builder(op);
  const NestedLayout *layouts[] = {&candidate.lhs, &candidate.rhs};
  for (auto [i, layout] : llvm::enumerate(layouts)) {
    auto attr = vector_ext::NestedLayoutAttr::get(op->getContext(), *layout);
    auto toLayout = vector_ext::ToLayoutOp::create(builder, op->getLoc(),
                                                   op->getOperand(i), attr);
    if (named)
      toLayout.setMmaKindAttr(candidate.getKind(op->getContext()));
    op->setOperand(i, toLayout.getOutput());
  }
}

// Targets share instructions, not what they cost: a user's choice costs what
// the table of the target says that the kernel is compiled for.
TEST(CostTable, VX125_AnInstructionThatTheUserAsksForCostsWhatItsTargetSays) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 24; ++trial) {
    Priced priced(trial % 2 ? "gfx942" : "sm_80", random);
    int64_t lanes = priced.target.subgroupSize;
    Kernel kernel(product);
    kernel.context.loadAllAvailableDialects();
    Operation *op = kernel.op("vector.contract");
    std::vector<ContractionCandidate> candidates =
        enumerateMma(ContractionProblem::get(cast<vector::ContractionOp>(op)),
                     priced.target, 2);
    llvm::erase_if(candidates, [](const ContractionCandidate &candidate) {
      return !multipliesHalves(*candidate.row);
    });
    if (candidates.empty())
      continue;
    const ContractionCandidate &wanted = candidates[trial % candidates.size()];
    bool named = trial % 4 < 2;
    anchor(op, wanted, named);
    FailureOr<LayoutChoice> choice =
        chooseLayouts(kernel.function, priced.target, {2, lanes});
    ASSERT_TRUE(succeeded(choice)) << kernel.messages;
    ASSERT_EQ(choice->contractions.size(), 1u);
    const ContractionCandidate &taken = choice->contractions.front().second;
    const MmaRow &row = priced.rowOf(taken);
    EXPECT_EQ(taken.row, &row);
    EXPECT_EQ(taken.cost, unrolled(row) * row.issueCost);
    if (named)
      EXPECT_EQ(taken.row->name, wanted.row->name);
  }
}

TEST(CostTable, VX125_NotEvenAUserTakesARowOfInfiniteCost) {
  std::mt19937 random(1);
  Priced priced("sm_80", random);
  Kernel kernel(product);
  kernel.context.loadAllAvailableDialects();
  Operation *op = kernel.op("vector.contract");
  std::vector<ContractionCandidate> candidates =
      enumerateMma(ContractionProblem::get(cast<vector::ContractionOp>(op)),
                   *lookupTarget("sm_80"), 2);
  ASSERT_FALSE(candidates.empty());
  for (MmaRow &row : priced.rows)
    row.issueCost = infiniteCost;
  anchor(op, candidates.front(), /*named=*/true);
  FailureOr<LayoutChoice> choice =
      chooseLayouts(kernel.function, priced.target, {2, 32});
  ASSERT_TRUE(succeeded(choice)) << kernel.messages;
  EXPECT_TRUE(choice->contractions.empty());
  EXPECT_NE(kernel.messages.find(" is not to be used on sm_80"),
            std::string::npos)
      << kernel.messages;
  // Nor one that there is not.
  priced.target.mma = {};
  choice = chooseLayouts(kernel.function, priced.target, {2, 32});
  ASSERT_TRUE(succeeded(choice)) << kernel.messages;
  EXPECT_TRUE(choice->contractions.empty());
  EXPECT_NE(kernel.messages.find(" is no instruction of sm_80"),
            std::string::npos)
      << kernel.messages;
}

} // namespace
