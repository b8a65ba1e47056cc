//===- AssertionsTest.cpp - Promises of analyses, broken on purpose -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Analysis/Access/LaneWavefronts.h"
#include "../../lib/Analysis/Layout/MemoryLayouts.h"
#include "Parsing.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/FragmentMatch.h"
#include "distaff/Analysis/Layout/LaneTiles.h"
#include "distaff/Analysis/Layout/Selection.h"
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "distaff/Analysis/Linalg/ContractionKernel.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace distaff;

namespace {

DEATH_TEST(Selection, PairsOfCandidatesHaveCosts) {
  SelectionProblem problem;
  problem.nodes = {{1, 2}, {3}};
  problem.addEdge(0, 1, {0});
  EXPECT_DEATH(select(problem), "each pair of candidates has a cost");
  EXPECT_DEATH(firstWins(problem), "each pair of candidates has a cost");
  problem.edges = {{1, 1, 0}};
  EXPECT_DEATH(select(problem), "each pair of candidates has a cost");
  problem.edges.clear();
  problem.nodes.push_back({});
  EXPECT_DEATH(select(problem), "each pair of candidates has a cost");
}

/// A product of 16x8x16 halves: the maps (m, k), (k, n) and (m, n).
ContractionProblem halves(MLIRContext &context) {
  ContractionProblem problem;
  auto mapOf = [&](unsigned first, unsigned second) {
    return AffineMap::get(
        3, 0,
        {getAffineDimExpr(first, &context), getAffineDimExpr(second, &context)},
        &context);
  };
  problem.extents = {16, 8, 16};
  problem.reduced = {false, false, true};
  problem.lhs = mapOf(0, 2);
  problem.rhs = mapOf(2, 1);
  problem.acc = mapOf(0, 1);
  Type half = Float16Type::get(&context);
  problem.lhsFactor = problem.rhsFactor = {{}, half, false, half};
  problem.accElement = Float32Type::get(&context);
  return problem;
}

DEATH_TEST(Contraction, OperandsAreOfTheIterationSpace) {
  MLIRContext context;
  const Target &target = *lookupTarget("sm_80");
  ContractionProblem problem = halves(context);
  problem.extents.push_back(4);
  EXPECT_DEATH(enumerateMma(problem, target, 1),
               "operands are indexed by the iteration space");
  problem = halves(context);
  EXPECT_DEATH(anchoredMma(problem, target.mma.front(), false,
                           NestedLayout::units(3), std::nullopt, 1),
               "a layout has the dims of its operand");
}

DEATH_TEST(Contraction, FragmentsAreOfTheHardware) {
  MLIRContext context;
  ContractionProblem problem = halves(context);
  Layout lanes = *Layout::get({{{Axis::Lane, 64, 1}}, {}});
  MmaMisfit misfit;
  EXPECT_DEATH(fitToMma(lookupTarget("sm_80")->mma.front(), false,
                        {problem.lhs, problem.rhs, problem.acc},
                        {lanes, lanes, lanes}, 1, misfit),
               "operands are laid out for the hardware");
}

DEATH_TEST(Contraction, LoopsOfAnOpAreLoopsOfTheContraction) {
  MLIRContext context;
  EXPECT_DEATH(ContractionKernel::along(
                   {}, AffineMap::getMultiDimIdentityMap(2, &context), {0}),
               "each loop of the op is one");
}

DEATH_TEST(LaneTiles, LanesAreSaidToHoldSomething) {
  DialectRegistry registry;
  iree::registerIREE(registry);
  MLIRContext context(registry);
  auto config = cast<iree::LoweringConfigAttr>(
      parseAttribute("#iree_gpu.lowering_config<{workgroup = [8]}>", &context));
  std::string why;
  EXPECT_DEATH((void)layOutTile(config, {8}, 32, why),
               "the config says what lanes hold");
}

DEATH_TEST(CombiningIdentity, TheTypeHoldsIt) {
  MLIRContext context;
  EXPECT_DEATH(identityOf(vector::CombiningKind::MINIMUMF,
                          Float8E4M3FNType::get(&context)),
               "the type holds the identity");
}

DEATH_TEST(VectorAccess, DimsMoveInMemoryInAnOrder) {
  const Target &target = *lookupTarget("sm_80");
  VectorAccess access;
  access.shape = {8, 8};
  access.order = {1, 1};
  EXPECT_DEATH(layoutsForAccess(access, target, {1, 32}),
               "an order has a dim of the vector once");
  access.order = {2};
  EXPECT_DEATH(layoutsForAccess(access, target, {1, 32}),
               "an order has a dim of the vector once");
  EXPECT_DEATH(costOfAccess(access, NestedLayout::units(1), target),
               "a layout has the dims of the vector");
}

DEATH_TEST(VectorAccess, AccessesTakeAllRegisters) {
  Layout row = *Layout::get({{{Axis::Lane, 8, 1}, {Axis::Register, 6, 1}}});
  EXPECT_DEATH(wavefrontsOf(row, 32, {1}, 4, /*width=*/4, BankModel()),
               "accesses take all registers of a lane");
  EXPECT_DEATH(wavefrontsOf(row, 32, {}, 4, /*width=*/2, BankModel()),
               "accesses take all registers of a lane");
}

DEATH_TEST(WorkgroupMemory, BuffersAreStaticAndApart) {
  MLIRContext context;
  OpBuilder b(&context);
  auto dynamic = MemRefType::get({ShapedType::kDynamic}, b.getF32Type());
  EXPECT_DEATH(workgroupBytesOf(dynamic), "is static");
  auto interleaved = MemRefType::get(
      {4, 8}, b.getF32Type(), StridedLayoutAttr::get(&context, 0, {1, 4}));
  EXPECT_DEATH(allocateLike(b, b.getUnknownLoc(), interleaved, 16),
               "no two elements share bytes");
}

DEATH_TEST(WorkgroupMemory, BuffersBeginAtPowersOfTwo) {
  Kernel kernel("func.func @f() { return }");
  EXPECT_DEATH(OwnBuffers(kernel.function, 0), "begin at powers of two");
  EXPECT_DEATH(workgroupMemoryLeft(kernel.function, 1024, 12),
               "begin at powers of two");
}

DEATH_TEST(FusedGroup, AxesHavePointsAndTiles) {
  FusedGroup group;
  EXPECT_DEATH(group.setExtent(0, 4), "an axis of the group has points");
  EXPECT_DEATH((void)checkTilesTogether(group, {4}, {}),
               "each axis has its tile");
  EXPECT_DEATH(largestDivisor(0, 32), "units that there are share places");
  EXPECT_DEATH(largestDivisor(8, 0), "units that there are share places");
}

DEATH_TEST(PhaseProgram, GroupsAreItsOwn) {
  EXPECT_DEATH(waitsOf(PhaseProgram(), 0), "a group is one of the program's");
}

} // namespace
