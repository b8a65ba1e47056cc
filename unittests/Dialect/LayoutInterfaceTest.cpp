//===- LayoutInterfaceTest.cpp - Layout attributes as layouts -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes hand over to the layout library, whose own tests prove the
// algebra. Tested here is the handing over: affine maps, normal forms, types,
// and that an implementer of the interface that is not ours is served too.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/LayoutOf.h"

#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::vector_ext;

namespace {

NestedLayout nested(ArrayRef<int64_t> subgroup, ArrayRef<int64_t> batch,
                    ArrayRef<int64_t> thread, ArrayRef<int64_t> element,
                    ArrayRef<int64_t> subgroupStrides,
                    ArrayRef<int64_t> threadStrides) {
  NestedLayout layout;
  for (auto [s, b, t, e, sigma, tau] : llvm::zip_equal(
           subgroup, batch, thread, element, subgroupStrides, threadStrides))
    layout.dims.push_back({s, b, /*outerTile=*/1, t, e, sigma, tau});
  return layout;
}

/// An unsigned integer attribute poses as a layout of so many lanes: a foreign
/// implementer, which says only what has no default.
struct LanesOfInteger
    : VectorLayoutInterface::ExternalModel<LanesOfInteger, IntegerAttr> {
  void assignLayout(Attribute attr, std::optional<Layout> &layout) const {
    int64_t lanes = cast<IntegerAttr>(attr).getInt();
    layout = Layout::get({{{Axis::Lane, lanes, 1}}});
  }
  std::optional<std::string> isValidForTarget(Attribute, int64_t,
                                              int64_t) const {
    return std::nullopt;
  }
};

class LayoutInterface : public ::testing::Test {
protected:
  LayoutInterface() : context(makeRegistry()) {
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerVectorExt(registry);
    return registry;
  }

  NestedLayoutAttr attr(NestedLayout layout) {
    return NestedLayoutAttr::get(&context, layout);
  }
  DigitLayoutAttr digits(ArrayRef<SmallVector<Digit>> dims) {
    return getDigitLayoutAttr(&context, dims);
  }
  VectorLayoutInterface foreign(int64_t lanes) {
    IntegerAttr::attachInterface<LanesOfInteger>(context);
    return cast<VectorLayoutInterface>(
        Attribute(IntegerAttr::get(IntegerType::get(&context, 64), lanes)));
  }
  AffineMap map(unsigned numDims, ArrayRef<int64_t> results) {
    SmallVector<AffineExpr> exprs;
    for (int64_t result : results)
      exprs.push_back(result < 0 ? getAffineConstantExpr(0, &context)
                                 : getAffineDimExpr(result, &context));
    return AffineMap::get(numDims, 0, exprs, &context);
  }

  MLIRContext context;
  std::string message;
  /// The worked example of specification section 1.5.
  NestedLayout worked =
      nested({2, 1}, {2, 4}, {16, 4}, {1, 4}, {1, 0}, {1, 16});
};

// VX-2
TEST_F(LayoutInterface, GetAndGetCheckedNormaliseAlike) {
  NestedLayout spelt = worked;
  spelt[1].subgroupStride = 7;
  auto unknown = UnknownLoc::get(&context);
  auto checked = NestedLayoutAttr::getChecked(
      [&] { return emitError(unknown); }, &context, spelt);
  EXPECT_EQ(attr(spelt), attr(worked));
  EXPECT_EQ(checked, attr(worked));
  EXPECT_EQ(checked.getDims()[1].subgroupStride, 0);
}

// VX-3
TEST_F(LayoutInterface, GetCheckedRefuses) {
  NestedLayout overlapping = worked;
  overlapping[0].threadStride = 1;
  overlapping[1].threadStride = 8;
  auto unknown = UnknownLoc::get(&context);
  EXPECT_FALSE(NestedLayoutAttr::getChecked([&] { return emitError(unknown); },
                                            &context, overlapping));
  EXPECT_NE(message.find("thread strides overlap"), std::string::npos)
      << message;
}

// VX-22, VX-23
TEST_F(LayoutInterface, WorkedExample) {
  VectorLayoutInterface layout = attr(worked);
  EXPECT_EQ(layout.getRank(), 2);
  EXPECT_EQ(layout.getUndistributedShape(), SmallVector<int64_t>({64, 64}));
  EXPECT_EQ(layout.getDistributedShape(),
            SmallVector<int64_t>({2, 4, 1, 1, 1, 4}));
  // Batch (1, 2), element 3 is register (1 * 4 + 2) * 4 + 3.
  EXPECT_EQ(layout.getOwned(3, 37)[27], SmallVector<int64_t>({53, 43}));
  EXPECT_EQ(layout.getCanonicalOwner({53, 43}), (Place{1, 37, 27}));
  EXPECT_EQ(layout.getReplication(256, 64), 2);
}

// VX-9
TEST_F(LayoutInterface, DigitsOfANestedLayoutAreThatLayout) {
  auto asDigits = digits(getDigits(attr(worked).getLayout()));
  EXPECT_EQ(getLayoutAttr(&context, asDigits.getLayout()),
            VectorLayoutInterface(attr(worked)));
}

// VX-26
TEST_F(LayoutInterface, PermuteAndProjectKeepEveryField) {
  VectorLayoutInterface layout = attr(worked);
  auto transposed = nested({1, 2}, {4, 2}, {4, 16}, {4, 1}, {0, 1}, {16, 1});
  EXPECT_EQ(layout.permute({1, 0}), VectorLayoutInterface(attr(transposed)));
  llvm::SmallBitVector dropped(2);
  dropped.set(0);
  EXPECT_EQ(layout.project(dropped),
            VectorLayoutInterface(attr(nested({1}, {4}, {4}, {4}, {0}, {16}))));
}

// VX-27
TEST_F(LayoutInterface, ApplyTakesDimsAndZero) {
  VectorLayoutInterface layout = attr(worked);
  EXPECT_EQ(layout.apply(map(2, {1, -1})),
            VectorLayoutInterface(
                attr(nested({1, 1}, {4, 1}, {4, 1}, {4, 1}, {0, 0}, {16, 0}))));
  EXPECT_FALSE(layout.apply(map(2, {0, 0}))) << "a diagonal";
  EXPECT_FALSE(layout.apply(map(3, {0}))) << "a map of another rank";
  AffineExpr sum = getAffineDimExpr(0, &context) + 1;
  EXPECT_FALSE(layout.apply(AffineMap::get(2, 0, sum)));
}

// VX-28
TEST_F(LayoutInterface, RecombineDemandsAgreement) {
  VectorLayoutInterface layout = attr(worked);
  VectorLayoutInterface rows = layout.apply(map(2, {0}));
  auto recombined = VectorLayoutInterface::getRecombinedLayout(
      {layout, rows}, {map(2, {0, 1}), map(2, {0})}, map(2, {0, 1}));
  EXPECT_EQ(recombined, layout);
  // The same rows as batches instead: another owner for each.
  VectorLayoutInterface other = attr(nested({1}, {64}, {1}, {1}, {0}, {0}));
  EXPECT_FALSE(VectorLayoutInterface::getRecombinedLayout(
      {layout, other}, {map(2, {0, 1}), map(2, {0})}, map(2, {0, 1})));
  EXPECT_FALSE(VectorLayoutInterface::getRecombinedLayout({rows}, {map(2, {0})},
                                                          map(2, {0, 1})))
      << "dim 1 is in no operand";
}

// VX-31
TEST_F(LayoutInterface, ReshapeAnswersInDigitsWhereTilesFail) {
  VectorLayoutInterface small =
      attr(nested({1, 1}, {1, 1}, {1, 2}, {2, 1}, {0, 0}, {0, 1}));
  EXPECT_EQ(small.reshape({2, 2}), small);
  EXPECT_EQ(small.reshape({4}),
            VectorLayoutInterface(attr(nested({1}, {2}, {2}, {1}, {0}, {1}))));
  VectorLayoutInterface woven =
      attr(nested({1, 1}, {1, 1}, {2, 2}, {2, 1}, {0, 0}, {2, 1}));
  EXPECT_TRUE(isa<DigitLayoutAttr>(woven.reshape({8})));
  VectorLayoutInterface odd = attr(nested({1}, {1}, {3}, {2}, {0}, {1}));
  EXPECT_FALSE(odd.reshape({2, 3}));
}

// VX-33
TEST_F(LayoutInterface, SharedMemoryIsForOtherSubgroups) {
  VectorLayoutInterface lanes = attr(nested({2}, {1}, {4}, {1}, {1}, {1}));
  VectorLayoutInterface reversed =
      digits({{{Axis::Lane, 4, 1}, {Axis::Subgroup, 2, 1}}});
  VectorLayoutInterface registers = attr(nested({1}, {1}, {4}, {2}, {0}, {1}));
  EXPECT_FALSE(lanes.needsSharedMemoryForConversion(lanes));
  EXPECT_TRUE(lanes.needsSharedMemoryForConversion(reversed));
  EXPECT_TRUE(lanes.needsSharedMemoryForConversion(registers));
  EXPECT_FALSE(lanes.needsSharedMemoryForConversion(attr(worked)))
      << "of another shape, which nothing converts";
}

// VX-7, VX-8
TEST_F(LayoutInterface, TargetsAreChecked) {
  VectorLayoutInterface layout = attr(worked);
  EXPECT_EQ(layout.isValidForTarget(128, 64), std::nullopt);
  EXPECT_EQ(layout.isValidForTarget(256, 64), std::nullopt) << "replicas";
  // 64 lanes in subgroups of 32, and both subgroups taken.
  EXPECT_NE(layout.isValidForTarget(128, 32), std::nullopt);
  VectorLayoutInterface threads = attr(nested({1}, {1}, {128}, {1}, {0}, {1}));
  EXPECT_EQ(threads.isValidForTarget(128, 32), std::nullopt);
  EXPECT_NE(threads.isValidForTarget(64, 32), std::nullopt);
  EXPECT_NE(digits({{{Axis::Lane, 128, 1}}}).isValidForTarget(64, 32),
            std::nullopt);
}

// VX-6
TEST_F(LayoutInterface, TypesAreChecked) {
  VectorLayoutInterface layout = attr(worked);
  Type f16 = Float16Type::get(&context);
  Location unknown = UnknownLoc::get(&context);
  EXPECT_TRUE(
      succeeded(layout.isValidLayout(VectorType::get({64, 64}, f16), unknown)));
  EXPECT_TRUE(succeeded(layout.isValidLayout(
      RankedTensorType::get({ShapedType::kDynamic, 63}, f16), unknown)));
  EXPECT_TRUE(
      failed(layout.isValidLayout(VectorType::get({64, 63}, f16), unknown)));
  EXPECT_EQ(message, "dim 1 of 'vector<64x63xf16>' has extent 63, its layout "
                     "covers 64");
}

// VX-35
TEST_F(LayoutInterface, ForeignImplementersAreServed) {
  VectorLayoutInterface layout = foreign(4);
  VectorLayoutInterface ours = attr(nested({1}, {1}, {4}, {1}, {0}, {1}));
  EXPECT_EQ(layout.getRank(), 1);
  EXPECT_EQ(layout.getUndistributedShape(), SmallVector<int64_t>({4}));
  EXPECT_EQ(layout.permute({0}), ours);
  EXPECT_EQ(layout.apply(map(1, {0})), ours);
  EXPECT_EQ(layout.reshape({4}), ours);
  EXPECT_EQ(layout.project(llvm::SmallBitVector(1)), ours);
  EXPECT_FALSE(layout.needsSharedMemoryForConversion(ours));
  EXPECT_FALSE(ours.needsSharedMemoryForConversion(layout));
  EXPECT_EQ(VectorLayoutInterface::getRecombinedLayout(
                {layout, ours}, {map(1, {0}), map(1, {0})}, map(1, {0})),
            ours);
  EXPECT_EQ(layout.getOwned(0, 3), (SmallVector<SmallVector<int64_t>>{{3}}));
}

} // namespace
