//===- PtxKernelsTest.cpp - Small kernels' PTX against the SIMT machine ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel per way of emission: element types, reductions within a subgroup
// and across, conversions through shared memory, masks, scalars of every width,
// several results, grids.
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "KernelText.h"
#include "PtxKernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::ptx_test;

namespace {

void expectRight(const std::string &kernel, const KernelOptions &options = {}) {
  EXPECT_EQ(checkKernel(kernel, options), "") << kernel;
}

class ElementTypes : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(All, ElementTypes,
                         testing::Values("f16", "bf16", "f32", "f64", "i8",
                                         "i16", "i32", "i64"),
                         [](const auto &info) { return info.param; });

struct Line {
  int threads, subgroups, batch, lanes, elements, laneStride;
};
// 32 lanes; 5; 6 at stride 2; 4 subgroups; 3 subgroups of 5 lanes.
constexpr Line lines[] = {{32, 1, 1, 32, 2, 1},
                          {32, 1, 2, 5, 1, 1},
                          {32, 1, 1, 6, 2, 2},
                          {128, 4, 1, 32, 4, 1},
                          {96, 3, 2, 5, 2, 1}};

std::string reduction(const std::string &type, const Line &l,
                      const std::string &kind) {
  int count = l.subgroups * l.batch * l.lanes * l.elements;
  return fill(R"(
func.func @k(%x: memref<$Nx$T>, %acc: $T, %y: memref<$T>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant $zero : $T
  %0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<$Nx$T>, vector<$Nx$T>
  %1 = iree_vector_ext.to_layout %0 to layout($layout) : vector<$Nx$T>
  %2 = vector.multi_reduction <$kind>, %1, %acc [0] : vector<$Nx$T> to $T
  %3 = vector.broadcast %2 : $T to vector<$T>
  vector.transfer_write %3, %y[] : vector<$T>, memref<$T>
  return
})",
              {{"launch", launch(l.threads)},
               {"layout",
                line(l.subgroups, l.batch, l.lanes, l.elements, l.laneStride)},
               {"kind", kind},
               {"zero", zeroOf(type)},
               {"N", std::to_string(count)},
               {"T", type}});
}

TEST_P(ElementTypes, ReducesOverLanesAndSubgroups) {
  std::string type = GetParam();
  for (const Line &l : lines)
    for (std::string kind : {"add", type[0] == 'i' ? "maxsi" : "maximumf"})
      // A sum of halves has a wide bound; its bits are compared anyway.
      expectRight(reduction(type, l, kind), {.mayBeUndecided = true});
}

/// A matrix read in tiles of one layout, written in those of another one.
/// `columns` are columns of 4 elements, which a xor swizzle suits; otherwise
/// rows are 8 words apart, which wants padding.
std::string conversion(const std::string &type, bool columns) {
  return fill(R"(
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [8, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [4, 2], subgroup_strides = [0, 1], thread_strides = [1, 4]>
#tiles = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 1], thread_strides = [4, 1]>
func.func @k(%x: memref<16x32x$T>, %y: memref<16x32x$T>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant $zero : $T
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32x$T>, vector<16x32x$T>
  %1 = iree_vector_ext.to_layout %0 to layout(#$from) : vector<16x32x$T>
  %2 = iree_vector_ext.to_layout %1 to layout(#$to) {shared_memory_conversion} : vector<16x32x$T>
  vector.transfer_write %2, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32x$T>, memref<16x32x$T>
  return
})",
              {{"launch", launch(64)},
               {"from", columns ? "rows" : "tiles"},
               {"to", columns ? "columns" : "rows"},
               {"zero", zeroOf(type)},
               {"T", type}});
}

TEST_P(ElementTypes, ConvertsLayoutsThroughSharedMemory) {
  for (bool columns : {false, true})
    expectRight(conversion(GetParam(), columns));
}

/// A transposing conversion of `rows` x 128 f32 values, 512 bytes a row, in a
/// kernel that has `own` bytes of workgroup memory itself.
std::string largeConversion(int64_t rows, int64_t own) {
  return fill(R"(
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [$perSubgroup, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [0, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [1, 32], outer_tile = [1, 1], thread_tile = [4, 1], element_tile = [$perSubgroup, 1], subgroup_strides = [0, 1], thread_strides = [1, 0]>
func.func @k(%x: memref<$Rx128xf32>, %y: memref<$Rx128xf32>, %seen: memref<i8>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %one = arith.constant 1 : i8
  %own = memref.alloc() : memref<$ownxi8, #gpu.address_space<workgroup>>
  memref.store %one, %own[%c0] : memref<$ownxi8, #gpu.address_space<workgroup>>
  %back = memref.load %own[%c0] : memref<$ownxi8, #gpu.address_space<workgroup>>
  memref.store %back, %seen[] : memref<i8>
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<$Rx128xf32>, vector<$Rx128xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<$Rx128xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#columns) {shared_memory_conversion} : vector<$Rx128xf32>
  vector.transfer_write %2, %y[%c0, %c0] {in_bounds = [true, true]} : vector<$Rx128xf32>, memref<$Rx128xf32>
  return
})",
              {{"launch", launch(128)},
               {"own", std::to_string(own)},
               {"perSubgroup", std::to_string(rows / 4)},
               {"R", std::to_string(rows)}});
}

// At 48 KiB the kernel declares its memory; above that the launch allocates it,
// up to 163 KiB, and what is larger goes through in pieces.
TEST(PtxKernels, LargeWorkgroupMemoryIsAllocatedByTheLaunch) {
  struct Case {
    int64_t rows, own, dynamic;
  };
  std::vector<Case> cases = {{64, 16384, 0},
                             {64, 16385, 49168},
                             {64, 134144, 166912},
                             {64, 134145, 134160 + 16384}};
  if (!isQuick()) {
    cases.push_back({256, 35840, 166912});
    cases.push_back({256, 35841, 35856 + 65536});
  }
  for (auto [rows, own, dynamic] : cases) {
    auto look = [dynamic = dynamic, rows = rows](std::string &ptx) {
      std::string comment = "// k: launch with " + std::to_string(dynamic) +
                            " bytes of dynamic shared memory";
      EXPECT_EQ(ptx.find(comment) != std::string::npos, dynamic != 0) << rows;
      EXPECT_EQ(ptx.find(".extern .shared") != std::string::npos, dynamic != 0)
          << rows;
    };
    expectRight(largeConversion(rows, own), {.change = look});
  }
}

// 33 rows and 19 columns of a memref that has fewer of each.
TEST_P(ElementTypes, ReadsAndWritesBehindAMask) {
  expectRight(fill(R"(
#l = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 4], subgroup_strides = [1, 0], thread_strides = [8, 1]>
func.func @k(%x: memref<13x27x$T>, %m: index, %n: index, %y: memref<13x27x$T>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant $one : $T
  %mask = vector.create_mask %m, %n : vector<16x32xi1>
  %0 = vector.transfer_read %x[%c0, %c0], %pad, %mask : memref<13x27x$T>, vector<16x32x$T>
  %1 = iree_vector_ext.to_layout %0 to layout(#l) : vector<16x32x$T>
  vector.transfer_write %1, %y[%c0, %c0] : vector<16x32x$T>, memref<13x27x$T>
  return
})",
                   {{"launch", launch(64)},
                    {"one", GetParam()[0] == 'i' ? "1" : "1.0"},
                    {"T", GetParam()}}),
              {.inputs = {"arg1=11", "arg2=19"}});
}

// Rows of 18 or 20 elements, from columns that a loop counts: only some of the
// accesses may be as wide as a lane's 4 elements.
TEST(PtxKernels, AccessesAreAsWideAsTheirAddressesAllow) {
  for (std::string type : {"f16", "f32", "f64"})
    for (const char *columns : {"18", "20"})
      for (const char *lower : {"0", "1", "2", "4"})
        expectRight(fill(R"(
#l = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [2, 1]>
func.func @k(%x: memref<16x$columnsx$T>, %y: memref<9x16x$columnsx$T>) $launch {
  %c0 = arith.constant 0 : index
  %lower = arith.constant $lower : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %pad = arith.constant 0.0 : $T
  scf.for %i = %lower to %c9 step %c4 {
    %0 = vector.transfer_read %x[%c0, %i], %pad {in_bounds = [true, true]} : memref<16x$columnsx$T>, vector<16x8x$T>
    %1 = iree_vector_ext.to_layout %0 to layout(#l) : vector<16x8x$T>
    vector.transfer_write %1, %y[%i, %c0, %i] {in_bounds = [true, true]} : vector<16x8x$T>, memref<9x16x$columnsx$T>
  }
  return
})",
                         {{"launch", launch(32)},
                          {"columns", columns},
                          {"lower", lower},
                          {"T", type}}));
}

// A kernel of one lane with everything that the launch says about it.
TEST(PtxKernels, IdsOfWorkgroupsOfOneToThreeDimensions) {
  for (const char *size : {"96, 1, 1", "16, 6, 1", "4, 3, 8", "1, 5, 32",
                           "1, 1, 64", "2, 40, 2", "16, 5, 2"})
    expectRight(idsKernel(size, 32));
}

// col_major: the instruction computes the transposed product.
TEST(PtxKernels, TransposedProductsSwapTheirOperands) {
  expectRight(transposedProduct("NV_MMA_SYNC_F32_16x8x16_F16", 32, "2x2", "4x2",
                                "2x2", "f16"),
              {.mayBeUndecided = true});
}

// What a NaN does after exp, where `fast` would let it vanish.
TEST(PtxKernels, NotANumberSurvivesExp) {
  for (const char *op : {"math.exp", "math.exp2"})
    expectRight(nanAfter(op, 32));
}

// The ABI: pointers first, then scalars at their own alignment.
TEST(PtxKernels, ScalarsOfEveryWidthArePassed) {
  expectRight(fill(R"(
func.func @k(%a: i8, %x: memref<64xf64>, %b: i16, %c: i1, %d: i64, %e: f16, %y: memref<64xf64>, %f: f32, %g: f64, %h: bf16, %i: i32) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  %0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf64>, vector<64xf64>
  %l = iree_vector_ext.to_layout %0 to layout($layout) : vector<64xf64>
  %a1 = arith.sitofp %a : i8 to f64
  %b1 = arith.sitofp %b : i16 to f64
  %c1 = arith.uitofp %c : i1 to f64
  %d1 = arith.sitofp %d : i64 to f64
  %e1 = arith.extf %e : f16 to f64
  %f1 = arith.extf %f : f32 to f64
  %h1 = arith.extf %h : bf16 to f64
  %i1 = arith.sitofp %i : i32 to f64
  %s0 = arith.addf %a1, %b1 : f64
  %s1 = arith.addf %s0, %c1 : f64
  %s2 = arith.addf %s1, %d1 : f64
  %s3 = arith.addf %s2, %e1 : f64
  %s4 = arith.addf %s3, %f1 : f64
  %s5 = arith.addf %s4, %g : f64
  %s6 = arith.addf %s5, %h1 : f64
  %s7 = arith.addf %s6, %i1 : f64
  %v = vector.broadcast %s7 : f64 to vector<64xf64>
  %r = arith.mulf %l, %v : vector<64xf64>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf64>, memref<64xf64>
  return
})",
                   {{"launch", launch(32)}, {"layout", line(1, 1, 32, 2)}}),
              {.inputs = {"arg4=random:3:-999999:999999"}});
}

// One i64 per dynamic extent, behind the scalars.
TEST(PtxKernels, DynamicExtentsArePassed) {
  for (std::vector<std::string> shapes :
       {std::vector<std::string>{"arg0=13x27", "arg2=16x9"},
        std::vector<std::string>{"arg0=16x32", "arg2=3x40"}})
    expectRight(fill(R"(
#l = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 4], subgroup_strides = [1, 0], thread_strides = [8, 1]>
func.func @k(%x: memref<?x?xf32>, %s: i8, %y: memref<?x?xf32>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.sitofp %s : i8 to f32
  %0 = vector.transfer_read %x[%c0, %c0], %pad : memref<?x?xf32>, vector<16x32xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#l) : vector<16x32xf32>
  vector.transfer_write %1, %y[%c0, %c0] : vector<16x32xf32>, memref<?x?xf32>
  return
})",
                     {{"launch", launch(64)}}),
                {.shapes = shapes});
}

// Strides are products of what is behind a dim, known extents included.
TEST(PtxKernels, DynamicExtentsBeforeKnownOnes) {
  expectRight(fill(R"(
#l = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [8, 1]>
func.func @k(%x: memref<?x3x5x16xf32>, %y: memref<3x?x5x?x2xf32>) $launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i, %j) in (3, 5) {
    %0 = vector.transfer_read %x[%c0, %i, %j, %c0], %pad {permutation_map = affine_map<(a, b, c, d) -> (a, d)>} : memref<?x3x5x16xf32>, vector<4x16xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#l) : vector<4x16xf32>
    vector.transfer_write %1, %y[%i, %c0, %j, %c0, %c1] {permutation_map = affine_map<(a, b, c, d, e) -> (b, d)>} : vector<4x16xf32>, memref<3x?x5x?x2xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
})",
                   {{"launch", launch(32)}}),
              {.shapes = {"arg0=4x3x5x16", "arg1=3x4x5x16x2"}});
}

// Views begin in the middle of an array.
/// More registers than a lane has: loads of %x may come late, those of %y must
/// see what was written before them, and nothing of what is written after.
TEST(PtxKernels, ManyRegistersAreLoadedLate) {
  expectRight(fill(R"(
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [64], outer_tile = [1], thread_tile = [32], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
func.func @k(%x: memref<8192xf32>, %y: memref<8192xf32>, %z: memref<8192xf32>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %x0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<8192xf32>, vector<8192xf32>
  %x1 = iree_vector_ext.to_layout %x0 to layout(#lanes) : vector<8192xf32>
  %y0 = vector.transfer_read %y[%c0], %pad {in_bounds = [true]} : memref<8192xf32>, vector<8192xf32>
  %twice = arith.addf %x1, %x1 : vector<8192xf32>
  vector.transfer_write %twice, %y[%c0] {in_bounds = [true]} : vector<8192xf32>, memref<8192xf32>
  %y1 = vector.transfer_read %y[%c0], %pad {in_bounds = [true]} : memref<8192xf32>, vector<8192xf32>
  %once = arith.subf %y1, %x1 : vector<8192xf32>
  vector.transfer_write %once, %y[%c0] {in_bounds = [true]} : vector<8192xf32>, memref<8192xf32>
  %both = arith.addf %y0, %y1 : vector<8192xf32>
  vector.transfer_write %both, %z[%c0] {in_bounds = [true]} : vector<8192xf32>, memref<8192xf32>
  return
})",
                   {{"launch", launch(32)}}));
}

TEST(PtxKernels, ViewsOfArrays) {
  for (const char *offset : {"0", "1", "2", "8"})
    expectRight(fill(R"(
#l = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [8, 1]>
func.func @k(%x: memref<9x40xf32>, %y: memref<4x16xf32>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = memref.subview %x[3, $O] [4, 16] [1, 1] : memref<9x40xf32> to memref<4x16xf32, strided<[40, 1], offset: $A>>
  %0 = vector.transfer_read %v[%c0, %c0], %pad {in_bounds = [true, true]} : memref<4x16xf32, strided<[40, 1], offset: $A>>, vector<4x16xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#l) : vector<4x16xf32>
  vector.transfer_write %1, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, memref<4x16xf32>
  return
})",
                     {{"launch", launch(32)},
                      {"O", offset},
                      {"A", std::to_string(120 + std::stoi(offset))}}));
}

TEST(PtxKernels, BitsAreBytesInMemory) {
  expectRight(fill(R"(
func.func @k(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<64xi8>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
  %1 = vector.transfer_read %y[%c0], %pad {in_bounds = [true]} : memref<64xi32>, vector<64xi32>
  %l = iree_vector_ext.to_layout %0 to layout($layout) : vector<64xi32>
  %less = arith.cmpi slt, %l, %1 : vector<64xi32>
  %b = arith.extui %less : vector<64xi1> to vector<64xi8>
  vector.transfer_write %b, %z[%c0] {in_bounds = [true]} : vector<64xi8>, memref<64xi8>
  return
})",
                   {{"launch", launch(32)}, {"layout", line(1, 1, 32, 2)}}));
}

TEST(PtxKernels, LanesKnowTheirPlaceInTheGrid) { expectRight(gridIds(32)); }

TEST(PtxKernels, IndexArithmetic) { expectRight(indexArithmetic(32)); }

// Memory has a gap after each, so no two of them are one access; the launch
// allocates the gaps too.
TEST(PtxKernels, IntegersOfNoPowerOfTwoLieApart) {
  for (int width : {4, 12, 24, 40, 48, 56})
    for (int length : {256, 8448})
      expectRight(gappedIntegers(width, length, 32));
}

// examples/reduce_8x64.mlir for 32 lanes.
TEST(PtxKernels, OneRowPerWorkgroupInOneButterfly) {
  std::string kernel = readSource("examples/reduce_8x64.mlir");
  ASSERT_FALSE(kernel.empty());
  for (auto [from, to] :
       {std::pair("subgroup_size = 64", "subgroup_size = 32"),
        std::pair("workgroup_size = [64,", "workgroup_size = [32,"),
        std::pair("thread_tile = [64], element_tile = [1]",
                  "thread_tile = [32], element_tile = [2]")}) {
    size_t at = kernel.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    kernel.replace(at, strlen(from), to);
  }
  expectRight(kernel);
}

class Targets : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(All, Targets, testing::Values("sm_80", "sm_90a"),
                         [](const auto &info) { return info.param; });

TEST_P(Targets, MultiplyOnTheirMmaInstructions) {
  for (auto [in, out] : {std::pair("f16", "f32"), std::pair("bf16", "f32"),
                         std::pair("f16", "f16"), std::pair("f32", "f32")})
    for (std::string k : {"32", "16", "8"})
      expectRight(fill(R"(
func.func @k(%a: tensor<64x$Kx$I>, %b: tensor<$Kx48x$I>) -> tensor<64x48x$O> {
  %zero = arith.constant 0.0 : $O
  %e = tensor.empty() : tensor<64x48x$O>
  %c = linalg.fill ins(%zero : $O) outs(%e : tensor<64x48x$O>) -> tensor<64x48x$O>
  %d = linalg.matmul ins(%a, %b : tensor<64x$Kx$I>, tensor<$Kx48x$I>) outs(%c : tensor<64x48x$O>) -> tensor<64x48x$O>
  return %d : tensor<64x48x$O>
})",
                       {{"K", k}, {"I", in}, {"O", out}}),
                  {.target = GetParam(), .mayBeUndecided = true});
}

TEST_P(Targets, LaunchGridsOfTwoAndThreeDimensions) {
  expectRight(R"(
func.func @k(%a: tensor<3x64x32xf16>, %b: tensor<3x32x48xf16>) -> tensor<3x64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<3x64x48xf32>) -> tensor<3x64x48xf32>
  %d = linalg.batch_matmul ins(%a, %b : tensor<3x64x32xf16>, tensor<3x32x48xf16>) outs(%c : tensor<3x64x48xf32>) -> tensor<3x64x48xf32>
  return %d : tensor<3x64x48xf32>
})",
              {.target = GetParam()});
  expectRight(fill(R"(
func.func @k(%x: memref<2x3x5x64xf32>, %y: memref<2x3x5x64xf32>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i, %j, %k) in (2, 3, 5) {
    %0 = vector.transfer_read %x[%i, %j, %k, %c0], %pad {in_bounds = [true]} : memref<2x3x5x64xf32>, vector<64xf32>
    %1 = iree_vector_ext.to_layout %0 to layout($layout) : vector<64xf32>
    %2 = arith.negf %1 : vector<64xf32>
    vector.transfer_write %2, %y[%i, %j, %k, %c0] {in_bounds = [true]} : vector<64xf32>, memref<2x3x5x64xf32>
  } {mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
  return
})",
                   {{"launch", launch(32)}, {"layout", line(1, 1, 32, 2)}}),
              {.target = GetParam()});
}

TEST_P(Targets, ReturnSeveralResultsInOrder) {
  expectRight(R"(
#id = affine_map<(i, j) -> (i, j)>
func.func @k(%x: tensor<33x20xf32>, %s: f32) -> (tensor<33x20xf32>, tensor<33x20xi32>) {
  %e = tensor.empty() : tensor<33x20xf32>
  %f = tensor.empty() : tensor<33x20xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<33x20xf32>) outs(%e, %f : tensor<33x20xf32>, tensor<33x20xi32>) {
  ^bb0(%v: f32, %o: f32, %p: i32):
    %0 = arith.mulf %v, %s : f32
    %c = arith.constant 1000.0 : f32
    %1 = arith.mulf %v, %c : f32
    %2 = arith.fptosi %1 : f32 to i32
    linalg.yield %0, %2 : f32, i32
  } -> (tensor<33x20xf32>, tensor<33x20xi32>)
  return %r#0, %r#1 : tensor<33x20xf32>, tensor<33x20xi32>
})",
              {.target = GetParam(), .mayBeUndecided = true});
}

TEST_P(Targets, ComputeTranscendentalFunctions) {
  for (std::string op : {"math.exp", "math.exp2", "math.tanh", "math.sqrt",
                         "math.rsqrt", "math.log", "math.absf"})
    for (std::string type : {"f32", "f16"})
      expectRight(
          fill(R"(
#id = affine_map<(i) -> (i)>
func.func @k(%x: tensor<100x$T>) -> tensor<100x$T> {
  %e = tensor.empty() : tensor<100x$T>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<100x$T>) outs(%e : tensor<100x$T>) {
  ^bb0(%v: $T, %o: $T):
    %0 = $op %v : $T
    linalg.yield %0 : $T
  } -> tensor<100x$T>
  return %r : tensor<100x$T>
})",
               {{"op", op}, {"T", type}}),
          {.target = GetParam(),
           .inputs = {"arg0=random:1:0.5:2"},
           // As 1 / sqrt(x) it is rounded twice, by the SIMT machine once.
           .comparesBits = op != "math.rsqrt",
           .mayBeUndecided = true});
}

//===----------------------------------------------------------------------===//
// The oracle's own score: what emission could get wrong is caught.
//===----------------------------------------------------------------------===//

void expectCaught(const std::string &kernel,
                  std::function<void(std::string &)> plant,
                  llvm::StringRef message = "") {
  KernelOptions options;
  options.change = std::move(plant);
  std::string said = checkKernel(kernel, options);
  EXPECT_FALSE(said.empty());
  EXPECT_NE(said.find(message.str()), std::string::npos) << said;
}

/// Replaces the first `from`, which must be there.
void replaceFirst(std::string &text, llvm::StringRef from, llvm::StringRef to) {
  size_t at = text.find(from.str());
  ASSERT_NE(at, std::string::npos) << from.str() << " is not in\n" << text;
  text.replace(at, from.size(), to.str());
}

/// Swaps the first two registers of the operand on that line of the first mma.
void swapRegisters(std::string &ptx, int line) {
  size_t at = ptx.find("mma.sync");
  for (int i = 0; i < line; ++i)
    at = ptx.find('\n', at) + 1;
  size_t begin = ptx.find('{', at) + 1, comma = ptx.find(", ", begin);
  size_t end = ptx.find_first_of(",}", comma + 1);
  std::string first = ptx.substr(begin, comma - begin);
  std::string second = ptx.substr(comma + 2, end - comma - 2);
  ptx.replace(begin, end - begin, second + ", " + first);
}

TEST(PlantedBugs, SwappedMmaRegistersAreCaught) {
  for (int operand : {1, 2, 3, 4})
    expectCaught(
        readSource("examples/contract_mma_sync.mlir"),
        [=](std::string &ptx) { swapRegisters(ptx, operand); }, "expected");
}

TEST(PlantedBugs, DroppedBarriersAreCaught) {
  auto drop = [](std::string &ptx) { replaceFirst(ptx, "bar.sync", "//"); };
  expectCaught(reduction("f32", lines[3], "add"), drop, "shared");
  expectCaught(conversion("f16", false), drop);
  expectCaught(conversion("f16", true), drop);
}

TEST(PlantedBugs, WrongShufflesAreCaught) {
  for (const char *wrong : {", 2, 31, -1;", ", 4, 3, -1;", ", 4, 31, 255;"})
    expectCaught(reduction("f32", lines[0], "add"), [=](std::string &ptx) {
      replaceFirst(ptx, ", 4, 31, -1;", wrong);
    });
}

TEST(PlantedBugs, WrongPaddingAndSwizzleAreCaught) {
  expectCaught(conversion("f32", false), [](std::string &ptx) {
    replaceFirst(ptx, ", 160, ", ", 144, ");
  });
  expectCaught(conversion("f32", true), [](std::string &ptx) {
    replaceFirst(ptx, "xor.b64", "or.b64");
  });
}

TEST(PlantedBugs, MisalignedAndWideAccessesAreCaught) {
  expectCaught(
      conversion("f32", false),
      [](std::string &ptx) { replaceFirst(ptx, "+32]", "+36]"); },
      "misaligned");
  expectCaught(
      conversion("f32", true),
      [](std::string &ptx) { replaceFirst(ptx, "+512]", "+2048]"); },
      "out of bounds");
}

} // namespace
