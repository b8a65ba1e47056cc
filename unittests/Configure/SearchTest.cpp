//===- SearchTest.cpp - Every candidate is a way to run the kernel --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tuner does: rank, take any candidate, apply it and compile on. Each
// one runs on the SIMT machine and computes what the kernel says.
//
//===----------------------------------------------------------------------===//
#include "distaff/Configure/Search.h"
#include "../Pipelines/Journey.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Launches/PrepareKernel.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"
#include <set>
#include <vector>

using namespace distaff;
using journey_test::Journey;

namespace {

constexpr const char *matmul = R"(
func.func @matmul(%a: tensor<32x32xf16>, %b: tensor<32x48xf16>) -> tensor<32x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %r = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x48xf16>) outs(%i : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %r : tensor<32x48xf32>
})";

constexpr const char *softmax = R"(
func.func @softmax(%x: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %e = tensor.empty() : tensor<8x96xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x96xf32>) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
})";

constexpr const char *rowSum = R"(
func.func @row_sum(%x: tensor<12x80xf32>) -> tensor<12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<12x80xf32>) outs(%i : tensor<12xf32>) dimensions = [1]
  return %r : tensor<12xf32>
})";

constexpr const char *vectors = R"(
func.func @rows(%x: memref<32x64xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = arith.constant dense<0.0> : vector<32xf32>
  %v = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x64xf32>, vector<32x64xf32>
  %s = vector.multi_reduction <add>, %v, %n [1] : vector<32x64xf32> to vector<32xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
})";

class Search : public testing::Test {
protected:
  static func::FuncOp kernelOf(ModuleOp module) {
    return *module.getOps<func::FuncOp>().begin();
  }

  /// The module, prepared, and its candidates.
  std::pair<OwningOpRef<ModuleOp>, Ranking> rank(const char *text,
                                                 size_t kept) {
    OwningOpRef<ModuleOp> module = journey.parse(text);
    EXPECT_TRUE(module) << journey.messages;
    func::FuncOp kernel = kernelOf(*module);
    EXPECT_TRUE(succeeded(prepareKernel(kernel, target))) << journey.messages;
    FailureOr<Ranking> ranking =
        rankKernel(kernel, target, UserChoices::get(kernel), kept);
    EXPECT_TRUE(succeeded(ranking)) << journey.messages;
    return {std::move(module), std::move(*ranking)};
  }

  /// Applies every candidate that fits to a copy and runs it; returns how many.
  int64_t runAll(const char *text, size_t kept) {
    OwningOpRef<ModuleOp> source = journey.parse(text);
    auto [prepared, ranking] = rank(text, kept);
    int64_t count = 0;
    for (const Candidate &candidate : ranking.all()) {
      SCOPED_TRACE(candidate.description);
      if (!candidate.fits || candidate.isOverBudget())
        continue;
      OwningOpRef<ModuleOp> copy = prepared->clone();
      bool ran =
          succeeded(applyCandidate(kernelOf(*copy), candidate, target)) &&
          journey.take(*copy, target, "lower", /*first=*/"tile");
      EXPECT_TRUE(ran) << journey.messages;
      if (ran)
        EXPECT_EQ(journey.compare(*source, *copy, target), "");
      ++count;
    }
    return count;
  }

  const Target &target = *lookupTarget("sm_80");
  Journey journey;
};

TEST_F(Search, EveryCandidateOfAProductRuns) {
  EXPECT_GT(runAll(matmul, 60), 20);
}

TEST_F(Search, EveryCandidateOfASoftmaxRuns) {
  EXPECT_GT(runAll(softmax, 60), 10);
}

TEST_F(Search, EveryCandidateOfARowSumRuns) {
  EXPECT_GT(runAll(rowSum, 60), 10);
}

TEST_F(Search, EveryCandidateOfVectorsRuns) {
  // 1, 2, 4, ... 32 subgroups.
  EXPECT_EQ(runAll(vectors, 60), 6);
}

TEST_F(Search, RankingLeavesTheKernelAsItIs) {
  for (const char *text : {matmul, softmax, rowSum, vectors}) {
    OwningOpRef<ModuleOp> module = journey.parse(text);
    func::FuncOp kernel = kernelOf(*module);
    ASSERT_TRUE(succeeded(prepareKernel(kernel, target)));
    OwningOpRef<ModuleOp> before = module->clone();
    ASSERT_TRUE(
        succeeded(rankKernel(kernel, target, UserChoices::get(kernel))));
    EXPECT_TRUE(OperationEquivalence::isEquivalentTo(
        *before, *module, OperationEquivalence::IgnoreLocations));
  }
}

// The pass is the seam with the winner.
TEST_F(Search, ThePassTakesTheWinner) {
  for (const char *text : {matmul, softmax, rowSum, vectors}) {
    auto [prepared, ranking] = rank(text, 1);
    ASSERT_TRUE(succeeded(
        applyCandidate(kernelOf(*prepared), ranking.winner(), target)));
    OwningOpRef<ModuleOp> configured = journey.parse(text);
    ASSERT_TRUE(journey.take(*configured, target, "configure"));
    EXPECT_TRUE(OperationEquivalence::isEquivalentTo(
        *prepared, *configured, OperationEquivalence::IgnoreLocations));
  }
}

TEST_F(Search, CandidatesAreDistinctAndBestFirst) {
  auto [module, ranking] = rank(matmul, 1000);
  std::set<std::string> seen;
  bool mayFit = true;
  for (const Candidate &candidate : ranking.all()) {
    EXPECT_TRUE(seen.insert(candidate.description).second)
        << candidate.description;
    EXPECT_TRUE(mayFit || !candidate.fits);
    mayFit = candidate.fits;
  }
  EXPECT_EQ(ranking.whyLost(ranking.winner()), "");
  EXPECT_NE(ranking.whyLost(ranking.all().back()), "");
}

TEST_F(Search, WhyLostNamesWhatCountsMost) {
  Candidate winner, spills, costs, unfit;
  winner.cost = 100;
  costs.cost = 250;
  spills.spilled = 24;
  unfit.fits = false;
  Ranking ranking;
  for (const Candidate &candidate : {unfit, spills, costs, winner})
    ranking.add(candidate);
  EXPECT_EQ(ranking.whyLost(ranking.all()[0]), "");
  EXPECT_EQ(ranking.whyLost(ranking.all()[1]), "costs 150 slots more");
  EXPECT_EQ(ranking.whyLost(ranking.all()[2]),
            "spills 24 registers per lane more");
  EXPECT_EQ(ranking.whyLost(ranking.all()[3]),
            "holds more at once than its lanes can, or walks in a walk");
}

// Prices hang on these facts of the target, not on numbers of their own, for
// each kind of kernel by itself.
TEST_F(Search, EveryRateOfTheTargetCounts) {
  auto costs = [&](const char *text, const Target &machine) {
    SmallVector<int64_t> all;
    OwningOpRef<ModuleOp> module = journey.parse(text);
    func::FuncOp kernel = kernelOf(*module);
    EXPECT_TRUE(succeeded(prepareKernel(kernel, machine)));
    FailureOr<Ranking> ranking =
        rankKernel(kernel, machine, UserChoices::get(kernel), 100);
    EXPECT_TRUE(succeeded(ranking)) << journey.messages;
    for (const Candidate &candidate : ranking->all())
      all.push_back(candidate.cost);
    return all;
  };
  // Without instructions, and with few units, so that each one is priced.
  Target plain = target;
  plain.mma = {};
  plain.computeUnits = 1;
  Target changed = plain;
  using Kernels = std::vector<const char *>;
  const Kernels every = {matmul, rowSum, vectors}, tensors = {matmul, rowSum};
  struct {
    const char *name;
    int64_t *rate;
    Kernels kernels;
  } rates[] = {{"issuers", &changed.issue.issuers, every},
               {"multiplyAdd", &changed.issue.multiplyAdd, {matmul}},
               {"shuffleLatency", &changed.issue.shuffleLatency, {rowSum}},
               {"handOut", &changed.issue.handOut, every},
               {"start", &changed.issue.start, every},
               {"latency", &changed.globalMemory.latency, tensors},
               {"issueCost", &changed.globalMemory.issueCost, every},
               {"sectorCost", &changed.globalMemory.sectorCost, tensors},
               {"sectorBytes", &changed.globalMemory.sectorBytes, tensors},
               {"barrier", &changed.costs.barrier, {rowSum, vectors}},
               {"shuffle", &changed.costs.shuffle, {rowSum}}};
  for (auto &[name, rate, kernels] : rates)
    for (const char *text : kernels) {
      SmallVector<int64_t> before = costs(text, plain);
      int64_t kept = *rate;
      *rate *= 4;
      EXPECT_NE(costs(text, changed), before) << name << " of " << text;
      *rate = kept;
    }
}

// More registers for addresses leave room for fewer workgroups at once.
TEST_F(Search, RegistersForAddressesCount) {
  const char *large = R"(
func.func @copy(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %e = tensor.empty() : tensor<4096x512xf32>
  %y = linalg.copy ins(%x : tensor<4096x512xf32>) outs(%e : tensor<4096x512xf32>) -> tensor<4096x512xf32>
  return %y : tensor<4096x512xf32>
})";
  Target crowded = target;
  crowded.overheadRegisters = 100;
  OwningOpRef<ModuleOp> module = journey.parse(large);
  func::FuncOp kernel = kernelOf(*module);
  ASSERT_TRUE(succeeded(prepareKernel(kernel, target)));
  FailureOr<Ranking> roomy = rankKernel(kernel, target, {});
  FailureOr<Ranking> full = rankKernel(kernel, crowded, {});
  ASSERT_TRUE(succeeded(roomy) && succeeded(full));
  EXPECT_LT(roomy->winner().cost, full->winner().cost);
}

TEST_F(Search, WhatTheUserFixedIsNotChosenAgain) {
  std::string text = matmul;
  std::string workgroup =
      " attributes {translation_info = #iree_codegen.translation_info<"
      "workgroup_size = [64, 1, 1]>} {";
  size_t body = text.find(" {\n");
  text.replace(body, 2, workgroup);
  auto [module, ranking] = rank(text.c_str(), 100);
  for (const Candidate &candidate : ranking.all())
    EXPECT_EQ(candidate.workgroupSize, 64);
}

} // namespace
