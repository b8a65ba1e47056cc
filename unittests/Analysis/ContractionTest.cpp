//===- ContractionTest.cpp - MMA choices ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsing.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {
/// The maps (m, k), (n, k) or (k, n), and (m, n).
struct Product {
  explicit Product(std::array<int64_t, 3> extents, bool rhsIsNK = true) {
    AffineExpr m = getAffineDimExpr(0, &context);
    AffineExpr n = getAffineDimExpr(1, &context);
    AffineExpr k = getAffineDimExpr(2, &context);
    problem.extents.assign(extents.begin(), extents.end());
    problem.reduced = {false, false, true};
    problem.lhs = AffineMap::get(3, 0, {m, k}, &context);
    problem.rhs = rhsIsNK ? AffineMap::get(3, 0, {n, k}, &context)
                          : AffineMap::get(3, 0, {k, n}, &context);
    problem.acc = AffineMap::get(3, 0, {m, n}, &context);
    Type half = Float16Type::get(&context);
    problem.lhsFactor = problem.rhsFactor = {{}, half, false, half};
    problem.accElement = Float32Type::get(&context);
    context.loadDialect<vector_ext::VectorExtDialect>();
  }
  std::string text(const NestedLayout &layout) {
    return shortNotation(vector_ext::NestedLayoutAttr::get(&context, layout));
  }
  MLIRContext context;
  ContractionProblem problem;
};
} // namespace

// Spec 9.3 D: 32x128x64 on sm_80, two subgroups along M.
TEST(Contraction, AttentionScoresOnSm80) {
  Product product({32, 128, 64});
  auto choices = enumerateMma(product.problem, *lookupTarget("sm_80"), 2);
  auto chosen = llvm::find_if(choices, [](const ContractionCandidate &choice) {
    return choice.subgroups[0] == 2 && choice.row->k == 16;
  });
  ASSERT_NE(chosen, choices.end());
  EXPECT_EQ(product.text(chosen->lhs),
            "⟨S[2,1]:[1,0] B[1,4] O[2,2] T[8,4]:[4,1] E[1,2]⟩");
  EXPECT_EQ(product.text(chosen->rhs), "⟨B[16,4] O[1,2] T[8,4]:[4,1] E[1,2]⟩");
  EXPECT_EQ(product.text(chosen->acc),
            "⟨S[2,1]:[1,0] B[1,16] O[2,1] T[8,4]:[4,1] E[1,2]⟩");
  EXPECT_EQ(chosen->instructions, 64);
}

// Spec 9.3 B: 128x128x32 on sm_80, 2x2 subgroups.
TEST(Contraction, MatmulTileOnSm80) {
  Product product({128, 128, 32});
  auto choices = enumerateMma(product.problem, *lookupTarget("sm_80"), 4);
  ASSERT_FALSE(choices.empty());
  // 2x2 needs the fewest registers for operands.
  EXPECT_EQ(choices[0].describe(), "m16n8k16 f16, subgroups 2x2x1");
  EXPECT_EQ(product.text(choices[0].lhs),
            "⟨S[2,1]:[2,0] B[4,2] O[2,2] T[8,4]:[4,1] E[1,2]⟩");
  EXPECT_EQ(product.text(choices[0].rhs),
            "⟨S[2,1]:[1,0] B[8,2] O[1,2] T[8,4]:[4,1] E[1,2]⟩");
  EXPECT_EQ(product.text(choices[0].acc),
            "⟨S[2,2]:[2,1] B[4,8] O[2,1] T[8,4]:[4,1] E[1,2]⟩");
  EXPECT_EQ(choices[0].instructions, 64);
}

// Spec 9.1 P4: 96x64x16 with MFMA 32x32x8.
TEST(Contraction, ExampleOfTheSpecificationOnGfx942) {
  Product product({96, 64, 16}, /*rhsIsNK=*/false);
  auto choices = enumerateMma(product.problem, *lookupTarget("gfx942"), 1);
  auto chosen = llvm::find_if(choices, [](const ContractionCandidate &choice) {
    return choice.row->m == 32 && !choice.transposed;
  });
  ASSERT_NE(chosen, choices.end());
  EXPECT_EQ(product.text(chosen->lhs), "⟨B[3,2] T[32,2]:[1,32] E[1,4]⟩");
  EXPECT_EQ(product.text(chosen->acc), "⟨B[3,2] O[4,1] T[2,32]:[32,1] E[4,1]⟩");
}

TEST(Contraction, ConfigurationIsObeyed) {
  Product product({128, 128, 32});
  product.context.loadDialect<iree::IREEGPUDialect>();
  product.problem.config = cast<iree::LoweringConfigAttr>(parseAttribute(
      "#iree_gpu.lowering_config<{subgroup_basis = [[4, 1, 1], [0, 1, 2]], "
      "mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>}>",
      &product.context));
  auto choices = enumerateMma(product.problem, *lookupTarget("sm_80"), 4);
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].row->k, 8);
  EXPECT_EQ(choices[0].subgroups, (SmallVector<int64_t>{4, 1, 1}));
}

// VX-105
TEST(Contraction, SaysWhyNothingFits) {
  Product odd({30, 128, 64});
  EXPECT_TRUE(enumerateMma(odd.problem, *lookupTarget("sm_80"), 2).empty());
  EXPECT_TRUE(StringRef(whyNoMma(odd.problem, *lookupTarget("sm_80")))
                  .starts_with("30x128x64 (m, n, k) is no multiple of 16x8x"));
  Product product({32, 128, 64});
  product.problem.accElement = BFloat16Type::get(&product.context);
  EXPECT_EQ(whyNoMma(product.problem, *lookupTarget("sm_80")),
            "sm_80 has no instruction for f16 x f16 -> bf16");
  Product largest({32, 128, 64});
  largest.problem.adds = false;
  EXPECT_EQ(whyNoMma(largest.problem, *lookupTarget("sm_80")),
            "the combining kind is not add");
  Product column({32, 1, 64});
  column.problem.rhs = column.problem.acc = AffineMap::get(
      3, 0, {getAffineDimExpr(2, &column.context)}, &column.context);
  EXPECT_EQ(whyNoMma(column.problem, *lookupTarget("sm_80")),
            "it has not an m, an n and a k dimension");
  Product strict({32, 128, 64});
  Target inOrder = *lookupTarget("sm_80");
  inOrder.mma = {};
  EXPECT_EQ(whyNoMma(strict.problem, inOrder),
            "strict-fp keeps the order of sums, which no instruction does");
}

// Every choice is a layout of the operand's shape that fits the hardware.
TEST(Contraction, EveryChoiceFits) {
  for (const Target *target : gpuTargets())
    for (int64_t subgroups : {1, 2, 4, 8})
      for (bool rhsIsNK : {false, true}) {
        Product product({64, 96, 32}, rhsIsNK);
        for (const ContractionCandidate &choice :
             enumerateMma(product.problem, *target, subgroups))
          for (const NestedLayout *layout :
               {&choice.lhs, &choice.rhs, &choice.acc}) {
            EXPECT_EQ(layout->verify(), std::nullopt);
            EXPECT_TRUE(
                layout->toLayout().fits({subgroups, target->subgroupSize}));
          }
      }
}
