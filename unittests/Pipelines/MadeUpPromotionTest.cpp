//===- MadeUpPromotionTest.cpp - A promotion of somebody else's -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// String attributes pose as promotions: "mine" and "mine past the registers"
// copy with a layout that no attribute of ours derives (VX-11). Down the
// pipeline lanes copy by it, and the kernel computes what its source says.
//
//===----------------------------------------------------------------------===//
#include "Journey.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Dialect/VectorExt/PromotionAttrInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::vector_ext;
using journey_test::Journey;

namespace {

/// 32x16 of f32 by two subgroups of 32 lanes: a lane copies pieces of a row of
/// its own, the subgroups halves of all rows.
VectorLayoutInterface copyLayout(MLIRContext *context) {
  NestedLayout layout;
  layout.dims.push_back({1, 1, 1, 32, 1, 0, 1});
  layout.dims.push_back({2, 2, 1, 1, 4, 1, 0});
  return NestedLayoutAttr::get(context, layout);
}

struct PromotionOfString
    : PromotionAttrInterface::ExternalModel<PromotionOfString, StringAttr> {
  VectorLayoutInterface getCopyLayout(Attribute attr, VectorType type,
                                      int64_t workgroupSize,
                                      int64_t subgroupSize) const {
    EXPECT_EQ(type.getShape(), ArrayRef<int64_t>({32, 16}));
    EXPECT_EQ(workgroupSize, 64);
    EXPECT_EQ(subgroupSize, 32);
    return copyLayout(attr.getContext());
  }
  bool isAsynchronous(Attribute attr) const {
    return cast<StringAttr>(attr).getValue() == "mine past the registers";
  }
};

class MadeUpPromotion : public testing::Test {
protected:
  MadeUpPromotion() {
    StringAttr::attachInterface<PromotionOfString>(journey.context);
  }

  /// The kernel with the attribute, through the stage.
  OwningOpRef<ModuleOp> compiled(StringRef attribute, StringRef stage) {
    OwningOpRef<ModuleOp> module = journey.parse(textOf(attribute));
    if (!module || !journey.take(*module, *lookupTarget("sm_80"), stage))
      return {};
    return module;
  }

  static std::string textOf(StringRef attribute) {
    return R"(
#to = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1],
  batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2],
  element_tile = [1, 8], subgroup_strides = [1, 0], thread_strides = [1, 16]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]
  subgroup_size = 32>
func.func @f(%m: memref<32x16xf32>, %o: memref<32x16xf32>)
    attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]}
    : memref<32x16xf32>, vector<32x16xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#to)
    {shared_memory_conversion = ")" +
           attribute.str() + R"("} : vector<32x16xf32>
  %y = arith.addf %x, %x : vector<32x16xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]}
    : vector<32x16xf32>, memref<32x16xf32>
  return
}
)";
  }

  template <typename Op> static SmallVector<Op> all(ModuleOp module) {
    SmallVector<Op> found;
    module.walk([&](Op op) { found.push_back(op); });
    return found;
  }

  static int64_t count(ModuleOp module, StringRef name) {
    int64_t found = 0;
    module.walk(
        [&](Operation *op) { found += op->getName().getStringRef() == name; });
    return found;
  }

  /// What is read has the layout of the copy, then that of its user.
  void expectCopyLayout(ModuleOp module) {
    SmallVector<ToLayoutOp> layouts = all<ToLayoutOp>(module);
    ASSERT_GE(layouts.size(), 2u);
    EXPECT_TRUE(layouts[0].getInput().getDefiningOp<vector::TransferReadOp>());
    EXPECT_EQ(layouts[0].getLayout(), copyLayout(&journey.context));
    EXPECT_FALSE(layouts[0].getSharedMemoryConversionAttr());
    EXPECT_EQ(layouts[1].getInput(), layouts[0].getOutput());
  }

  /// Every lane reads two pieces of its row, half of the row apart, and stores
  /// each.
  void expectPieces(ModuleOp module, bool pastRegisters) {
    int64_t reads = 0, direct = 0;
    for (auto read : all<vector::TransferReadOp>(module)) {
      reads += read.getVectorType().getNumElements() == 4;
      direct += read->hasOneUse() && isa<vector::StoreOp>(*read->user_begin());
    }
    EXPECT_EQ(reads, 2);
    EXPECT_EQ(direct, pastRegisters ? 2 : 0);
  }

  Journey journey;
};

} // namespace

// Not its attribute but what it means is left.
TEST_F(MadeUpPromotion, SynchronousCopiesHaveItsLayout) {
  OwningOpRef<ModuleOp> assigned = compiled("mine", "assign-layouts");
  ASSERT_TRUE(assigned) << journey.messages;
  expectCopyLayout(*assigned);
  EXPECT_TRUE(isa<UnitAttr>(
      all<ToLayoutOp>(*assigned)[1].getSharedMemoryConversionAttr()));

  OwningOpRef<ModuleOp> distributed = compiled("mine", "distribute");
  ASSERT_TRUE(distributed) << journey.messages;
  expectPieces(*distributed, /*pastRegisters=*/false);
  EXPECT_EQ(count(*distributed, "gpu.barrier"), 1);
}

TEST_F(MadeUpPromotion, AsynchronousCopiesHaveItsLayout) {
  StringRef mine = "mine past the registers";
  OwningOpRef<ModuleOp> assigned = compiled(mine, "assign-layouts");
  ASSERT_TRUE(assigned) << journey.messages;
  expectCopyLayout(*assigned);
  // Distribution keeps whole what it sees is copied so.
  EXPECT_EQ(all<ToLayoutOp>(*assigned)[1].getSharedMemoryConversionAttr(),
            StringAttr::get(&journey.context, mine));

  OwningOpRef<ModuleOp> distributed = compiled(mine, "distribute");
  ASSERT_TRUE(distributed) << journey.messages;
  expectPieces(*distributed, /*pastRegisters=*/true);

  OwningOpRef<ModuleOp> lowered = compiled(mine, "lower");
  ASSERT_TRUE(lowered) << journey.messages;
  EXPECT_EQ(count(*lowered, "nvgpu.device_async_copy"), 2);
}

TEST_F(MadeUpPromotion, BothCompute) {
  for (StringRef attribute : {"mine", "mine past the registers"}) {
    OwningOpRef<ModuleOp> source = journey.parse(textOf(attribute));
    OwningOpRef<ModuleOp> lowered = compiled(attribute, "convert");
    ASSERT_TRUE(source && lowered) << journey.messages;
    EXPECT_EQ(journey.compare(*source, *lowered, *lookupTarget("sm_80")), "");
  }
}

// A target without such copies is named, with the attribute.
TEST_F(MadeUpPromotion, AsynchronousCopiesThatThereAreNotAreRefused) {
  OwningOpRef<ModuleOp> module =
      journey.parse(textOf("mine past the registers"));
  ASSERT_TRUE(module) << journey.messages;
  EXPECT_FALSE(journey.take(*module, *lookupTarget("sm_75")));
  EXPECT_NE(journey.messages.find("\"mine past the registers\""),
            std::string::npos)
      << journey.messages;
}
