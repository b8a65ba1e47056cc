//===- GcnKernelsTest.cpp - Kernels for AMD GPUs as LLVM IR ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PtxKernelsTest.cpp is for PTX: the IR that becomes GCN is run and
// compared with the SIMT machine and with float64.
//
//===----------------------------------------------------------------------===//
#include "KernelText.h"
#include "PtxKernel.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace distaff;
using namespace distaff::ptx_test;

namespace {

void expectRight(const std::string &kernel, KernelOptions options = {}) {
  options.target = "gfx942";
  EXPECT_EQ(checkKernel(kernel, options), "") << kernel;
}

std::string product(const std::string &m, const std::string &n,
                    const std::string &k, const std::string &type) {
  return fill(R"(
func.func @k(%a: tensor<$Mx$Kx$T>, %b: tensor<$Kx$Nx$T>) -> tensor<$Mx$Nxf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<$Mx$Nxf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<$Mx$Nxf32>) -> tensor<$Mx$Nxf32>
  %d = linalg.matmul ins(%a, %b : tensor<$Mx$Kx$T>, tensor<$Kx$Nx$T>) outs(%c : tensor<$Mx$Nxf32>) -> tensor<$Mx$Nxf32>
  return %d : tensor<$Mx$Nxf32>
})",
              {{"M", m}, {"N", n}, {"K", k}, {"T", type}});
}

// Whole numbers, so that every order of the sums is right to the bit.
const std::vector<std::string> whole = {"arg0=whole:1:-8:8",
                                        "arg1=whole:2:-8:8"};

TEST(GcnKernels, MultiplyOnTheirMmaInstructions) {
  for (const char *type : {"f16", "bf16"})
    for (auto [m, n, k] : {std::tuple("32", "32", "8"),
                           {"16", "16", "16"},
                           {"64", "32", "24"},
                           {"16", "48", "32"}})
      expectRight(product(m, n, k, type), {.inputs = whole});
}

TEST(GcnKernels, TransposedProductsSwapTheirOperands) {
  for (auto [name, acc] : {std::pair("MFMA_F32_16x16x16_", "4x1"),
                           std::pair("MFMA_F32_32x32x8_", "16x1")})
    for (const char *type : {"f16", "bf16"})
      expectRight(
          transposedProduct(name + std::string(*type == 'f' ? "F16" : "BF16"),
                            64, "4x1", "1x4", acc, type),
          {.inputs = whole, .mayBeUndecided = true});
}

TEST(GcnKernels, IdsOfWorkgroupsOfOneToThreeDimensions) {
  for (const char *size :
       {"192, 1, 1", "16, 12, 1", "4, 3, 16", "1, 5, 64", "2, 40, 4"})
    expectRight(idsKernel(size, 64));
}

TEST(GcnKernels, PrivateMemoryIsIndexed) { expectRight(privateKernel(64)); }

TEST(GcnKernels, NotANumberSurvivesExp) {
  for (const char *op : {"math.exp", "math.exp2"})
    expectRight(nanAfter(op, 64));
}

std::string reduction(int subgroups, int lanes, int elements,
                      const std::string &type) {
  return fill(
      R"(
func.func @k(%x: memref<$Nx$T>, %acc: $T, %y: memref<$T>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant $zero : $T
  %0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<$Nx$T>, vector<$Nx$T>
  %1 = iree_vector_ext.to_layout %0 to layout($layout) : vector<$Nx$T>
  %2 = vector.multi_reduction <add>, %1, %acc [0] : vector<$Nx$T> to $T
  %3 = vector.broadcast %2 : $T to vector<$T>
  vector.transfer_write %3, %y[] : vector<$T>, memref<$T>
  return
})",
      {{"launch", launch(64 * subgroups, 64)},
       {"layout", line(subgroups, 1, lanes, elements)},
       {"zero", zeroOf(type)},
       {"N", std::to_string(subgroups * lanes * elements)},
       {"T", type}});
}

TEST(GcnKernels, ReduceOverLanesAndSubgroups) {
  for (const char *type : {"f32", "f16", "i64", "i8"})
    for (auto [subgroups, lanes] :
         {std::pair(1, 64), {2, 64}, {3, 64}, {1, 5}, {2, 48}})
      expectRight(
          reduction(subgroups, lanes, 2, type),
          {.inputs = {*type == 'f' ? "arg0=whole:3:-4:4" : "arg0=random:3"},
           .mayBeUndecided = true});
}

std::string conversion(const std::string &type) {
  return fill(
      R"(
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [8, 8], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [8, 1]>
#tiles = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 2], subgroup_strides = [0, 1], thread_strides = [4, 1]>
func.func @k(%x: memref<32x32x$T>, %y: memref<32x32x$T>) $launch {
  %c0 = arith.constant 0 : index
  %pad = arith.constant $zero : $T
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32x$T>, vector<32x32x$T>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<32x32x$T>
  %2 = iree_vector_ext.to_layout %1 to layout(#tiles) {shared_memory_conversion} : vector<32x32x$T>
  vector.transfer_write %2, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32x$T>, memref<32x32x$T>
  return
})",
      {{"launch", launch(128, 64)}, {"zero", zeroOf(type)}, {"T", type}});
}

TEST(GcnKernels, ConvertLayoutsThroughWorkgroupMemory) {
  for (const char *type : {"f32", "f16", "i8", "f64"})
    expectRight(conversion(type));
}

TEST(GcnKernels, LanesKnowTheirPlaceInTheGrid) { expectRight(gridIds(64)); }

TEST(GcnKernels, IndexArithmetic) { expectRight(indexArithmetic(64)); }

TEST(GcnKernels, IntegersOfNoPowerOfTwoLieApart) {
  for (int width : {24, 48})
    expectRight(gappedIntegers(width, 512, 64));
}

TEST(GcnKernels, ReadAndWriteBehindMasksWithDynamicExtents) {
  expectRight(fill(R"(
#l = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 8], element_tile = [2, 4], subgroup_strides = [0, 0], thread_strides = [8, 1]>
func.func @k(%x: memref<?x3x?xf32>, %m: index, %n: index, %s: f16, %y: memref<16x?xf32>) $launch {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %pad = arith.extf %s : f16 to f32
  %mask = vector.create_mask %m, %n : vector<16x32xi1>
  scf.forall (%i) in (3) {
    %0 = vector.transfer_read %x[%c0, %i, %c2], %pad, %mask {permutation_map = affine_map<(a, b, c) -> (a, c)>} : memref<?x3x?xf32>, vector<16x32xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#l) : vector<16x32xf32>
    %k = arith.muli %i, %n : index
    vector.transfer_write %1, %y[%c0, %k], %mask : vector<16x32xf32>, memref<16x?xf32>
  } {mapping = [#gpu.block<y>]}
  return
})",
                   {{"launch", launch(64, 64)}}),
              {.inputs = {"arg1=11", "arg2=19", "arg3=0.5"},
               .shapes = {"arg0=13x3x27", "arg4=16x64"}});
}

/// A product of extents that the run decides.
std::string dynamicProduct(const std::string &type) {
  return fill(R"(
func.func @k(%a: tensor<?x?x$T>, %b: tensor<?x?x$T>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?x$T>
  %n = tensor.dim %b, %c1 : tensor<?x?x$T>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x?x$T>, tensor<?x?x$T>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
})",
              {{"T", type}});
}

KernelOptions ofExtents(int m, int n, int k) {
  auto extents = [](int rows, int columns) {
    return std::to_string(rows) + "x" + std::to_string(columns);
  };
  return {.inputs = whole,
          .shapes = {"arg0=" + extents(m, k), "arg1=" + extents(k, n)}};
}

// VX-289, VX-290: lanes read several elements of rows that begin anywhere, the
// ends of rows one by one, and store edges by a loop over registers.
TEST(GcnKernels, MultiplyRowsThatBeginAnywhere) {
  for (const char *type : {"f16", "bf16"})
    for (auto [m, n, k] : {std::tuple(1, 1, 1),
                           {3, 2, 1},
                           {37, 45, 39},
                           {128, 128, 33},
                           {130, 131, 40},
                           {129, 3, 70}})
      expectRight(dynamicProduct(type), ofExtents(m, n, k));
}

//===----------------------------------------------------------------------===//
// The machine's own score
//===----------------------------------------------------------------------===//

void expectCaught(const std::string &kernel, const char *from, const char *to,
                  const char *message, KernelOptions options = {}) {
  options.target = "gfx942";
  options.change = [=](std::string &text) {
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " is not in\n" << text;
    text.replace(at, strlen(from), to);
  };
  std::string said = checkKernel(kernel, options);
  EXPECT_NE(said.find(message), std::string::npos) << said;
  EXPECT_NE(said, "");
}

TEST(GcnPlantedBugs, AreCaught) {
  expectCaught(conversion("f32"), "call void @llvm.amdgcn.s.barrier()", "",
               "unwritten");
  expectCaught(conversion("f32"), "addrspace(1) align 16",
               "addrspace(1) align 32", "misaligned");
  expectCaught(privateKernel(64), ", addrspace(5)", "", "");
  expectCaught(reduction(1, 64, 2, "i8"), "= xor i32", "= and i32", "");
}

TEST(GcnPlantedBugs, PromisedAlignmentIsCaught) {
  KernelOptions options = ofExtents(130, 131, 39);
  options.target = "gfx942";
  options.change = [](std::string &text) {
    const std::string unaligned = "align 2\n";
    for (size_t at = 0; (at = text.find(unaligned, at)) != text.npos;)
      text.replace(at, unaligned.size(), "align 16\n");
  };
  std::string said = checkKernel(dynamicProduct("f16"), options);
  EXPECT_NE(said.find("misaligned"), std::string::npos) << said;
}

TEST(GcnPlantedBugs, SwappedMfmaOperandsAreCaught) {
  KernelOptions options;
  options.target = "gfx942";
  options.inputs = whole;
  options.change = [](std::string &text) {
    size_t at = text.find("call <4 x float> @llvm.amdgcn.mfma");
    size_t begin = text.find('(', at) + 1, comma = text.find(", <", begin);
    size_t end = text.find(", <", comma + 2);
    ASSERT_NE(end, std::string::npos);
    std::string a = text.substr(begin, comma - begin);
    std::string b = text.substr(comma + 2, end - comma - 2);
    text.replace(begin, end - begin, b + ", " + a);
  };
  EXPECT_NE(checkKernel(product("16", "16", "16", "f16"), options), "");
}

} // namespace
