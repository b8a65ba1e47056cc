//===- TransferTableTest.cpp - Rows of the transfer table that compute ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-52: elementwise ops, shapes, reductions and products.
//
//===----------------------------------------------------------------------===//
#include "TransferTable.h"

using namespace distaff;
using namespace distaff::transfer_table;

static const char *const matrices =
    "%x: vector<8x32xf32>, %y: vector<8x32xf32>, %k: vector<8x32xi1>";

TEST(TransferTable, Elementwise) {
  const char *op = "%r = arith.addf %x, %y : vector<8x32xf32>";
  check({"forward",
         matrices,
         op,
         0,
         {rows, columns},
         {{1, {rows, columns}}, {2, {rows, columns}}}});
  check({"backward",
         matrices,
         op,
         2,
         {rows, columns},
         {{0, {rows, columns}}, {1, {rows, columns}}}});
  check({"condition",
         matrices,
         "%r = arith.select %k, %x, %y : vector<8x32xi1>, vector<8x32xf32>",
         0,
         {rows, columns},
         {{3, {rows, columns}}}});
  check({"fma",
         matrices,
         "%r = vector.fma %x, %y, %x : vector<8x32xf32>",
         3,
         {rows, columns},
         {{1, {rows, columns}}}});
}

TEST(TransferTable, Shape) {
  const char *transpose =
      "%r = vector.transpose %x, [1, 0] : vector<8x32xf32> to vector<32x8xf32>";
  check({"transpose",
         matrices,
         transpose,
         0,
         {rows, columns},
         {{1, {columns, rows}}}});
  check({"transpose backward",
         matrices,
         transpose,
         1,
         {columns, rows},
         {{0, {rows, columns}}}});
  const char *broadcast =
      "%r = vector.broadcast %l : vector<32xf32> to vector<8x32xf32>";
  check({"broadcast",
         "%l: vector<32xf32>",
         broadcast,
         1,
         {rows, columns},
         {{0, {columns}}}});
  check({"broadcast forward",
         "%l: vector<32xf32>",
         broadcast,
         0,
         {columns},
         {{1, none}}});
  check({"stretched",
         "%l: vector<8x1xf32>",
         "%r = vector.broadcast %l : vector<8x1xf32> to vector<8x32xf32>",
         1,
         {rows, columns},
         {{0, {rows, {}}}}});
  const char *cast =
      "%r = vector.shape_cast %x : vector<8x32xf32> to vector<2x4x32xf32>";
  Dims cut = {{2, 1, 1, 1, 1, 1, 0}, {1, 1, 1, 4, 1, 0, 8}, columns};
  check({"shape_cast", matrices, cast, 0, {rows, columns}, {{1, cut}}});
  check(
      {"shape_cast backward", matrices, cast, 1, cut, {{0, {rows, columns}}}});
}

TEST(TransferTable, Bits) {
  NestedDim wide = columns, narrow = columns;
  wide.elementTile = 4;
  narrow.elementTile = 1;
  const char *halves =
      "%r = vector.bitcast %x : vector<8x32xf32> to vector<8x64xf16>";
  check(
      {"narrower", matrices, halves, 0, {rows, columns}, {{1, {rows, wide}}}});
  check({"narrower backward",
         matrices,
         halves,
         1,
         {rows, wide},
         {{0, {rows, columns}}}});
  const char *doubles =
      "%r = vector.bitcast %x : vector<8x32xf32> to vector<8x16xf64>";
  check(
      {"wider", matrices, doubles, 0, {rows, columns}, {{1, {rows, narrow}}}});
  check({"wider than the tile",
         matrices,
         doubles,
         0,
         {rows, {1, 4, 1, 8, 1, 0, 1}},
         {{1, none}}});
  const char *both =
      "%r = vector.interleave %x, %y : vector<8x32xf32> -> vector<8x64xf32>";
  check({"interleave",
         matrices,
         both,
         0,
         {rows, columns},
         {{1, {rows, columns}}, {2, {rows, wide}}}});
  check({"interleave backward",
         matrices,
         both,
         2,
         {rows, wide},
         {{0, {rows, columns}}, {1, {rows, columns}}}});
  const char *apart =
      "%r, %s = vector.deinterleave %x : vector<8x32xf32> -> vector<8x16xf32>";
  check({"deinterleave",
         matrices,
         apart,
         0,
         {rows, columns},
         {{1, {rows, narrow}}, {2, {rows, narrow}}}});
  check({"deinterleave backward",
         matrices,
         apart,
         2,
         {rows, narrow},
         {{0, {rows, columns}}}});
}

TEST(TransferTable, Reductions) {
  const char *arguments = "%x: vector<8x32xf32>, %a: vector<8xf32>, %j: "
                          "vector<8xi32>, %k: vector<8x32xi1>";
  const char *reduce = "%r = vector.multi_reduction <add>, %x, %a [1] : "
                       "vector<8x32xf32> to vector<8xf32>";
  check({"multi_reduction",
         arguments,
         reduce,
         0,
         {rows, columns},
         {{1, {rows}}, {2, {rows}}}});
  check({"multi_reduction backward",
         arguments,
         reduce,
         2,
         {rows},
         {{0, none}, {1, {rows}}}});
  const char *masked =
      "%r = vector.mask %k { vector.multi_reduction <add>, %x, %a [1] : "
      "vector<8x32xf32> to vector<8xf32> } : vector<8x32xi1> -> vector<8xf32>";
  check({"its mask",
         arguments,
         masked,
         0,
         {rows, columns},
         {{2, {rows, columns}}}});
  const char *scan =
      "%r:2 = vector.scan <add>, %x, %a {inclusive = true, reduction_dim = 1 : "
      "i64} : vector<8x32xf32>, vector<8xf32>";
  check({"scan",
         arguments,
         scan,
         0,
         {rows, columns},
         {{1, {rows}}, {2, {rows, columns}}, {3, {rows}}}});
  check({"scan backward",
         arguments,
         scan,
         2,
         {rows, columns},
         {{0, {rows, columns}}}});
  const char *best =
      "%r:2 = iree_vector_ext.arg_compare dimension(1) ins(%x : "
      "vector<8x32xf32>) inits(%a, %j : vector<8xf32>, vector<8xi32>) {\n"
      "^bb0(%u: f32, %v: f32):\n%c = arith.cmpf ogt, %u, %v : "
      "f32\niree_vector_ext.yield %c : i1\n} -> vector<8xf32>, vector<8xi32>";
  check({"arg_compare",
         arguments,
         best,
         0,
         {rows, columns},
         {{1, {rows}}, {2, {rows}}, {3, {rows}}, {4, {rows}}}});
  check({"arg_compare backward",
         arguments,
         best,
         3,
         {rows},
         {{0, none}, {1, {rows}}, {2, {rows}}, {4, {rows}}}});
}

TEST(TransferTable, ReductionsOfALine) {
  const char *arguments = "%l: vector<64xf32>, %b: vector<64xi1>";
  NestedDim line{1, 2, 1, 16, 2, 0, 1};
  const char *masked =
      "%r = vector.mask %b { vector.reduction <add>, %l, %f : vector<64xf32> "
      "into f32 } : vector<64xi1> -> f32";
  check({"reduction", arguments, masked, 0, {line}, {{1, {line}}}});
  check({"reduction backward", arguments, masked, 1, {line}, {{0, {line}}}});
}

TEST(TransferTable, ArgCompareOfGivenIndices) {
  const char *arguments = "%x: vector<8x32xf32>, %p: vector<8x32xi32>, %a: "
                          "vector<8xf32>, %j: vector<8xi32>";
  const char *best =
      "%r:2 = iree_vector_ext.arg_compare dimension(1) ins(%x, %p : "
      "vector<8x32xf32>, vector<8x32xi32>) inits(%a, %j : vector<8xf32>, "
      "vector<8xi32>) {\n^bb0(%u: f32, %v: f32):\n%c = arith.cmpf ogt, %u, %v "
      ": f32\niree_vector_ext.yield %c : i1\n} -> vector<8xf32>, vector<8xi32>";
  check({"values",
         arguments,
         best,
         0,
         {rows, columns},
         {{1, {rows, columns}},
          {2, {rows}},
          {3, {rows}},
          {4, {rows}},
          {5, {rows}}}});
  check({"indices",
         arguments,
         best,
         1,
         {rows, columns},
         {{0, {rows, columns}}, {2, {rows}}, {5, {rows}}}});
  check({"backward",
         arguments,
         best,
         4,
         {rows},
         {{0, none}, {1, none}, {2, {rows}}, {5, {rows}}}});
  check({"backward from the positions",
         arguments,
         best,
         5,
         {rows},
         {{0, none}, {1, none}, {2, {rows}}, {3, {rows}}, {4, {rows}}}});
  check({"backward, both starts",
         arguments,
         best,
         4,
         {rows},
         {{2, {rows}}, {3, {rows}}}});
}

static const NestedDim deep{1, 1, 1, 1, 16, 0, 0};
static const char *const contract =
    "%r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
    "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], "
    "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "
    "#vector.kind<add>} %a, %b, %c : vector<8x16xf32>, vector<16x32xf32> "
    "into vector<8x32xf32>";
static const char *const factors =
    "%a: vector<8x16xf32>, %b: vector<16x32xf32>, %c: vector<8x32xf32>, %m: "
    "vector<8xf32>, %n: vector<32xf32>, %k: vector<8x32xi1>, %q: "
    "vector<8x32x16xi1>";

TEST(TransferTable, Products) {
  check({"contract",
         factors,
         contract,
         3,
         {rows, columns},
         {{0, none}, {2, {rows, columns}}}});
  check({"contract forward",
         factors,
         contract,
         0,
         {rows, deep},
         {{1, none}, {3, none}}});
  // Its dim K, and N of the result.
  check({"contract, K from the other operand",
         factors,
         contract,
         0,
         {rows, deep},
         {{1, {deep, columns}}, {2, {rows, columns}}},
         {{3, {rows, columns}}}});
  check({"contract, K from the other operand, which is the rhs",
         factors,
         contract,
         1,
         {deep, columns},
         {{0, {rows, deep}}, {2, {rows, columns}}},
         {{3, {rows, columns}}}});
  check({"contract of two",
         factors,
         contract,
         0,
         {rows, deep},
         {{2, {rows, columns}}, {3, {rows, columns}}},
         {{1, {deep, columns}}}});
  checkContradiction({"contract of two that do not agree on K",
                      factors,
                      contract,
                      0,
                      {rows, deep},
                      {},
                      {{1, {{1, 4, 1, 4, 1, 0, 8}, columns}}}});
}

TEST(TransferTable, MaskedProducts) {
  std::string maskedContract =
      std::string(contract).replace(0, 5, "%r = vector.mask %q { ") +
      " } : vector<8x32x16xi1> -> vector<8x32xf32>";
  check({"its mask",
         factors,
         maskedContract.c_str(),
         0,
         {rows, deep},
         {{3, {rows, columns, deep}}, {4, {rows, columns}}},
         {{1, {deep, columns}}}});
}

TEST(TransferTable, OuterProducts) {
  const char *outer = "%r = vector.outerproduct %m, %n, %c {kind = "
                      "#vector.kind<add>} : vector<8xf32>, vector<32xf32>";
  check({"outerproduct backward",
         factors,
         outer,
         3,
         {rows, columns},
         {{0, {rows}}, {1, {columns}}, {2, {rows, columns}}}});
  check({"outerproduct forward",
         factors,
         outer,
         0,
         {rows},
         {{2, {rows, columns}}, {3, {rows, columns}}},
         {{1, {columns}}}});
  check({"outerproduct forward, one of two",
         factors,
         outer,
         0,
         {rows},
         {{1, none}, {2, none}, {3, none}}});
  const char *scaled = "%r = vector.outerproduct %m, %f : vector<8xf32>, f32";
  check({"axpy", factors, scaled, 0, {rows}, {{1, {rows}}}});
  const char *masked = "%r = vector.mask %k { vector.outerproduct %m, %n, %c "
                       "{kind = #vector.kind<add>} : vector<8xf32>, "
                       "vector<32xf32> } : vector<8x32xi1> -> vector<8x32xf32>";
  check({"masked outerproduct",
         factors,
         masked,
         4,
         {rows, columns},
         {{3, {rows, columns}}}});
}
