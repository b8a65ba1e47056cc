//===- VectorOpsTest.cpp - Values of vector operations --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole kernels on small data with answers worked out by hand. Functions whose
// body only uses vectors; memory and masks are in VectorMemoryTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff::simt;
using distaff::simt::kernel_test::array;
using distaff::simt::kernel_test::Values;
using distaff::simt::kernel_test::valuesOf;

namespace {

constexpr double inf = HUGE_VAL;
const double nan = std::nan("");

TEST(VectorOps, MovementOfElements) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%v: vector<2x3xf32>) -> vector<2x2xf32> {
      %t = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
      %s = vector.shuffle %t, %t [2, 4] : vector<3x2xf32>, vector<3x2xf32>
      return %s : vector<2x2xf32>
    })",
                     {array("f32", {2, 3}, {0, 1, 2, 3, 4, 5})}),
            (Values{2, 5, 1, 4}));
}

TEST(VectorOps, DynamicPositions) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%v: vector<2x3xi32>, %i: index) -> vector<2x3xi32> {
      %row = vector.extract %v[%i] : vector<3xi32> from vector<2x3xi32>
      %e = vector.extract %row[%i] : i32 from vector<3xi32>
      %c0 = arith.constant 0 : index
      %r = vector.insert %e, %v [%c0, %i] : i32 into vector<2x3xi32>
      return %r : vector<2x3xi32>
    })",
                     {array("i32", {2, 3}, {0, 1, 2, 3, 4, 5}),
                      array("index", {}, {1})}),
            (Values{0, 4, 2, 3, 4, 5}));
}

TEST(VectorOps, BitcastChangesWidths) {
  // Little-endian: the low half comes first.
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%v: vector<2xi32>) -> vector<4xi16> {
      %r = vector.bitcast %v : vector<2xi32> to vector<4xi16>
      return %r : vector<4xi16>
    })",
                     {array("i32", {2}, {0x00020001, -1})}),
            (Values{1, 2, -1, -1}));
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%v: vector<4xi8>) -> vector<1xf32> {
      %r = vector.bitcast %v : vector<4xi8> to vector<1xf32>
      return %r : vector<1xf32>
    })",
                     {array("i8", {4}, {0, 0, -128, 63})}),
            (Values{1}));
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%v: vector<8xi1>) -> vector<1xi8> {
      %r = vector.bitcast %v : vector<8xi1> to vector<1xi8>
      return %r : vector<1xi8>
    })",
                     {array("i1", {8}, {1, 0, 1, 0, 0, 0, 0, 0})}),
            (Values{5}));
}

TEST(VectorOps, StepAndMasks) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f() -> vector<4xindex> {
      %r = vector.step : vector<4xindex>
      return %r : vector<4xindex>
    })",
                     {}),
            (Values{0, 1, 2, 3}));
  // Bounds below zero and beyond the extent are clamped.
  std::string mask = R"(
    func.func @f(%m: index, %n: index) -> vector<2x3xi1> {
      %r = vector.create_mask %m, %n : vector<2x3xi1>
      return %r : vector<2x3xi1>
    })";
  auto masked = [&](double m, double n) {
    return valuesOf(mask, {array("index", {}, {m}), array("index", {}, {n})});
  };
  EXPECT_EQ(masked(1, 2), (Values{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(masked(99, 1), (Values{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(masked(-1, 3), (Values{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(valuesOf(R"(
    func.func @f() -> vector<2x2xi1> {
      %r = vector.constant_mask [2, 1] : vector<2x2xi1>
      return %r : vector<2x2xi1>
    })",
                     {}),
            (Values{1, 0, 1, 0}));
}

Values reduced(std::string kind, std::string type, Values values, double init) {
  std::string vector =
      "vector<" + std::to_string(values.size()) + "x" + type + ">";
  std::string source = "func.func @f(%v: " + vector + ", %a: " + type +
                       ") -> " + type + " { %r = vector.multi_reduction <" +
                       kind + ">, %v, %a [0] : " + vector + " to " + type +
                       " return %r : " + type + " }";
  return valuesOf(source, {array(type, {int64_t(values.size())}, values),
                           array(type, {}, {init})});
}

TEST(VectorOps, ReductionsOfEveryKind) {
  for (const char *type : {"i8", "i16", "i32", "i64", "index"}) {
    EXPECT_EQ(reduced("add", type, {1, 2, 3}, 4), (Values{10})) << type;
    EXPECT_EQ(reduced("mul", type, {1, 2, 3}, 4), (Values{24})) << type;
    EXPECT_EQ(reduced("minsi", type, {5, 5, -7}, 5), (Values{-7})) << type;
    EXPECT_EQ(reduced("maxsi", type, {5, 5, -7}, 5), (Values{5})) << type;
    EXPECT_EQ(reduced("minui", type, {5, 5, -7}, 5), (Values{5})) << type;
    EXPECT_EQ(reduced("maxui", type, {5, 5, -7}, 5), (Values{-7})) << type;
    EXPECT_EQ(reduced("and", type, {7, 6}, -1), (Values{6})) << type;
    EXPECT_EQ(reduced("or", type, {1, 6}, 0), (Values{7})) << type;
    EXPECT_EQ(reduced("xor", type, {1, 3}, 8), (Values{10})) << type;
  }
  EXPECT_EQ(reduced("add", "i8", {100, 100}, 0), (Values{-56}));
  for (const char *type : {"f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"}) {
    EXPECT_EQ(reduced("add", type, {1, 2, 3}, 4), (Values{10})) << type;
    EXPECT_EQ(reduced("mul", type, {1, 2, 3}, 4), (Values{24})) << type;
    EXPECT_EQ(reduced("minimumf", type, {1, -2, 3}, 4), (Values{-2})) << type;
    EXPECT_EQ(reduced("maximumf", type, {1, -2, 3}, 2), (Values{3})) << type;
    EXPECT_EQ(reduced("minnumf", type, {nan, -2, 3}, 4), (Values{-2})) << type;
    EXPECT_EQ(reduced("maxnumf", type, {nan, -2, 3}, nan), (Values{3})) << type;
    EXPECT_TRUE(std::isnan(reduced("maximumf", type, {nan, 1}, 0)[0])) << type;
    EXPECT_TRUE(std::isnan(reduced("maxnumf", type, {nan, nan}, nan)[0]))
        << type;
    EXPECT_TRUE(std::signbit(reduced("add", type, {-0.0, -0.0}, -0.0)[0]))
        << type;
    EXPECT_TRUE(std::signbit(reduced("minimumf", type, {0.0, -0.0}, 0.0)[0]))
        << type;
  }
  // Sums round after every step: 2048 + 1 stays 2048 in f16.
  EXPECT_EQ(reduced("add", "f16", {1, 1, 1}, 2048), (Values{2048}));
  EXPECT_EQ(reduced("add", "f16", {65504, 65504}, 0), (Values{inf}));
}

TEST(VectorOps, ReductionOfInnerAndOuterDimensions) {
  Values values = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(
      valuesOf(R"(
    func.func @f(%v: vector<2x3xf32>, %a: vector<3xf32>) -> vector<3xf32> {
      %r = vector.multi_reduction <add>, %v, %a [0] : vector<2x3xf32> to vector<3xf32>
      return %r : vector<3xf32>
    })",
               {array("f32", {2, 3}, values), array("f32", {3}, {10, 20, 30})}),
      (Values{15, 27, 39}));
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%v: vector<2x3xf32>) -> f32 {
      %z = arith.constant 0.5 : f32
      %r = vector.multi_reduction <maxnumf>, %v, %z [0, 1] : vector<2x3xf32> to f32
      %w = vector.shape_cast %v : vector<2x3xf32> to vector<6xf32>
      %p = vector.reduction <add>, %w : vector<6xf32> into f32
      %s = vector.reduction <add>, %w, %p : vector<6xf32> into f32
      %t = arith.addf %r, %s : f32
      return %t : f32
    })",
                     {array("f32", {2, 3}, values)}),
            (Values{48}));
}

TEST(VectorOps, MaskedReductionsSkipInactiveElements) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%v: vector<2x3xf32>, %m: vector<2x3xi1>, %a: vector<2xf32>) -> vector<2xf32> {
      %r = vector.mask %m { vector.multi_reduction <minimumf>, %v, %a [1] : vector<2x3xf32> to vector<2xf32> } : vector<2x3xi1> -> vector<2xf32>
      return %r : vector<2xf32>
    })",
                     {array("f32", {2, 3}, {nan, 5, 3, 1, 2, 3}),
                      array("i1", {2, 3}, {0, 1, 1, 0, 0, 0}),
                      array("f32", {2}, {4, 9})}),
            (Values{3, 9}));
}

TEST(VectorOps, AFullyMaskedReductionIsItsAccumulator) {
  // Bit for bit: the identity of every kind and type changes nothing.
  auto masked = [](std::string kind, std::string type, double init) {
    std::string vector = "vector<2x" + type + ">";
    std::string source =
        "func.func @f(%v: " + vector + ", %m: vector<2xi1>, %a: " + type +
        ") -> " + type + " { %r = vector.mask %m { vector.multi_reduction <" +
        kind + ">, %v, %a [0] : " + vector + " to " + type +
        " } : vector<2xi1> -> " + type + " return %r : " + type + " }";
    return valuesOf(source, {array(type, {2}, {1, 1}), array("i1", {2}, {0, 0}),
                             array(type, {}, {init})})[0];
  };
  for (const char *kind :
       {"add", "mul", "minsi", "maxsi", "minui", "maxui", "and", "or", "xor"})
    for (const char *type : {"i8", "i16", "i32", "i64"})
      for (double init : {-128.0, -1.0, 0.0, 5.0, 127.0})
        EXPECT_EQ(masked(kind, type, init), init) << kind << " " << type;
  for (const char *kind :
       {"add", "mul", "minimumf", "maximumf", "minnumf", "maxnumf"})
    for (const char *type : {"f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"})
      for (double init : {-448.0, -0.0, 0.0, 1.5, 448.0}) {
        double got = masked(kind, type, init);
        EXPECT_EQ(got, init) << kind << " " << type;
        EXPECT_EQ(std::signbit(got), std::signbit(init)) << kind << " " << type;
      }
}

TEST(VectorOps, ContractionsOfEveryKind) {
  auto contracted = [](std::string kind) {
    return valuesOf(R"(
      #A = affine_map<(m, n, k) -> (m, k)>
      #B = affine_map<(m, n, k) -> (k, n)>
      #C = affine_map<(m, n, k) -> (m, n)>
      func.func @f(%a: vector<2x2xf32>, %b: vector<2x3xf32>, %c: vector<2x3xf32>) -> vector<2x3xf32> {
        %r = vector.contract {indexing_maps = [#A, #B, #C], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<)" +
                        kind + R"(>}
          %a, %b, %c : vector<2x2xf32>, vector<2x3xf32> into vector<2x3xf32>
        return %r : vector<2x3xf32>
      })",
                    {array("f32", {2, 2}, {1, 2, 3, 4}),
                     array("f32", {2, 3}, {1, 2, 3, 4, 5, 6}),
                     array("f32", {2, 3}, {1, 1, 1, 20, 20, 20})});
  };
  EXPECT_EQ(contracted("add"), (Values{10, 13, 16, 39, 46, 53}));
  EXPECT_EQ(contracted("maximumf"), (Values{8, 10, 12, 20, 20, 24}));
  EXPECT_EQ(contracted("minnumf"), (Values{1, 1, 1, 3, 6, 9}));
  EXPECT_EQ(contracted("mul"), (Values{8, 20, 36, 960, 2400, 4320}));
}

TEST(VectorOps, ContractionToAScalarAndWithMixedTypes) {
  EXPECT_EQ(
      valuesOf(R"(
    #v = affine_map<(k) -> (k)>
    #s = affine_map<(k) -> ()>
    func.func @f(%a: vector<3xf16>, %b: vector<3xf16>, %c: f32) -> f32 {
      %r = vector.contract {indexing_maps = [#v, #v, #s], iterator_types = ["reduction"], kind = #vector.kind<add>}
        %a, %b, %c : vector<3xf16>, vector<3xf16> into f32
      return %r : f32
    })",
               {array("f16", {3}, {2048, 1, 2}),
                array("f16", {3}, {2048, 1, 3}), array("f32", {}, {0.5})}),
      (Values{4194304 + 7.5}));
  // W20: integers wrap; operands are signed.
  EXPECT_EQ(
      valuesOf(R"(
    #v = affine_map<(k) -> (k)>
    #s = affine_map<(k) -> ()>
    func.func @f(%a: vector<2xi8>, %b: vector<2xi8>, %c: i32) -> i32 {
      %r = vector.contract {indexing_maps = [#v, #v, #s], iterator_types = ["reduction"], kind = #vector.kind<add>}
        %a, %b, %c : vector<2xi8>, vector<2xi8> into i32
      return %r : i32
    })",
               {array("i8", {2}, {-128, 127}), array("i8", {2}, {127, 127}),
                array("i32", {}, {2147483647})}),
      (Values{2147483647.0 - 127}));
}

TEST(VectorOps, MaskedContraction) {
  EXPECT_EQ(valuesOf(R"(
    #A = affine_map<(m, k) -> (m, k)>
    #B = affine_map<(m, k) -> (k)>
    #C = affine_map<(m, k) -> (m)>
    func.func @f(%a: vector<2x2xf32>, %b: vector<2xf32>, %c: vector<2xf32>, %m: vector<2x2xi1>) -> vector<2xf32> {
      %r = vector.mask %m { vector.contract {indexing_maps = [#A, #B, #C], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
        %a, %b, %c : vector<2x2xf32>, vector<2xf32> into vector<2xf32> } : vector<2x2xi1> -> vector<2xf32>
      return %r : vector<2xf32>
    })",
                     {array("f32", {2, 2}, {inf, 2, 3, 4}),
                      array("f32", {2}, {10, 100}), array("f32", {2}, {1, 1}),
                      array("i1", {2, 2}, {0, 1, 1, 1})}),
            (Values{201, 431}));
}

TEST(VectorOps, OuterProductAndFma) {
  EXPECT_EQ(valuesOf(R"(
    func.func @f(%a: vector<2xf32>, %b: vector<3xf32>, %c: vector<2x3xf32>) -> vector<2x3xf32> {
      %r = vector.outerproduct %a, %b, %c {kind = #vector.kind<add>} : vector<2xf32>, vector<3xf32>
      %s = vector.fma %r, %c, %c : vector<2x3xf32>
      return %s : vector<2x3xf32>
    })",
                     {array("f32", {2}, {1, 2}), array("f32", {3}, {3, 4, 5}),
                      array("f32", {2, 3}, {1, 1, 1, 1, 1, 2})}),
            (Values{5, 6, 7, 8, 10, 26}));
}

TEST(VectorOps, ScanKeepsTheOrder) {
  auto scanned = [](bool inclusive) {
    return valuesOf(
        std::string(R"(
      func.func @f(%v: vector<2x3xi32>, %i: vector<2xi32>) -> (vector<2x3xi32>, vector<2xi32>) {
        %r:2 = vector.scan <add>, %v, %i {inclusive = )") +
            (inclusive ? "true" : "false") +
            R"(, reduction_dim = 1 : i64} : vector<2x3xi32>, vector<2xi32>
        return %r#0, %r#1 : vector<2x3xi32>, vector<2xi32>
      })",
        {array("i32", {2, 3}, {1, 2, 3, 4, 5, 6}),
         array("i32", {2}, {10, 20})});
  };
  EXPECT_EQ(scanned(true), (Values{1, 3, 6, 4, 9, 15, 6, 15}));
  EXPECT_EQ(scanned(false), (Values{10, 11, 13, 20, 24, 29, 13, 29}));
}

TEST(VectorOps, ArgCompareFollowsTheSequentialScan) {
  auto best = [](std::string predicate, Values values, Values init) {
    return valuesOf(R"(
      func.func @f(%x: vector<2x3xf32>, %v0: vector<2xf32>, %i0: vector<2xi32>) -> (vector<2xf32>, vector<2xi32>) {
        %r:2 = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<2x3xf32>) inits(%v0, %i0 : vector<2xf32>, vector<2xi32>) {
        ^bb0(%cand: f32, %best: f32):
          %c = arith.cmpf )" +
                        predicate + R"(, %cand, %best : f32
          iree_vector_ext.yield %c : i1
        } -> vector<2xf32>, vector<2xi32>
        return %r#0, %r#1 : vector<2xf32>, vector<2xi32>
      })",
                    {array("f32", {2, 3}, values), array("f32", {2}, init),
                     array("i32", {2}, {-1, -1})});
  };
  EXPECT_EQ(best("ogt", {1, 7, 7, 3, nan, 2}, {0, 5}), (Values{7, 5, 1, -1}));
  EXPECT_EQ(best("oge", {1, 7, 7, 3, nan, 2}, {0, 2}), (Values{7, 3, 2, 0}));
}

TEST(VectorOps, ToLayoutIsTheIdentity) {
  EXPECT_EQ(valuesOf(R"(
    #l = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4],
      element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
    func.func @f(%v: vector<4xf32>) -> vector<4xf32> {
      %r = iree_vector_ext.to_layout %v to layout(#l) : vector<4xf32>
      return %r : vector<4xf32>
    })",
                     {array("f32", {4}, {1, 2, 3, 4})}),
            (Values{1, 2, 3, 4}));
}

} // namespace
