//===- OrdersTest.cpp - Bounds cover every order of each op ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op that a compiler may reassociate, fuse or decompose is computed here
// by hand, in its own types, in many random ways. Each way must stay within the
// bound that the evaluation gives, and the bound within a stated factor of the
// worst error that was seen.
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "gtest/gtest.h"

using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

TEST(Orders, MultiReductions) {
  for (auto [type, format] : formats)
    expectCovered({replaced(R"(
func.func @f(%x: vector<4x37xT>, %acc: vector<4xT>) -> vector<4xT> {
  %r = vector.multi_reduction <add>, %x, %acc [1] : vector<4x37xT> to vector<4xT>
  return %r : vector<4xT>
})",
                            type),
                   type,
                   format,
                   {shaped(type, {4, 37}), shaped(type, {4})},
                   [](const std::vector<Values> &in, Way &way) {
                     Values out;
                     for (int64_t m = 0; m < 4; ++m)
                       out.push_back(
                           way.sum(with(line(in[0], m * 37, 37), in[1][m])));
                     return out;
                   },
                   30});
}

TEST(Orders, Scans) {
  for (auto [type, format] : formats)
    for (bool inclusive : {false, true})
      for (int64_t extent : {8, 33}) {
        std::string n = std::to_string(extent);
        expectCovered(
            {replaced("func.func @f(%x: vector<4x" + n +
                          "xT>, %i: vector<4xT>) -> (vector<4x" + n +
                          "xT>, vector<4xT>) {\n  %d, %a = vector.scan <add>, "
                          "%x, %i {inclusive = " +
                          (inclusive ? "true" : "false") +
                          ", reduction_dim = 1 : i64} : vector<4x" + n +
                          "xT>, vector<4xT>\n  return %d, %a : vector<4x" + n +
                          "xT>, vector<4xT>\n}",
                      type),
             type,
             format,
             {shaped(type, {4, extent}), shaped(type, {4})},
             [=](const std::vector<Values> &in, Way &way) {
               Values out, last;
               for (int64_t m = 0; m < 4; ++m) {
                 for (int64_t p = 0; p < extent; ++p) {
                   Values terms = line(in[0], m * extent, p + inclusive);
                   if (!inclusive)
                     terms.push_back(in[1][m]);
                   out.push_back(way.sum(terms));
                 }
                 last.push_back(out.back());
               }
               out.insert(out.end(), last.begin(), last.end());
               return out;
             },
             30});
      }
}

TEST(Orders, Contractions) {
  struct Types {
    std::string input, sum;
    FloatFormat format;
  };
  for (const Types &types : {Types{"f16", "f32", FloatFormat::F32},
                             Types{"f16", "f16", FloatFormat::F16},
                             Types{"bf16", "f32", FloatFormat::F32}})
    expectCovered(
        {"func.func @f(%a: vector<5x19x" + types.input + ">, %b: vector<19x7x" +
             types.input + ">, %c: vector<5x7x" + types.sum +
             ">) -> vector<5x7x" + types.sum +
             "> {\n  %r = vector.contract {indexing_maps = [affine_map<(m, n, "
             "k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, "
             "n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", "
             "\"reduction\"], kind = #vector.kind<add>} %a, %b, %c : "
             "vector<5x19x" +
             types.input + ">, vector<19x7x" + types.input +
             "> into vector<5x7x" + types.sum + ">\n  return %r : vector<5x7x" +
             types.sum + ">\n}",
         types.sum,
         types.format,
         {shaped(types.input, {5, 19}), shaped(types.input, {19, 7}),
          shaped(types.sum, {5, 7})},
         [](const std::vector<Values> &in, Way &way) {
           Values out;
           for (int64_t m = 0; m < 5; ++m)
             for (int64_t n = 0; n < 7; ++n) {
               Values terms = {in[2][m * 7 + n]};
               for (int64_t k = 0; k < 19; ++k)
                 terms.push_back(
                     way.product(in[0][m * 19 + k], in[1][k * 7 + n]));
               out.push_back(way.sum(terms));
             }
           return out;
         },
         30});
}

/// A body of a linalg.generic over rows of 65, and what it does with one.
void expectBodyCovered(const std::string &yields, int64_t outputs,
                       std::function<Values(const Values &, Way &)> ofRow,
                       double slack, double low = -1, double high = 1) {
  std::string types, tensors, arguments, maps, names, inits;
  for (int64_t i = 0; i < outputs; ++i) {
    std::string number = std::to_string(i), comma = i ? ", " : "";
    types += comma + "tensor<6xT>";
    arguments += ", %s" + number + ": T";
    maps += ", affine_map<(d0, d1) -> (d0)>";
    names += comma + "%r#" + number;
    inits += comma + "%e";
  }
  for (auto [type, format] : formats)
    expectCovered(
        {replaced(
             "func.func @f(%x: tensor<6x65xT>, %e: tensor<6xT>) -> (" + types +
                 ") {\n  %r:" + std::to_string(outputs) +
                 " = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> "
                 "(d0, d1)>" +
                 maps +
                 "], iterator_types = [\"parallel\", \"reduction\"]} "
                 "ins(%x : tensor<6x65xT>) outs(" +
                 inits + " : " + types + ") {\n  ^bb0(%v: T" + arguments +
                 "):\n" + yields + "\n  } -> (" + types + ")\n  return " +
                 names + " : " + types + "\n}",
             type),
         type,
         format,
         {shaped(type, {6, 65}), shaped(type, {6})},
         [=](const std::vector<Values> &in, Way &way) {
           Values out(6 * outputs);
           for (int64_t m = 0; m < 6; ++m) {
             Values results =
                 ofRow(with(line(in[0], m * 65, 65), in[1][m]), way);
             for (int64_t i = 0; i < outputs; ++i)
               out[i * 6 + m] = results[i];
           }
           return out;
         },
         slack,
         low,
         high});
}

TEST(Orders, BodiesWithSeveralSums) {
  // The last of `row` is the accumulator.
  expectBodyCovered(
      R"(
    %a = arith.addf %s0, %v : T
    %q = arith.mulf %v, %v : T
    %b = arith.addf %q, %s1 : T
    linalg.yield %a, %b : T, T)",
      2,
      [](const Values &row, Way &way) {
        Values squares = {row.back()};
        for (size_t i = 0; i + 1 < row.size(); ++i)
          squares.push_back(way.product(row[i], row[i]));
        return Values{way.sum(row), way.sum(squares)};
      },
      60);
}

TEST(Orders, BodiesThatAddSubtractAndFuse) {
  expectBodyCovered(
      R"(
    %a = arith.subf %s0, %v : T
    %b = math.fma %v, %v, %a : T
    linalg.yield %b : T)",
      1,
      [](const Values &row, Way &way) {
        Values terms = {row.back()};
        for (size_t i = 0; i + 1 < row.size(); ++i) {
          terms.push_back(-row[i]);
          terms.push_back(way.product(row[i], row[i]));
        }
        return Values{way.sum(terms)};
      },
      60);
}

TEST(Orders, BodiesWithAnOrderOfTheirOwn) {
  // (acc + v) * v: nothing but fusion may change it.
  expectBodyCovered(
      R"(
    %a = arith.addf %s0, %v : T
    %b = arith.mulf %a, %v : T
    linalg.yield %b : T)",
      1,
      [](const Values &row, Way &way) {
        double acc = row.back();
        for (size_t i = 0; i + 1 < row.size(); ++i)
          acc = way.multiply(way.add(acc, row[i]), row[i]);
        return Values{acc};
      },
      30);
}

TEST(Orders, SumsOverSubgroups) {
  for (auto [type, format] : formats)
    expectCovered({replaced(R"(
gpu.module @m { gpu.func @f(%in: memref<32xT>, %out: memref<32xT>) {
  %id = gpu.thread_id x
  %v = memref.load %in[%id] : memref<32xT>
  %r = gpu.subgroup_reduce add %v : (T) -> T
  memref.store %r, %out[%id] : memref<32xT>
  gpu.return
} })",
                            type),
                   type,
                   format,
                   {shaped(type, {32}), shaped(type, {32})},
                   [](const std::vector<Values> &in, Way &way) {
                     return Values(32, way.sum(in[0]));
                   },
                   30,
                   -1,
                   1,
                   [] {
                     Options options;
                     options.subgroupSize = 32;
                     options.workgroupSize = {32, 1, 1};
                     return options;
                   }()});
}

//===----------------------------------------------------------------------===//
// Products, extrema
//===----------------------------------------------------------------------===//

double productOf(const Values &factors, Way &way) {
  return way.fold(factors,
                  [&](double a, double b) { return way.multiply(a, b); });
}

TEST(Orders, Products) {
  for (auto [type, format] : formats)
    expectCovered({replaced(R"(
func.func @f(%x: vector<8x13xT>, %acc: vector<8xT>) -> (vector<8xT>, vector<8x13xT>) {
  %r = vector.multi_reduction <mul>, %x, %acc [1] : vector<8x13xT> to vector<8xT>
  %d, %a = vector.scan <mul>, %x, %acc {inclusive = true, reduction_dim = 1 : i64} : vector<8x13xT>, vector<8xT>
  return %r, %d : vector<8xT>, vector<8x13xT>
})",
                            type),
                   type,
                   format,
                   {shaped(type, {8, 13}), shaped(type, {8})},
                   [](const std::vector<Values> &in, Way &way) {
                     Values out;
                     for (int64_t m = 0; m < 8; ++m)
                       out.push_back(productOf(
                           with(line(in[0], m * 13, 13), in[1][m]), way));
                     for (int64_t m = 0; m < 8; ++m)
                       for (int64_t p = 1; p <= 13; ++p)
                         out.push_back(productOf(line(in[0], m * 13, p), way));
                     return out;
                   },
                   10,
                   0.5,
                   1.5});
}

/// Small factors first: partial products leave the normal numbers of f16.
TEST(Orders, ProductsThatUnderflowOnTheWay) {
  expectCovered(
      {R"(
func.func @f(%x: vector<8x4xf16>, %y: vector<8x4xf16>, %acc: vector<8xf16>) -> vector<8xf16> {
  %k = arith.constant dense<8.0> : vector<8x4xf16>
  %h = arith.constant dense<0.0625> : vector<8x4xf16>
  %a = arith.mulf %x, %h : vector<8x4xf16>
  %b = arith.mulf %y, %k : vector<8x4xf16>
  %p = vector.multi_reduction <mul>, %a, %acc [1] : vector<8x4xf16> to vector<8xf16>
  %r = vector.multi_reduction <mul>, %b, %p [1] : vector<8x4xf16> to vector<8xf16>
  return %r : vector<8xf16>
})",
       "f16",
       FloatFormat::F16,
       {shaped("f16", {8, 4}), shaped("f16", {8, 4}), shaped("f16", {8})},
       [](const std::vector<Values> &in, Way &way) {
         Values out;
         for (int64_t m = 0; m < 8; ++m) {
           Values small = {in[2][m]}, large;
           for (int64_t i = m * 4; i < m * 4 + 4; ++i) {
             small.push_back(in[0][i] / 16);
             large.push_back(in[1][i] * 8);
           }
           large.push_back(productOf(small, way));
           out.push_back(productOf(large, way));
         }
         return out;
       },
       200,
       0.5,
       1.0});
}

TEST(Orders, ExtremaAndIntegersAreExact) {
  Evaluation evaluation =
      evaluateKernel(R"(
func.func @f(%x: vector<4x37xf16>, %acc: vector<4xf16>, %i: vector<64xi16>) -> (vector<4xf16>, vector<4xf16>, vector<1xi16>) {
  %z = arith.constant 0 : i16
  %a = vector.multi_reduction <maximumf>, %x, %acc [1] : vector<4x37xf16> to vector<4xf16>
  %b = vector.multi_reduction <minnumf>, %x, %acc [1] : vector<4x37xf16> to vector<4xf16>
  %s = vector.reduction <add>, %i, %z : vector<64xi16> into i16
  %c = vector.broadcast %s : i16 to vector<1xi16>
  return %a, %b, %c : vector<4xf16>, vector<4xf16>, vector<1xi16>
})",
                     {randomArray("f16", {4, 37}, 1),
                      randomArray("f16", {4}, 2), randomArray("i16", {64}, 3)});
  ASSERT_EQ(evaluation.error, "");
  for (const EstimateArray &result : evaluation.results)
    for (const Estimate &estimate : result.elements) {
      EXPECT_EQ(estimate.bound, 0);
      EXPECT_FALSE(estimate.undecided);
    }
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

/// Softmax of a row in one pass or in blocks, whose sums are rescaled whenever
/// the maximum grows; division or multiplication by the reciprocal.
Values softmaxOf(const Values &row, int64_t block, Way &way) {
  double maximum = -HUGE_VAL, sum = 0;
  auto exp = [&](double x) {
    return way.coin()
               ? way.round(std::exp2(way.multiply(x, way.round(M_LOG2E))))
               : way.round(std::exp(x));
  };
  for (size_t first = 0; first < row.size(); first += block) {
    Values part(row.begin() + first,
                row.begin() + std::min(first + block, row.size()));
    double larger =
        std::max(maximum, *std::max_element(part.begin(), part.end()));
    for (double &x : part)
      x = exp(way.add(x, -larger));
    double scale =
        maximum == larger || first == 0 ? 1 : exp(way.add(maximum, -larger));
    sum = way.add(way.multiply(sum, scale), way.sum(part));
    maximum = larger;
  }
  Values out;
  double reciprocal = way.round(1 / sum);
  bool divides = way.coin();
  for (double x : row) {
    double e = exp(way.add(x, -maximum));
    out.push_back(divides ? way.round(e / sum) : way.multiply(e, reciprocal));
  }
  return out;
}

TEST(Orders, Softmax) {
  for (auto [type, format] : formats)
    for (int64_t block : {64, 16, 1})
      expectCovered({replaced(R"(
func.func @f(%x: tensor<3x64xT>) -> tensor<3x64xT> {
  %e = tensor.empty() : tensor<3x64xT>
  %r = linalg.softmax dimension(1) ins(%x : tensor<3x64xT>) outs(%e : tensor<3x64xT>) -> tensor<3x64xT>
  return %r : tensor<3x64xT>
})",
                              type),
                     type,
                     format,
                     {shaped(type, {3, 64})},
                     [=](const std::vector<Values> &in, Way &way) {
                       Values out;
                       for (int64_t m = 0; m < 3; ++m) {
                         Values row =
                             softmaxOf(line(in[0], m * 64, 64), block, way);
                         out.insert(out.end(), row.begin(), row.end());
                       }
                       return out;
                     },
                     80,
                     -4,
                     4});
}

TEST(Orders, ElementwiseDecompositions) {
  for (auto [type, format] : formats)
    expectCovered(
        {replaced(R"(
func.func @f(%x: vector<64xT>, %y: vector<64xT>, %z: vector<64xT>) -> (vector<64xT>, vector<64xT>, vector<64xT>, vector<64xT>, vector<64xT>) {
  %q = arith.divf %x, %y : vector<64xT>
  %s = math.rsqrt %x : vector<64xT>
  %e = math.exp %x : vector<64xT>
  %f = math.fma %x, %y, %z : vector<64xT>
  %p = arith.mulf %x, %y : vector<64xT>
  %g = arith.addf %p, %z : vector<64xT>
  return %q, %s, %e, %f, %g : vector<64xT>, vector<64xT>, vector<64xT>, vector<64xT>, vector<64xT>
})",
                  type),
         type,
         format,
         {shaped(type, {64}), shaped(type, {64}), shaped(type, {64})},
         [](const std::vector<Values> &in, Way &way) {
           Values out;
           for (auto [x, y] : llvm::zip_equal(in[0], in[1]))
             out.push_back(way.coin() ? way.round(x / y)
                                      : way.multiply(x, way.round(1 / y)));
           for (double x : in[0])
             out.push_back(way.coin() ? way.round(1 / std::sqrt(x))
                                      : way.round(1 / way.round(std::sqrt(x))));
           for (double x : in[0])
             out.push_back(way.coin() ? way.round(std::exp(x))
                                      : way.round(std::exp2(way.multiply(
                                            x, way.round(M_LOG2E)))));
           for (int twice = 0; twice < 2; ++twice)
             for (auto [x, y, z] : llvm::zip_equal(in[0], in[1], in[2]))
               out.push_back(way.add(way.product(x, y), z));
           return out;
         },
         10,
         0.25,
         4});
}

} // namespace
