//===- BoundsTest.cpp - What configure does not price, and ranks once -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lower bounds change no choice: where all candidates are kept, all are priced,
// and the best ones are the same in the same order.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Configure/RankedKernels.h"
#include "../Pipelines/Journey.h"
#include "distaff/Configure/Search.h"
#include "distaff/Launches/PrepareKernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using journey_test::Journey;

namespace {

/// A product of a batch, in f16 or f32.
std::string product(int64_t batches, int64_t m, int64_t n, int64_t k,
                    StringRef element) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto type = [&](int64_t rows, int64_t columns, StringRef of) {
    return "tensor<" + std::to_string(batches) + "x" + std::to_string(rows) +
           "x" + std::to_string(columns) + "x" + of.str() + ">";
  };
  std::string a = type(m, k, element), b = type(k, n, element),
              c = type(m, n, "f32");
  os << "func.func @product(%a: " << a << ", %b: " << b << ") -> " << c
     << " {\n  %z = arith.constant 0.0 : f32\n  %e = tensor.empty() : " << c
     << "\n  %i = linalg.fill ins(%z : f32) outs(%e : " << c << ") -> " << c
     << "\n  %r = linalg.batch_matmul ins(%a, %b : " << a << ", " << b
     << ") outs(%i : " << c << ") -> " << c << "\n  return %r : " << c
     << "\n}\n";
  return text;
}

func::FuncOp kernelOf(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

// VX-258.
TEST(Bounds, TheBestAreTheSameAsIfAllWerePriced) {
  Journey journey;
  const int64_t extents[][4] = {
      {1, 64, 64, 128}, {4096, 4, 4, 4}, {50, 3, 5, 7}, {1, 1, 40, 64}};
  for (StringRef element : {"f16", "f32"})
    for (auto [batches, m, n, k] : extents)
      for (const char *name : {"sm_80", "gfx942", "gfx1100", "host"}) {
        std::string text = product(batches, m, n, k, element);
        SCOPED_TRACE(name + text);
        const Target &target = *lookupTarget(name);
        OwningOpRef<ModuleOp> module = journey.parse(text.c_str());
        func::FuncOp kernel = kernelOf(*module);
        ASSERT_TRUE(succeeded(prepareKernel(kernel, target)));
        FailureOr<Ranking> some = rankKernel(kernel, target, {}),
                           all = rankKernel(kernel, target, {}, 1 << 20);
        ASSERT_TRUE(succeeded(some) && succeeded(all));
        ASSERT_GE(all->all().size(), some->all().size());
        for (auto [kept, priced] : llvm::zip(some->all(), all->all())) {
          EXPECT_EQ(kept.description, priced.description);
          EXPECT_EQ(kept.cost, priced.cost);
        }
        for (const Candidate &candidate : all->all())
          EXPECT_GE(candidate.cost, all->leastWork());
      }
}

TEST(RankedKernels, AreFoundByWhatARankingDependsOn) {
  Journey journey;
  const Target &target = *lookupTarget("sm_80");
  std::string text = product(1, 64, 64, 64, "f16");
  OwningOpRef<ModuleOp> one = journey.parse(text.c_str()),
                        same = journey.parse(text.c_str());
  for (ModuleOp module : {*one, *same})
    ASSERT_TRUE(succeeded(prepareKernel(kernelOf(module), target)));
  RankedKernels ranked(target);
  UserChoices user;
  EXPECT_EQ(ranked.find(kernelOf(*one), user), nullptr);
  ASSERT_TRUE(succeeded(rankKernel(kernelOf(*one), user, ranked)));
  const Ranking *found = ranked.find(kernelOf(*same), user);
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->empty());
  // Other choices of a user, types, or attributes.
  UserChoices lanes = user, strict = user;
  lanes.workgroupSize = 64;
  strict.strictFp = true;
  EXPECT_EQ(ranked.find(kernelOf(*same), lanes), nullptr);
  EXPECT_EQ(ranked.find(kernelOf(*same), strict), nullptr);
  for (std::string other :
       {product(1, 64, 64, 65, "f16"), product(1, 64, 64, 64, "f32")}) {
    OwningOpRef<ModuleOp> module = journey.parse(other.c_str());
    EXPECT_EQ(ranked.find(kernelOf(*module), user), nullptr);
  }
  kernelOf(*same).walk([](Operation *op) {
    if (op->getName().getStringRef() == "linalg.batch_matmul")
      op->setAttr("lowering_config", UnitAttr::get(op->getContext()));
  });
  EXPECT_EQ(ranked.find(kernelOf(*same), user), nullptr);
  // One that is of no use beyond a price is not kept.
  RankedKernels limited(target);
  (void)rankKernel(kernelOf(*one), user, limited, /*mostCost=*/1);
  EXPECT_EQ(limited.find(kernelOf(*one), user), nullptr);
}

} // namespace
