//===- HalvesTest.cpp - Two halves of a workgroup, each for itself --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The upper subgroups add up rows, the lower ones transpose and scan, at the
// same time and with a barrier of their own; then one half takes what the other
// has written. Expected values come from plain loops.
//
//===----------------------------------------------------------------------===//
#include "Parts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::part_test;

namespace {
/// How many subgroups of 32 lanes each half has. Half h works on arrays of
/// 4 h x 32 h.
struct Split {
  int64_t upper, lower;

  int64_t count() const { return upper + lower; }
  int64_t threads() const { return 32 * count(); }
};
} // namespace

static constexpr Split splits[] = {{2, 2}, {1, 3}, {3, 1}};

/// Rows over subgroups, columns over subgroups, and columns of the transposed.
static std::string layoutsOf(const std::string &half, int64_t subgroups) {
  int64_t n = subgroups;
  return layout2("rows" + half, {n, 1}, {1, n}, {4, 8}, {1, 4}) +
         layout2("columns" + half, {1, n}, {n, 1}, {4, 8}, {1, 4}) +
         layout2("transposed" + half, {n, 1}, {1, n}, {8, 4}, {4, 1});
}

static std::string replaceAll(std::string text, StringRef what,
                              const std::string &by) {
  for (size_t at; (at = text.find(what.str())) != std::string::npos;)
    text.replace(at, what.size(), by);
  return text;
}

/// Writes out the extents of a kernel: U, V of the upper half's array, L, M of
/// the lower one's.
static std::string kernelText(const Split &split, std::string text) {
  text = replaceAll(text, "$U", std::to_string(4 * split.upper));
  text = replaceAll(text, "$V", std::to_string(32 * split.upper));
  text = replaceAll(text, "$L", std::to_string(4 * split.lower));
  text = replaceAll(text, "$M", std::to_string(32 * split.lower));
  text = replaceAll(text, "$SPLIT", std::to_string(split.upper));
  return layoutsOf("U", split.upper) + layoutsOf("L", split.lower) + text;
}

static Argument upperInput(const Split &split) {
  return wholeNumbers({4 * split.upper, 32 * split.upper}, 1);
}

static Argument lowerInput(const Split &split) {
  return wholeNumbers({4 * split.lower, 32 * split.lower}, 2);
}

//===----------------------------------------------------------------------===//
// Side by side
//===----------------------------------------------------------------------===//

static const char *const sideBySide = R"(
func.func @f(%x: memref<$Ux$Vxf32>, %y: memref<$Lx$Mxf32>, %sums: memref<$Uxf32>,
             %turned: memref<$Mx$Lxf32>, %scans: memref<$Lx$Mxf32>) {
  %c0 = arith.constant 0 : index
  %split = arith.constant $SPLIT : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<$Lxf32>
  %sg = gpu.subgroup_id : index
  %lane = gpu.lane_id
  %isUpper = arith.cmpi ult, %sg, %split : index
  scf.if %isUpper {
    %none = arith.constant dense<0.0> : vector<$Uxf32>
    %r = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]}
      : memref<$Ux$Vxf32>, vector<$Ux$Vxf32>
    %a = iree_vector_ext.to_layout %r to layout(#rowsU) : vector<$Ux$Vxf32>
    %b = iree_vector_ext.to_layout %a to layout(#columnsU) {shared_memory_conversion}
      : vector<$Ux$Vxf32>
    %s = vector.multi_reduction <add>, %b, %none [1] : vector<$Ux$Vxf32> to vector<$Uxf32>
    vector.transfer_write %s, %sums[%c0] {in_bounds = [true]}
      : vector<$Uxf32>, memref<$Uxf32>
  } else {
    %r = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]}
      : memref<$Lx$Mxf32>, vector<$Lx$Mxf32>
    %a = iree_vector_ext.to_layout %r to layout(#rowsL) : vector<$Lx$Mxf32>
    %t = vector.transpose %a, [1, 0] : vector<$Lx$Mxf32> to vector<$Mx$Lxf32>
    %u = iree_vector_ext.to_layout %t to layout(#transposedL) {shared_memory_conversion}
      : vector<$Mx$Lxf32>
    vector.transfer_write %u, %turned[%c0, %c0] {in_bounds = [true, true]}
      : vector<$Mx$Lxf32>, memref<$Mx$Lxf32>
    %b = iree_vector_ext.to_layout %a to layout(#columnsL) : vector<$Lx$Mxf32>
    %scan, %last = vector.scan <add>, %b, %zeros {inclusive = true, reduction_dim = 1}
      : vector<$Lx$Mxf32>, vector<$Lxf32>
    vector.transfer_write %scan, %scans[%c0, %c0] {in_bounds = [true, true]}
      : vector<$Lx$Mxf32>, memref<$Lx$Mxf32>
  } {part = "halves"}
  return
}
)";

static SmallVector<Argument> sideBySideArguments(const Split &split) {
  int64_t upper = split.upper, lower = split.lower;
  return {upperInput(split), lowerInput(split), unwritten({4 * upper}),
          unwritten({32 * lower, 4 * lower}),
          unwritten({4 * lower, 32 * lower})};
}

static Values rowSums(const Argument &matrix) {
  int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  Values sums(rows);
  for (int64_t at = 0; at < rows * columns; ++at)
    sums[at / columns] += matrix.values[at];
  return sums;
}

static Values transposed(const Argument &matrix) {
  int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  Values values(rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      values[column * rows + row] = matrix.values[row * columns + column];
  return values;
}

static Values scansOfRows(const Argument &matrix) {
  Values values = matrix.values;
  for (size_t at = 0; at < values.size(); ++at)
    if (at % matrix.shape[1] != 0)
      values[at] += values[at - 1];
  return values;
}

TEST(Halves, DoDifferentThingsAtTheSameTime) {
  for (const Split &split : splits) {
    PartKernel kernel(kernelText(split, sideBySide));
    NamedBarrier upper(1, 32 * split.upper), lower(2, 32 * split.lower);
    auto upperHalf = kernel.members(0, split.upper, upper);
    auto lowerHalf = kernel.members(split.upper, split.lower, lower);
    ASSERT_TRUE(succeeded(kernel.distribute("halves", upperHalf, 0)))
        << kernel.messages;
    ASSERT_TRUE(succeeded(kernel.distribute("halves", lowerHalf, 1)))
        << kernel.messages;
    EXPECT_EQ(kernel.count("gpu.barrier"), 0);
    auto arguments = sideBySideArguments(split);
    EXPECT_EQ(kernel.run(arguments, split.count(), 2), rowSums(arguments[0]));
    EXPECT_EQ(kernel.run(arguments, split.count(), 3),
              transposed(arguments[1]));
    EXPECT_EQ(kernel.run(arguments, split.count(), 4),
              scansOfRows(arguments[1]));
  }
}

// What goes wrong is noticed: these are the mistakes that a caller can make.

TEST(Halves, ABarrierOfTheWorkgroupIsNotOneOfAHalf) {
  Split split{2, 2};
  PartKernel kernel(kernelText(split, sideBySide));
  WorkgroupSync upper;
  NamedBarrier lower(2, 64);
  ASSERT_TRUE(
      succeeded(kernel.distribute("halves", kernel.members(0, 2, upper), 0)));
  ASSERT_TRUE(
      succeeded(kernel.distribute("halves", kernel.members(2, 2, lower), 1)));
  std::string error = kernel.runError(sideBySideArguments(split), 4);
  EXPECT_TRUE(StringRef(error).contains("divergent barrier") ||
              StringRef(error).contains("deadlock"))
      << error;
}

TEST(Halves, IdsStartAtZeroInEachHalf) {
  Split split{2, 2};
  PartKernel kernel(kernelText(split, sideBySide));
  NamedBarrier upper(1, 64), lower(2, 64);
  ASSERT_TRUE(
      succeeded(kernel.distribute("halves", kernel.members(0, 2, upper), 0)));
  auto wrong = kernel.members(2, 2, lower);
  wrong.subgroupId = kernel.only<gpu::SubgroupIdOp>();
  ASSERT_TRUE(succeeded(kernel.distribute("halves", wrong, 1)));
  EXPECT_NE(kernel.runError(sideBySideArguments(split), 4), "");
}

TEST(Halves, WorkgroupMemoryOfOneIsNotThatOfTheOther) {
  Split split{2, 2};
  for (bool areApart : {true, false}) {
    PartKernel kernel(kernelText(split, sideBySide));
    NamedBarrier upper(1, 64), lower(2, 64);
    auto upperHalf = kernel.members(0, 2, upper);
    auto lowerHalf = kernel.members(2, 2, lower);
    // One array for both, made before either.
    OpBuilder b(&kernel.context);
    b.setInsertionPoint(kernel.only<gpu::SubgroupIdOp>());
    int64_t half = 1 << 15;
    auto type =
        MemRefType::get({2 * half}, b.getI8Type(), MemRefLayoutAttrInterface(),
                        gpu::AddressSpaceAttr::get(
                            &kernel.context, gpu::AddressSpace::Workgroup));
    Value array = memref::AllocOp::create(b, b.getUnknownLoc(), type,
                                          b.getI64IntegerAttr(16));
    auto from = [&](int64_t first) {
      return [=](OpBuilder &b, Location loc, int64_t bytes) -> Value {
        EXPECT_LE(bytes, half);
        Value start = arith::ConstantIndexOp::create(b, loc, first);
        return memref::ViewOp::create(
            b, loc,
            MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                            type.getMemorySpace()),
            array, start, ValueRange());
      };
    };
    upperHalf.allocate = from(0);
    lowerHalf.allocate = from(areApart ? half : 0);
    ASSERT_TRUE(succeeded(kernel.distribute("halves", upperHalf, 0)));
    ASSERT_TRUE(succeeded(kernel.distribute("halves", lowerHalf, 1)));
    std::string error = kernel.runError(sideBySideArguments(split), 4);
    if (areApart)
      EXPECT_EQ(error, "");
    else
      EXPECT_TRUE(StringRef(error).contains("race")) << error;
  }
}

//===----------------------------------------------------------------------===//
// One after the other
//===----------------------------------------------------------------------===//

/// The lower half adds what the upper half's numbers sum up to.
static const char *const handOver = R"(
#sums = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [$SPLIT],
  outer_tile = [1], thread_tile = [4], element_tile = [1], subgroup_strides = [0],
  thread_strides = [1]>
func.func @f(%x: memref<$Ux$Vxf32>, %y: memref<$Lx$Mxf32>, %out: memref<$Lx$Mxf32>) {
  %c0 = arith.constant 0 : index
  %split = arith.constant $SPLIT : index
  %z = arith.constant 0.0 : f32
  %shared = memref.alloc() : memref<$Uxf32, #gpu.address_space<workgroup>>
  %sg = gpu.subgroup_id : index
  %lane = gpu.lane_id
  %isUpper = arith.cmpi ult, %sg, %split : index
  scf.if %isUpper {
    %none = arith.constant dense<0.0> : vector<$Uxf32>
    %r = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]}
      : memref<$Ux$Vxf32>, vector<$Ux$Vxf32>
    %b = iree_vector_ext.to_layout %r to layout(#columnsU) : vector<$Ux$Vxf32>
    %s = vector.multi_reduction <add>, %b, %none [1] : vector<$Ux$Vxf32> to vector<$Uxf32>
    vector.transfer_write %s, %shared[%c0] {in_bounds = [true]}
      : vector<$Uxf32>, memref<$Uxf32, #gpu.address_space<workgroup>>
  } else {
    %v = scf.execute_region -> vector<$Lx$Mxf32> {
      %r = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]}
        : memref<$Lx$Mxf32>, vector<$Lx$Mxf32>
      %a = iree_vector_ext.to_layout %r to layout(#rowsL) : vector<$Lx$Mxf32>
      %b = iree_vector_ext.to_layout %a to layout(#columnsL) {shared_memory_conversion}
        : vector<$Lx$Mxf32>
      scf.yield %b : vector<$Lx$Mxf32>
    } {part = "before", outputs = [#columnsL]}
    scf.execute_region {
      %r = vector.transfer_read %shared[%c0], %z {in_bounds = [true]}
        : memref<$Uxf32, #gpu.address_space<workgroup>>, vector<$Uxf32>
      %s = iree_vector_ext.to_layout %r to layout(#sums) : vector<$Uxf32>
      %total = vector.reduction <add>, %s : vector<$Uxf32> into f32
      %all = vector.broadcast %total : f32 to vector<$Lx$Mxf32>
      %w = arith.addf %v, %all : vector<$Lx$Mxf32>
      vector.transfer_write %w, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<$Lx$Mxf32>, memref<$Lx$Mxf32>
      scf.yield
    } {part = "after", inputs = [#columnsL]}
  } {part = "halves"}
  return
}
)";

/// Distributes the three parts; the upper half arrives when it is done, and the
/// lower one waits, if it does, before it takes the sums.
static void distributeHandOver(PartKernel &kernel, const Split &split,
                               bool waits) {
  NamedBarrier upper(1, 32 * split.upper), lower(2, 32 * split.lower);
  NamedBarrier done(3, split.threads());
  auto upperHalf = kernel.members(0, split.upper, upper);
  auto lowerHalf = kernel.members(split.upper, split.lower, lower);
  ASSERT_TRUE(succeeded(kernel.distribute("halves", upperHalf, 0)))
      << kernel.messages;
  ASSERT_TRUE(succeeded(kernel.distribute("before", lowerHalf)))
      << kernel.messages;
  ASSERT_TRUE(succeeded(kernel.distribute("after", lowerHalf)))
      << kernel.messages;
  Operation *end = kernel.op("halves")->getRegion(0).front().getTerminator();
  OpBuilder b(end);
  ASSERT_TRUE(succeeded(done.arrive(b, end->getLoc())));
  b.setInsertionPoint(kernel.op("after"));
  if (waits)
    done.wait(b, end->getLoc());
}

TEST(Halves, OneTakesWhatTheOtherHasWritten) {
  for (const Split &split : splits) {
    PartKernel kernel(kernelText(split, handOver));
    distributeHandOver(kernel, split, /*waits=*/true);
    SmallVector<Argument> arguments{
        upperInput(split), lowerInput(split),
        unwritten({4 * split.lower, 32 * split.lower})};
    double total = 0;
    for (double value : arguments[0].values)
      total += value;
    Values expected = arguments[1].values;
    for (double &value : expected)
      value += total;
    EXPECT_EQ(kernel.run(arguments, split.count(), 2), expected);
  }
}

TEST(Halves, WhoDoesNotWaitRacesWithTheOther) {
  Split split{2, 2};
  PartKernel kernel(kernelText(split, handOver));
  distributeHandOver(kernel, split, /*waits=*/false);
  SmallVector<Argument> arguments{upperInput(split), lowerInput(split),
                                  unwritten({8, 64})};
  EXPECT_NE(kernel.runError(arguments, 4), "");
}
