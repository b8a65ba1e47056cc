//===- LevelsTest.cpp - Lanes only, subgroups only ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code for the lanes of one subgroup, which each subgroup runs on a tile of its
// own, and code for subgroups, whose lanes all hold the same.
//
//===----------------------------------------------------------------------===//
#include "Parts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::part_test;

/// 4 subgroups; `body` handles 8 rows of 128 numbers, from %row.
static std::string tileKernel(const std::string &layouts, StringRef body) {
  return layouts + R"(
func.func @f(%x: memref<32x128xf32>, %out: memref<32x128xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<8xf32>
  %sg = gpu.subgroup_id : index
  %lane = gpu.lane_id
  %row = arith.muli %sg, %c8 : index
  scf.execute_region {
    %r = vector.transfer_read %x[%row, %c0], %z {in_bounds = [true, true]}
      : memref<32x128xf32>, vector<8x128xf32>
    %a = iree_vector_ext.to_layout %r to layout(#rows) : vector<8x128xf32>
)" + body.str() +
         R"(
    vector.transfer_write %o, %out[%row, %c0] {in_bounds = [true, true]}
      : vector<8x128xf32>, memref<32x128xf32>
    scf.yield
  } {part = "tile"}
  return
}
)";
}

static std::string rowsOver(int64_t lanes) {
  return layout2("rows", {1, 1}, {2, 128 * 4 / lanes / 4}, {4, lanes / 4},
                 {1, 4}) +
         layout2("columns", {1, 1}, {1, 1}, {1, lanes}, {8, 128 / lanes});
}

static DistributionOptions lanesOnly(PartKernel &kernel, const MemberSync &sync,
                                     int64_t lanes) {
  DistributionOptions options = kernel.members(0, 1, sync, lanes);
  options.subgroupId = nullptr;
  options.maySplitOverSubgroups = false;
  return options;
}

static Argument tileInput() { return wholeNumbers({32, 128}, 3); }

static const char *const scanLessSum = R"(
    %s = vector.multi_reduction <add>, %a, %none [1] : vector<8x128xf32> to vector<8xf32>
    %b = vector.broadcast %s : vector<8xf32> to vector<128x8xf32>
    %t = vector.transpose %b, [1, 0] : vector<128x8xf32> to vector<8x128xf32>
    %scan, %last = vector.scan <add>, %a, %none {inclusive = true, reduction_dim = 1}
      : vector<8x128xf32>, vector<8xf32>
    %o = arith.subf %scan, %t : vector<8x128xf32>
)";

static Values scansLessSums(const Argument &matrix) {
  Values values = matrix.values;
  for (int64_t row = 0; row < matrix.shape[0]; ++row) {
    double *first = &values[row * matrix.shape[1]];
    for (int64_t at = 1; at < matrix.shape[1]; ++at)
      first[at] += first[at - 1];
    double sum = first[matrix.shape[1] - 1];
    for (int64_t at = 0; at < matrix.shape[1]; ++at)
      first[at] -= sum;
  }
  return values;
}

TEST(LanesOnly, EachSubgroupHandlesItsTileAndWaitsForNobody) {
  for (int64_t lanes : {32, 64}) {
    PartKernel kernel(tileKernel(rowsOver(lanes), scanLessSum));
    NoBarrier sync;
    ASSERT_TRUE(
        succeeded(kernel.distribute("tile", lanesOnly(kernel, sync, lanes))))
        << kernel.messages;
    EXPECT_EQ(kernel.count("gpu.barrier"), 0);
    EXPECT_EQ(kernel.count("memref.alloc"), 0);
    SmallVector<Argument> arguments{tileInput(), unwritten({32, 128})};
    EXPECT_EQ(kernel.run(arguments, 4, 1, lanes), scansLessSums(arguments[0]));
  }
}

/// Of a workgroup's array the bytes of one subgroup of four.
static Value bytesOfSubgroup(OpBuilder &b, Location loc, int64_t bytes,
                             Value subgroup) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto typeOf = [&](int64_t size) {
    return MemRefType::get({size}, b.getI8Type(), MemRefLayoutAttrInterface(),
                           space);
  };
  Value array = memref::AllocOp::create(b, loc, typeOf(4 * bytes),
                                        b.getI64IntegerAttr(16));
  Value size = arith::ConstantIndexOp::create(b, loc, bytes);
  Value start = arith::MulIOp::create(b, loc, subgroup, size);
  return memref::ViewOp::create(b, loc, typeOf(bytes), array, start,
                                ValueRange());
}

static const char *const roundTrip = R"(
    %b = iree_vector_ext.to_layout %a to layout(#columns) {shared_memory_conversion}
      : vector<8x128xf32>
    %s = vector.multi_reduction <add>, %b, %none [1] : vector<8x128xf32> to vector<8xf32>
    %c = vector.broadcast %s : vector<8xf32> to vector<128x8xf32>
    %d = vector.transpose %c, [1, 0] : vector<128x8xf32> to vector<8x128xf32>
    %e = arith.addf %b, %d : vector<8x128xf32>
    %o = iree_vector_ext.to_layout %e to layout(#rows) {shared_memory_conversion}
      : vector<8x128xf32>
)";

TEST(LanesOnly, ExchangesThroughMemoryTakePlaceInEachSubgroupsOwn) {
  for (int64_t lanes : {32, 64})
    for (bool hasOwn : {true, false}) {
      PartKernel kernel(tileKernel(rowsOver(lanes), roundTrip));
      Value subgroup = kernel.only<gpu::SubgroupIdOp>();
      NamedBarrier sync(/*id=*/1, lanes, /*offset=*/subgroup);
      DistributionOptions options = lanesOnly(kernel, sync, lanes);
      if (hasOwn)
        options.allocate = [=](OpBuilder &b, Location loc, int64_t bytes) {
          return bytesOfSubgroup(b, loc, bytes, subgroup);
        };
      ASSERT_TRUE(succeeded(kernel.distribute("tile", options)))
          << kernel.messages;
      SmallVector<Argument> arguments{tileInput(), unwritten({32, 128})};
      if (!hasOwn) {
        // All four subgroups exchange through one buffer.
        std::string error = kernel.runError(arguments, 4, lanes);
        EXPECT_TRUE(StringRef(error).contains("race")) << error;
        continue;
      }
      Values expected = arguments[0].values;
      for (int64_t row = 0; row < 32; ++row) {
        double sum = 0;
        for (int64_t at = 0; at < 128; ++at)
          sum += arguments[0].values[row * 128 + at];
        for (int64_t at = 0; at < 128; ++at)
          expected[row * 128 + at] += sum;
      }
      EXPECT_EQ(kernel.run(arguments, 4, 1, lanes), expected);
    }
}

TEST(LanesOnly, ALayoutThatNeedsSubgroupsIsRefused) {
  std::string split = layout2("rows", {2, 1}, {1, 4}, {4, 8}, {1, 4});
  PartKernel kernel(tileKernel(split, "%o = arith.addf %a, %a : "
                                      "vector<8x128xf32>"));
  NoBarrier sync;
  EXPECT_TRUE(failed(kernel.distribute("tile", lanesOnly(kernel, sync, 32))));
  EXPECT_TRUE(StringRef(kernel.messages)
                  .contains("'iree_vector_ext.to_layout' op cannot be "
                            "distributed: layout is split over subgroups, "
                            "where values may be split over lanes only: "))
      << kernel.messages;
}

// 64 lanes of a layout are two subgroups of 32.
TEST(LanesOnly, ALayoutOfMoreLanesThanThereAreIsRefused) {
  PartKernel kernel(tileKernel(rowsOver(64), scanLessSum));
  NoBarrier sync;
  EXPECT_TRUE(failed(kernel.distribute("tile", lanesOnly(kernel, sync, 32))));
  EXPECT_TRUE(StringRef(kernel.messages).contains("cannot be distributed"))
      << kernel.messages;
}

// Where several subgroups may not split values, all hold them and one writes.
TEST(LanesOnly, SeveralSubgroupsThatMayNotSplitHoldTheSame) {
  PartKernel kernel(tileKernel(rowsOver(32), scanLessSum));
  OpBuilder b = kernel.behindIds();
  Value zero = arith::ConstantIndexOp::create(b, b.getUnknownLoc(), 0);
  kernel.only<arith::MulIOp>().replaceAllUsesWith(zero);
  WorkgroupSync sync;
  DistributionOptions options = kernel.members(0, 4, sync);
  options.maySplitOverSubgroups = false;
  ASSERT_TRUE(succeeded(kernel.distribute("tile", options))) << kernel.messages;
  SmallVector<Argument> arguments{tileInput(), tileInput()};
  Values expected = arguments[0].values, tile = scansLessSums(arguments[0]);
  std::copy(tile.begin(), tile.begin() + 8 * 128, expected.begin());
  EXPECT_EQ(kernel.run(arguments, 4, 1), expected);
}

//===----------------------------------------------------------------------===//
// Subgroups only
//===----------------------------------------------------------------------===//

static std::string subgroupKernel(const std::string &layouts) {
  return layouts + R"(
func.func @f(%x: memref<16x12xf32>, %sums: memref<12xf32>, %out: memref<12x16xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<12xf32>
  %sg = gpu.subgroup_id : index
  %lane = gpu.lane_id
  scf.execute_region {
    %r = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]}
      : memref<16x12xf32>, vector<16x12xf32>
    %a = iree_vector_ext.to_layout %r to layout(#rows) : vector<16x12xf32>
    %s = vector.multi_reduction <add>, %a, %none [0] : vector<16x12xf32> to vector<12xf32>
    vector.transfer_write %s, %sums[%c0] {in_bounds = [true]} : vector<12xf32>, memref<12xf32>
    %b = iree_vector_ext.to_layout %a to layout(#columns) {shared_memory_conversion}
      : vector<16x12xf32>
    %t = vector.transpose %b, [1, 0] : vector<16x12xf32> to vector<12x16xf32>
    vector.transfer_write %t, %out[%c0, %c0] {in_bounds = [true, true]}
      : vector<12x16xf32>, memref<12x16xf32>
    scf.yield
  } {part = "all"}
  return
}
)";
}

static DistributionOptions
subgroupsOnly(PartKernel &kernel, const MemberSync &sync, int64_t lanes) {
  DistributionOptions options = kernel.members(0, 4, sync, lanes);
  options.maySplitOverLanes = false;
  return options;
}

TEST(SubgroupsOnly, LanesHoldTheSameAndOneOfThemWrites) {
  std::string layouts = layout2("rows", {4, 1}, {2, 1}, {1, 1}, {2, 12}) +
                        layout2("columns", {1, 4}, {1, 1}, {1, 1}, {16, 3});
  for (int64_t lanes : {32, 64}) {
    PartKernel kernel(subgroupKernel(layouts));
    WorkgroupSync sync;
    ASSERT_TRUE(
        succeeded(kernel.distribute("all", subgroupsOnly(kernel, sync, lanes))))
        << kernel.messages;
    EXPECT_EQ(kernel.count("gpu.shuffle"), 0);
    EXPECT_EQ(kernel.count("gpu.subgroup_reduce"), 0);
    SmallVector<Argument> arguments{wholeNumbers({16, 12}, 4), unwritten({12}),
                                    unwritten({12, 16})};
    Values sums(12), turned(12 * 16);
    for (int64_t row = 0; row < 16; ++row)
      for (int64_t column = 0; column < 12; ++column) {
        double value = arguments[0].values[row * 12 + column];
        sums[column] += value;
        turned[column * 16 + row] = value;
      }
    EXPECT_EQ(kernel.run(arguments, 4, 1, lanes), sums);
    EXPECT_EQ(kernel.run(arguments, 4, 2, lanes), turned);
  }
}

TEST(SubgroupsOnly, ALayoutThatNeedsLanesIsRefused) {
  std::string layouts = layout2("rows", {4, 1}, {1, 1}, {2, 1}, {2, 12}) +
                        layout2("columns", {1, 4}, {1, 1}, {1, 1}, {16, 3});
  PartKernel kernel(subgroupKernel(layouts));
  WorkgroupSync sync;
  EXPECT_TRUE(
      failed(kernel.distribute("all", subgroupsOnly(kernel, sync, 32))));
  EXPECT_TRUE(StringRef(kernel.messages)
                  .contains("layout is split over lanes, where values may be "
                            "split over subgroups only: "))
      << kernel.messages;
}
