//===- SpecifiedLayoutsTest.cpp - The choice against known good layouts ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four examples of the specification's 9.3 with the layouts listed there as
// anchors, and with the anchors taken away: what is chosen freely may be
// something else, but never dearer (VX-54, 109).
//
//===----------------------------------------------------------------------===//
#include "Parsing.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Target/Target.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

/// A layout by its tiles S, B, O, T, E and its strides, each list as in IR.
std::string alias(const char *name, const char *subgroup, const char *batch,
                  const char *outer, const char *thread, const char *element,
                  const char *subgroupStrides, const char *threadStrides) {
  auto field = [](const char *key, const char *list) {
    return std::string(key) + " = [" + list + "]";
  };
  return "#" + std::string(name) + " = #iree_vector_ext.nested_layout<" +
         field("subgroup_tile", subgroup) + ", " + field("batch_tile", batch) +
         ", " + field("outer_tile", outer) + ", " +
         field("thread_tile", thread) + ", " + field("element_tile", element) +
         ", " + field("subgroup_strides", subgroupStrides) + ", " +
         field("thread_strides", threadStrides) + ">\n";
}

std::string maps() {
  return "#mk = affine_map<(m, n, k) -> (m, k)>\n"
         "#nk = affine_map<(m, n, k) -> (n, k)>\n"
         "#mn = affine_map<(m, n, k) -> (m, n)>\n"
         "#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>\n";
}

struct Costs {
  int64_t anchored = -1, free = -1;
};

/// The cost of the choice for `text` as it is and without its to_layout ops.
Costs costsOf(StringRef text, StringRef target, HardwareShape hardware) {
  Costs costs;
  for (int64_t *cost : {&costs.anchored, &costs.free}) {
    Kernel kernel(text);
    EXPECT_TRUE(kernel.module) << kernel.messages;
    if (!kernel.module)
      return costs;
    if (cost == &costs.free)
      kernel.function.walk([](vector_ext::ToLayoutOp op) {
        op.replaceAllUsesWith(op.getInput());
        op.erase();
      });
    FailureOr<LayoutChoice> choice =
        chooseLayouts(kernel.function, *lookupTarget(target), hardware);
    EXPECT_TRUE(succeeded(choice)) << kernel.messages;
    if (failed(choice))
      return costs;
    *cost = choice->cost;
  }
  return costs;
}

void expectFreeIsNotDearer(StringRef text, StringRef target,
                           HardwareShape hardware) {
  Costs costs = costsOf(text, target, hardware);
  EXPECT_GT(costs.free, 0);
  EXPECT_LE(costs.free, costs.anchored);
}

TEST(SpecifiedLayouts, ASumOverRows) {
  std::string text = alias("x", "1", "1", "1", "64", "1", "0", "1") + R"(
func.func @sum(%x: memref<8x64xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %1 = iree_vector_ext.to_layout %0 to layout(#x) : vector<64xf32>
    %2 = vector.multi_reduction <add>, %1, %zero [0] : vector<64xf32> to f32
    %3 = vector.broadcast %2 : f32 to vector<1xf32>
    vector.transfer_write %3, %out[%i] {in_bounds = [true]} : vector<1xf32>, memref<8xf32>
  }
  return
})";
  expectFreeIsNotDearer(text, "gfx942", {1, 64});
}

TEST(SpecifiedLayouts, AProductOfHalves) {
  std::string text =
      maps() +
      alias("copy", "4, 1", "4, 1", "1, 1", "8, 4", "1, 8", "1, 0", "4, 1") +
      alias("lhs", "2, 1", "4, 2", "2, 2", "8, 4", "1, 2", "2, 0", "4, 1") +
      alias("rhs", "2, 1", "8, 2", "1, 2", "8, 4", "1, 2", "1, 0", "4, 1") +
      alias("acc", "2, 2", "4, 8", "2, 1", "8, 4", "1, 2", "2, 1", "4, 1") +
      R"(
func.func @product(%a: memref<128x1024xf16>, %b: memref<128x1024xf16>, %out: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %h = arith.constant 0.0 : f16
  %none = arith.constant dense<0.0> : vector<128x128xf32>
  %sum = scf.for %k = %c0 to %c1024 step %c32 iter_args(%acc = %none) -> (vector<128x128xf32>) {
    %0 = vector.transfer_read %a[%c0, %k], %h {in_bounds = [true, true]} : memref<128x1024xf16>, vector<128x32xf16>
    %1 = iree_vector_ext.to_layout %0 to layout(#copy) : vector<128x32xf16>
    %2 = iree_vector_ext.to_layout %1 to layout(#lhs) {mma_kind = #kind, shared_memory_conversion} : vector<128x32xf16>
    %3 = vector.transfer_read %b[%c0, %k], %h {in_bounds = [true, true]} : memref<128x1024xf16>, vector<128x32xf16>
    %4 = iree_vector_ext.to_layout %3 to layout(#copy) : vector<128x32xf16>
    %5 = iree_vector_ext.to_layout %4 to layout(#rhs) {mma_kind = #kind, shared_memory_conversion} : vector<128x32xf16>
    %6 = iree_vector_ext.to_layout %acc to layout(#acc) {mma_kind = #kind} : vector<128x128xf32>
    %7 = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %2, %5, %6 : vector<128x32xf16>, vector<128x32xf16> into vector<128x128xf32>
    scf.yield %7 : vector<128x128xf32>
  }
  vector.transfer_write %sum, %out[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32>
  return
})";
  expectFreeIsNotDearer(text, "sm_80", {4, 32});
}

/// Softmax of `rows` rows of 1024.
std::string softmax(const std::string &layout, int64_t rows) {
  std::string x = "vector<" + std::to_string(rows) + "x1024xf32>",
              v = "vector<" + std::to_string(rows) + "xf32>",
              m = "memref<" + std::to_string(rows) + "x1024xf32>",
              t = "vector<1024x" + std::to_string(rows) + "xf32>";
  return layout + "func.func @softmax(%x: " + m + ", %out: " + m + R"() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant dense<0xFF800000> : )" +
         v + "\n  %none = arith.constant dense<-0.0> : " + v + R"(
  %0 = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : )" +
         m + ", " + x + R"(
  %1 = iree_vector_ext.to_layout %0 to layout(#x) : )" +
         x + R"(
  %2 = vector.multi_reduction <maximumf>, %1, %least [1] : )" +
         x + " to " + v + R"(
  %3 = vector.broadcast %2 : )" +
         v + " to " + t + R"(
  %4 = vector.transpose %3, [1, 0] : )" +
         t + " to " + x + R"(
  %5 = arith.subf %1, %4 : )" +
         x + R"(
  %6 = math.exp %5 : )" +
         x + R"(
  %7 = vector.multi_reduction <add>, %6, %none [1] : )" +
         x + " to " + v + R"(
  %8 = vector.broadcast %7 : )" +
         v + " to " + t + R"(
  %9 = vector.transpose %8, [1, 0] : )" +
         t + " to " + x + R"(
  %10 = arith.divf %6, %9 : )" +
         x + R"(
  vector.transfer_write %10, %out[%c0, %c0] {in_bounds = [true, true]} : )" +
         x + ", " + m + R"(
  return
})";
}

// One row over all subgroups: buffers and barriers, few registers.
TEST(SpecifiedLayouts, SoftmaxOfARowOverTheWorkgroup) {
  expectFreeIsNotDearer(softmax(alias("x", "1, 4", "1, 2", "1, 1", "1, 32",
                                      "1, 4", "0, 1", "0, 1"),
                                1),
                        "sm_80", {4, 32});
}

// A row per subgroup: no buffer and no barrier.
TEST(SpecifiedLayouts, SoftmaxOfARowPerSubgroup) {
  std::string text = softmax(
      alias("x", "4, 1", "1, 8", "1, 1", "1, 32", "1, 4", "1, 0", "0, 1"), 4);
  expectFreeIsNotDearer(text, "sm_80", {4, 32});
}

TEST(SpecifiedLayouts, Attention) {
  std::string text =
      maps() + "#nm = affine_map<(d0, d1) -> (d1, d0)>\n" +
      alias("q", "2, 1", "1, 4", "2, 2", "8, 4", "1, 2", "1, 0", "4, 1") +
      alias("key", "1, 1", "16, 4", "1, 2", "8, 4", "1, 2", "0, 0", "4, 1") +
      alias("s", "2, 1", "1, 16", "2, 1", "8, 4", "1, 2", "1, 0", "4, 1") +
      alias("p", "2, 1", "1, 8", "2, 2", "8, 4", "1, 2", "1, 0", "4, 1") +
      alias("v", "1, 1", "8, 8", "1, 2", "8, 4", "1, 2", "0, 0", "4, 1") +
      alias("o", "2, 1", "1, 8", "2, 1", "8, 4", "1, 2", "1, 0", "4, 1") +
      R"(
#W = #gpu.address_space<workgroup>
func.func @attention(%q: memref<32x64xf16, #W>, %k: memref<128x64xf16, #W>, %v: memref<128x64xf16, #W>, %out: memref<32x64xf16, #W>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %h = arith.constant 0.0 : f16
  %none = arith.constant dense<0.0> : vector<32x128xf32>
  %least = arith.constant dense<0xFF800000> : vector<32xf32>
  %nothing = arith.constant dense<0.0> : vector<32xf32>
  %start = arith.constant dense<0.0> : vector<32x64xf32>
  %q0 = vector.transfer_read %q[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x64xf16, #W>, vector<32x64xf16>
  %q1 = iree_vector_ext.to_layout %q0 to layout(#q) {mma_kind = #kind} : vector<32x64xf16>
  %r:3 = scf.for %i = %c0 to %c32 step %c1 iter_args(%m = %least, %l = %nothing, %o = %start) -> (vector<32xf32>, vector<32xf32>, vector<32x64xf32>) {
    %k0 = vector.transfer_read %k[%c0, %c0], %h {in_bounds = [true, true]} : memref<128x64xf16, #W>, vector<128x64xf16>
    %k1 = iree_vector_ext.to_layout %k0 to layout(#key) {mma_kind = #kind} : vector<128x64xf16>
    %s0 = iree_vector_ext.to_layout %none to layout(#s) {mma_kind = #kind} : vector<32x128xf32>
    %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %q1, %k1, %s0 : vector<32x64xf16>, vector<128x64xf16> into vector<32x128xf32>
    %m1 = vector.multi_reduction <maximumf>, %s, %m [1] : vector<32x128xf32> to vector<32xf32>
    %b0 = vector.broadcast %m1 : vector<32xf32> to vector<128x32xf32>
    %b1 = vector.transpose %b0, [1, 0] : vector<128x32xf32> to vector<32x128xf32>
    %d = arith.subf %s, %b1 : vector<32x128xf32>
    %e = math.exp2 %d : vector<32x128xf32>
    %f = arith.subf %m, %m1 : vector<32xf32>
    %g = math.exp2 %f : vector<32xf32>
    %l0 = arith.mulf %g, %l : vector<32xf32>
    %l1 = vector.multi_reduction <add>, %e, %l0 [1] : vector<32x128xf32> to vector<32xf32>
    %p = arith.truncf %e : vector<32x128xf32> to vector<32x128xf16>
    %p1 = iree_vector_ext.to_layout %p to layout(#p) {mma_kind = #kind} : vector<32x128xf16>
    %v0 = vector.transfer_read %v[%c0, %c0], %h {in_bounds = [true, true], permutation_map = #nm} : memref<128x64xf16, #W>, vector<64x128xf16>
    %v1 = iree_vector_ext.to_layout %v0 to layout(#v) {mma_kind = #kind} : vector<64x128xf16>
    %b2 = vector.broadcast %g : vector<32xf32> to vector<64x32xf32>
    %b3 = vector.transpose %b2, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
    %o0 = arith.mulf %b3, %o : vector<32x64xf32>
    %o1 = iree_vector_ext.to_layout %o0 to layout(#o) {mma_kind = #kind} : vector<32x64xf32>
    %o2 = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %p1, %v1, %o1 : vector<32x128xf16>, vector<64x128xf16> into vector<32x64xf32>
    scf.yield %m1, %l1, %o2 : vector<32xf32>, vector<32xf32>, vector<32x64xf32>
  }
  %t = arith.truncf %r#2 : vector<32x64xf32> to vector<32x64xf16>
  vector.transfer_write %t, %out[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<32x64xf16, #W>
  return
})";
  expectFreeIsNotDearer(text, "sm_80", {2, 32});
}

} // namespace
