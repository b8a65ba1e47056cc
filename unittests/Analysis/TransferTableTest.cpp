//===- TransferTableTest.cpp - Each row of the transfer table -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-52: what follows from one known slot of an op, forward and backward.
//
//===----------------------------------------------------------------------===//

#include "Parsing.h"
#include "distaff/Analysis/Notation.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {
/// Dims of a nested layout: S, B, O, T, E, subgroup stride, thread stride.
using Dims = std::vector<NestedDim>;

const NestedDim rows{2, 1, 1, 4, 1, 1, 8};    // 8: S[2]:[1] T[4]:[8]
const NestedDim columns{1, 2, 1, 8, 2, 0, 1}; // 32: B[2] T[8]:[1] E[2]
const Dims none;

VectorLayoutInterface attrOf(MLIRContext *context, const Dims &dims) {
  NestedLayout layout;
  layout.dims.assign(dims.begin(), dims.end());
  return vector_ext::NestedLayoutAttr::get(context, layout);
}

/// Slots are numbered as OpLayouts has them: operands, then results.
struct Row {
  const char *name;
  const char *arguments, *op;
  int known;
  Dims layout;
  std::vector<std::pair<int, Dims>> follow; // slot, layout; `none`: stays open
};

std::string notationOf(VectorLayoutInterface layout) {
  return layout ? shortNotation(layout) : "open";
}

void check(const Row &row) {
  SCOPED_TRACE(row.name);
  Kernel kernel(std::string("func.func @f(%i: index, %f: f32, ") +
                row.arguments + ") {\n" + row.op + "\nreturn\n}\n");
  Operation *op = nullptr;
  kernel.function->walk([&](Operation *inner) {
    if (!op && !isa<func::FuncOp, vector::MaskOp, vector::YieldOp,
                    vector_ext::YieldOp, arith::CmpFOp>(inner))
      op = inner;
  });
  ASSERT_TRUE(op) << kernel.messages;
  // Not every row names it in its text.
  op->getContext()->loadDialect<vector_ext::VectorExtDialect>();
  MLIRContext *context = op->getContext();
  OpLayouts slots = OpLayouts::get(op);
  auto slot = [&](int number) -> VectorLayoutInterface & {
    int operands = slots.operandLayouts.size();
    return number < operands ? slots.operandLayouts[number]
                             : slots.resultLayouts[number - operands];
  };
  slot(row.known) = attrOf(context, row.layout);
  std::string why;
  ASSERT_TRUE(succeeded(inferLayouts(op, slots, why))) << why;
  for (auto &[number, dims] : row.follow) {
    VectorLayoutInterface expected =
        dims.empty() ? VectorLayoutInterface() : attrOf(context, dims);
    EXPECT_EQ(notationOf(slot(number)), notationOf(expected))
        << "slot " << number << " " << why;
  }
}
} // namespace

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
}

TEST(TransferTable, Products) {
  NestedDim deep{1, 1, 1, 1, 16, 0, 0};
  const char *contract =
      "%r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
      "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], "
      "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "
      "#vector.kind<add>} %a, %b, %c : vector<8x16xf32>, vector<16x32xf32> "
      "into vector<8x32xf32>";
  const char *arguments =
      "%a: vector<8x16xf32>, %b: vector<16x32xf32>, %c: vector<8x32xf32>, %m: "
      "vector<8xf32>, %n: vector<32xf32>, %k: vector<8x32xi1>";
  check({"contract",
         arguments,
         contract,
         3,
         {rows, columns},
         {{0, none}, {2, {rows, columns}}}});
  check({"contract forward",
         arguments,
         contract,
         0,
         {rows, deep},
         {{1, none}, {3, none}}});
  const char *outer = "%r = vector.outerproduct %m, %n, %c {kind = "
                      "#vector.kind<add>} : vector<8xf32>, vector<32xf32>";
  check({"outerproduct backward",
         arguments,
         outer,
         3,
         {rows, columns},
         {{0, {rows}}, {1, {columns}}, {2, {rows, columns}}}});
  const char *scaled = "%r = vector.outerproduct %m, %f : vector<8xf32>, f32";
  check({"axpy", arguments, scaled, 0, {rows}, {{1, {rows}}}});
  const char *masked = "%r = vector.mask %k { vector.outerproduct %m, %n, %c "
                       "{kind = #vector.kind<add>} : vector<8xf32>, "
                       "vector<32xf32> } : vector<8x32xi1> -> vector<8x32xf32>";
  check({"masked outerproduct",
         arguments,
         masked,
         4,
         {rows, columns},
         {{3, {rows, columns}}}});
}

TEST(TransferTable, Memory) {
  const char *arguments =
      "%m: memref<?x?xf32>, %x: vector<8x32xf32>, %t: vector<32x8xi1>, %k: "
      "vector<8x32xi1>, %j: vector<8x32xi32>, %v: vector<8xindex>, %l: "
      "vector<64xf32>, %b: vector<64xi1>, %o: memref<?xf32>";
  const char *read = "%r = vector.transfer_read %m[%i, %i], %f, %t {in_bounds "
                     "= [true, true], permutation_map = affine_map<(a, b) -> "
                     "(b, a)>} : memref<?x?xf32>, vector<8x32xf32>";
  check({"a read's mask",
         arguments,
         read,
         1,
         {rows, columns},
         {{0, {columns, rows}}}});
  check({"a mask says nothing of a read",
         arguments,
         read,
         0,
         {columns, rows},
         {{1, none}}});
  const char *write = "vector.transfer_write %x, %m[%i, %i], %t {in_bounds = "
                      "[true, true], permutation_map = affine_map<(a, b) -> "
                      "(b, a)>} : vector<8x32xf32>, memref<?x?xf32>";
  check({"a write's mask",
         arguments,
         write,
         0,
         {rows, columns},
         {{1, {columns, rows}}}});
  const char *load =
      "%r = vector.maskedload %m[%i, %i], %k, %x : memref<?x?xf32>, "
      "vector<8x32xi1>, vector<8x32xf32> into vector<8x32xf32>";
  check({"maskedload",
         arguments,
         load,
         2,
         {rows, columns},
         {{0, {rows, columns}}, {1, {rows, columns}}}});
  check({"maskedload backward",
         arguments,
         load,
         0,
         {rows, columns},
         {{2, {rows, columns}}}});
  check({"maskedstore",
         arguments,
         "vector.maskedstore %m[%i, %i], %k, %x : memref<?x?xf32>, "
         "vector<8x32xi1>, vector<8x32xf32>",
         1,
         {rows, columns},
         {{0, {rows, columns}}}});
}

TEST(TransferTable, GathersAndPackedAccesses) {
  const char *arguments =
      "%m: memref<?x?xf32>, %x: vector<8x32xf32>, %t: vector<32x8xi1>, %k: "
      "vector<8x32xi1>, %j: vector<8x32xi32>, %v: vector<8xindex>, %l: "
      "vector<64xf32>, %b: vector<64xi1>, %o: memref<?xf32>";
  const char *gather = "%r = vector.gather %m[%i, %i] [%j], %k, %x : "
                       "memref<?x?xf32>, vector<8x32xi32>, vector<8x32xi1>, "
                       "vector<8x32xf32> into vector<8x32xf32>";
  check({"gather",
         arguments,
         gather,
         3,
         {rows, columns},
         {{0, {rows, columns}}, {1, {rows, columns}}, {2, {rows, columns}}}});
  check({"scatter",
         arguments,
         "vector.scatter %m[%i, %i] [%j], %k, %x : memref<?x?xf32>, "
         "vector<8x32xi32>, vector<8x32xi1>, vector<8x32xf32>",
         2,
         {rows, columns},
         {{0, {rows, columns}}, {1, {rows, columns}}}});
  const char *indexed =
      "%r = iree_vector_ext.transfer_gather %m[%i, %i] [%v : vector<8xindex>], "
      "%f {indexing_maps = [affine_map<(a, b)[s] -> (s, b)>, affine_map<(a, "
      "b)[s] -> (a)>]} : memref<?x?xf32>, vector<8x32xf32>";
  check({"transfer_gather",
         arguments,
         indexed,
         1,
         {rows, columns},
         {{0, {rows}}}});
  NestedDim line{1, 2, 1, 16, 2, 0, 1};
  const char *expand = "%r = vector.expandload %o[%i], %b, %l : memref<?xf32>, "
                       "vector<64xi1>, vector<64xf32> into vector<64xf32>";
  check(
      {"expandload", arguments, expand, 2, {line}, {{0, {line}}, {1, {line}}}});
  check({"compressstore",
         arguments,
         "vector.compressstore %o[%i], %b, %l : memref<?xf32>, vector<64xi1>, "
         "vector<64xf32>",
         1,
         {line},
         {{0, {line}}}});
}

TEST(TransferTable, Parts) {
  const char *arguments = "%x: vector<8x32xf32>, %l: vector<32xf32>, %p: "
                          "vector<8x16xf32>, %e: vector<4xf32>";
  const char *extract =
      "%r = vector.extract %x[%i] : vector<32xf32> from vector<8x32xf32>";
  check({"extract", arguments, extract, 0, {rows, columns}, {{1, {columns}}}});
  check({"extract backward", arguments, extract, 1, {columns}, {{0, none}}});
  const char *insert =
      "%r = vector.insert %l, %x [3] : vector<32xf32> into vector<8x32xf32>";
  check({"insert",
         arguments,
         insert,
         1,
         {rows, columns},
         {{0, {columns}}, {2, {rows, columns}}}});
  check({"insert backward",
         arguments,
         insert,
         2,
         {rows, columns},
         {{0, {columns}}, {1, {rows, columns}}}});
}

TEST(TransferTable, Slices) {
  const char *arguments = "%x: vector<8x32xf32>, %l: vector<32xf32>, %p: "
                          "vector<8x16xf32>, %e: vector<4xf32>";
  NestedDim half = columns;
  half.batchTile = 1;
  const char *slice =
      "%r = vector.extract_strided_slice %x {offsets = [0, 16], sizes = [8, "
      "16], strides = [1, 1]} : vector<8x32xf32> to vector<8x16xf32>";
  check({"whole rounds",
         arguments,
         slice,
         0,
         {rows, columns},
         {{1, {rows, half}}}});
  check({"whole rounds backward",
         arguments,
         slice,
         1,
         {rows, half},
         {{0, {rows, columns}}}});
  const char *cut =
      "%r = vector.extract_strided_slice %x {offsets = [0, 3], sizes = [8, "
      "16], strides = [1, 1]} : vector<8x32xf32> to vector<8x16xf32>";
  check({"through lanes", arguments, cut, 0, {rows, columns}, {{1, none}}});
  check({"registers",
         arguments,
         cut,
         0,
         {rows, {1, 1, 1, 1, 32, 0, 0}},
         {{1, {rows, {1, 1, 1, 1, 16, 0, 0}}}}});
  const char *put =
      "%r = vector.insert_strided_slice %p, %x {offsets = [0, 16], strides = "
      "[1, 1]} : vector<8x16xf32> into vector<8x32xf32>";
  check({"insert_strided_slice",
         arguments,
         put,
         2,
         {rows, columns},
         {{0, {rows, half}}, {1, {rows, columns}}}});
  check({"insert_strided_slice forward",
         arguments,
         put,
         0,
         {rows, half},
         {{2, {rows, columns}}}});
  NestedDim whole{1, 1, 1, 1, 4, 0, 0};
  check(
      {"shuffle",
       arguments,
       "%r = vector.shuffle %e, %e [0, 7, 3, 2] : vector<4xf32>, vector<4xf32>",
       0,
       {whole},
       {{1, {whole}}, {2, {whole}}}});
  check({"from_elements",
         arguments,
         "%r = vector.from_elements %f, %f, %f, %f : vector<4xf32>",
         0,
         {whole},
         {}});
}
