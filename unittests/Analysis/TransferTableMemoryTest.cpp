//===- TransferTableMemoryTest.cpp - Rows of the transfer table that move -===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-52: accesses of memory, parts of vectors, and the ties of control flow.
//
//===----------------------------------------------------------------------===//
#include "TransferTable.h"

using namespace distaff;
using namespace distaff::transfer_table;

static const char *const accessed =
    "%m: memref<?x?xf32>, %x: vector<8x32xf32>, %t: vector<32x8xi1>, %k: "
    "vector<8x32xi1>, %j: vector<8x32xi32>, %v: vector<8xindex>, %l: "
    "vector<64xf32>, %b: vector<64xi1>, %o: memref<?xf32>, %u: "
    "vector<32x8xindex>";

TEST(TransferTable, Memory) {
  const char *read = "%r = vector.transfer_read %m[%i, %i], %f, %t {in_bounds "
                     "= [true, true], permutation_map = affine_map<(a, b) -> "
                     "(b, a)>} : memref<?x?xf32>, vector<8x32xf32>";
  check({"a read's mask",
         accessed,
         read,
         1,
         {rows, columns},
         {{0, {columns, rows}}}});
  check({"a mask says nothing of a read",
         accessed,
         read,
         0,
         {columns, rows},
         {{1, none}}});
  const char *write = "vector.transfer_write %x, %m[%i, %i], %t {in_bounds = "
                      "[true, true], permutation_map = affine_map<(a, b) -> "
                      "(b, a)>} : vector<8x32xf32>, memref<?x?xf32>";
  check({"a write's mask",
         accessed,
         write,
         0,
         {rows, columns},
         {{1, {columns, rows}}}});
}

TEST(TransferTable, LoadsAndStores) {
  const char *load =
      "%r = vector.maskedload %m[%i, %i], %k, %x : memref<?x?xf32>, "
      "vector<8x32xi1>, vector<8x32xf32> into vector<8x32xf32>";
  check({"maskedload",
         accessed,
         load,
         2,
         {rows, columns},
         {{0, {rows, columns}}, {1, {rows, columns}}}});
  check({"maskedload backward",
         accessed,
         load,
         0,
         {rows, columns},
         {{2, {rows, columns}}}});
  check({"load",
         accessed,
         "%r = vector.load %m[%i, %i] : memref<?x?xf32>, vector<8x32xf32>",
         0,
         {rows, columns},
         {{0, {rows, columns}}}});
  check({"load of any layout",
         accessed,
         "%r = vector.load %m[%i, %i] : memref<?x?xf32>, vector<8x32xf32>",
         nothing,
         none,
         {{0, none}}});
  check({"store",
         accessed,
         "vector.store %x, %m[%i, %i] : memref<?x?xf32>, vector<8x32xf32>",
         0,
         {rows, columns},
         {{0, {rows, columns}}}});
  check({"store of any layout",
         accessed,
         "vector.store %x, %m[%i, %i] : memref<?x?xf32>, vector<8x32xf32>",
         nothing,
         none,
         {{0, none}}});
  check({"maskedstore",
         accessed,
         "vector.maskedstore %m[%i, %i], %k, %x : memref<?x?xf32>, "
         "vector<8x32xi1>, vector<8x32xf32>",
         1,
         {rows, columns},
         {{0, {rows, columns}}}});
}

TEST(TransferTable, Gathers) {
  const char *gather = "%r = vector.gather %m[%i, %i] [%j], %k, %x : "
                       "memref<?x?xf32>, vector<8x32xi32>, vector<8x32xi1>, "
                       "vector<8x32xf32> into vector<8x32xf32>";
  check({"gather",
         accessed,
         gather,
         3,
         {rows, columns},
         {{0, {rows, columns}}, {1, {rows, columns}}, {2, {rows, columns}}}});
  check({"scatter",
         accessed,
         "vector.scatter %m[%i, %i] [%j], %k, %x : memref<?x?xf32>, "
         "vector<8x32xi32>, vector<8x32xi1>, vector<8x32xf32>",
         2,
         {rows, columns},
         {{0, {rows, columns}}, {1, {rows, columns}}}});
}

TEST(TransferTable, TransferGathers) {
  const char *indexed =
      "%r = iree_vector_ext.transfer_gather %m[%i, %i] [%v : vector<8xindex>], "
      "%f {indexing_maps = [affine_map<(a, b)[s] -> (s, b)>, affine_map<(a, "
      "b)[s] -> (a)>]} : memref<?x?xf32>, vector<8x32xf32>";
  check({"transfer_gather",
         accessed,
         indexed,
         1,
         {rows, columns},
         {{0, {rows}}}});
  check({"indices say nothing of a transfer_gather",
         accessed,
         indexed,
         0,
         {rows},
         {{1, none}}});
  const char *masked =
      "%r = iree_vector_ext.transfer_gather %m[%i, %i] [%v : vector<8xindex>], "
      "%f, %t {indexing_maps = [affine_map<(a, b)[s] -> (s, b)>, "
      "affine_map<(a, "
      "b)[s] -> (a)>, affine_map<(a, b)[s] -> (b, a)>]} : memref<?x?xf32>, "
      "vector<8x32xf32>, vector<32x8xi1>";
  check({"masked transfer_gather",
         accessed,
         masked,
         2,
         {rows, columns},
         {{0, {rows}}, {1, {columns, rows}}}});
  const char *scattered =
      "iree_vector_ext.transfer_scatter %x into %m[%i, %i] [%v : "
      "vector<8xindex>], %t {indexing_maps = [affine_map<(a, b)[s] -> (s, b)>, "
      "affine_map<(a, b)[s] -> (a)>, affine_map<(a, b)[s] -> (b, a)>]} : "
      "vector<8x32xf32>, memref<?x?xf32>, vector<32x8xi1>";
  check({"transfer_scatter",
         accessed,
         scattered,
         0,
         {rows, columns},
         {{1, {rows}}, {2, {columns, rows}}}});
  check({"some dims say nothing of what is scattered",
         accessed,
         scattered,
         1,
         {rows},
         {{0, none}, {2, none}}});
  const char *spanning =
      "iree_vector_ext.transfer_scatter %x into %m[%i, %i] [%u, %v : "
      "vector<32x8xindex>, vector<8xindex>] {indexing_maps = [affine_map<(a, "
      "b)[s, t] -> (s, t)>, affine_map<(a, b)[s, t] -> (b, a)>, affine_map<(a, "
      "b)[s, t] -> (a)>]} : vector<8x32xf32>, memref<?x?xf32>";
  check({"all dims place what is scattered, and other indices",
         accessed,
         spanning,
         1,
         {columns, rows},
         {{0, {rows, columns}}, {2, {rows}}}});
}

TEST(TransferTable, PackedAccesses) {
  NestedDim line{1, 2, 1, 16, 2, 0, 1};
  const char *expand = "%r = vector.expandload %o[%i], %b, %l : memref<?xf32>, "
                       "vector<64xi1>, vector<64xf32> into vector<64xf32>";
  check(
      {"expandload", accessed, expand, 2, {line}, {{0, {line}}, {1, {line}}}});
  check({"compressstore",
         accessed,
         "vector.compressstore %o[%i], %b, %l : memref<?xf32>, vector<64xi1>, "
         "vector<64xf32>",
         1,
         {line},
         {{0, {line}}}});
}

static const char *const cutUp =
    "%x: vector<8x32xf32>, %l: vector<32xf32>, %p: "
    "vector<8x16xf32>, %e: vector<4xf32>";

TEST(TransferTable, Parts) {
  const char *extract =
      "%r = vector.extract %x[%i] : vector<32xf32> from vector<8x32xf32>";
  check({"extract", cutUp, extract, 0, {rows, columns}, {{1, {columns}}}});
  check({"extract backward", cutUp, extract, 1, {columns}, {{0, none}}});
  const char *insert =
      "%r = vector.insert %l, %x [3] : vector<32xf32> into vector<8x32xf32>";
  check({"insert",
         cutUp,
         insert,
         1,
         {rows, columns},
         {{0, {columns}}, {2, {rows, columns}}}});
  check({"insert backward",
         cutUp,
         insert,
         2,
         {rows, columns},
         {{0, {columns}}, {1, {rows, columns}}}});
}

TEST(TransferTable, Slices) {
  NestedDim half = columns;
  half.batchTile = 1;
  const char *slice =
      "%r = vector.extract_strided_slice %x {offsets = [0, 16], sizes = [8, "
      "16], strides = [1, 1]} : vector<8x32xf32> to vector<8x16xf32>";
  check(
      {"whole rounds", cutUp, slice, 0, {rows, columns}, {{1, {rows, half}}}});
  check({"whole rounds backward",
         cutUp,
         slice,
         1,
         {rows, half},
         {{0, {rows, columns}}}});
  const char *cut =
      "%r = vector.extract_strided_slice %x {offsets = [0, 3], sizes = [8, "
      "16], strides = [1, 1]} : vector<8x32xf32> to vector<8x16xf32>";
  check({"through lanes", cutUp, cut, 0, {rows, columns}, {{1, none}}});
  check({"registers",
         cutUp,
         cut,
         0,
         {rows, {1, 1, 1, 1, 32, 0, 0}},
         {{1, {rows, {1, 1, 1, 1, 16, 0, 0}}}}});
  const char *put =
      "%r = vector.insert_strided_slice %p, %x {offsets = [0, 16], strides = "
      "[1, 1]} : vector<8x16xf32> into vector<8x32xf32>";
  check({"insert_strided_slice",
         cutUp,
         put,
         2,
         {rows, columns},
         {{0, {rows, half}}, {1, {rows, columns}}}});
  check({"insert_strided_slice forward",
         cutUp,
         put,
         0,
         {rows, half},
         {{2, {rows, columns}}}});
}

TEST(TransferTable, Elements) {
  NestedDim whole{1, 1, 1, 1, 4, 0, 0};
  check(
      {"shuffle",
       cutUp,
       "%r = vector.shuffle %e, %e [0, 7, 3, 2] : vector<4xf32>, vector<4xf32>",
       0,
       {whole},
       {{1, {whole}}, {2, {whole}}}});
  const char *putTogether =
      "%r = vector.from_elements %f, %f, %f, %f : vector<4xf32>";
  check({"from_elements", cutUp, putTogether, nothing, none, {{0, {whole}}}});
  const char *takenApart = "%r:4 = vector.to_elements %e : vector<4xf32>";
  check({"to_elements", cutUp, takenApart, nothing, none, {{0, {whole}}}});
  NestedDim lanes{1, 1, 1, 4, 1, 0, 1};
  for (const char *op : {putTogether, takenApart})
    checkContradiction(
        {"elements of several lanes", cutUp, op, 0, {lanes}, {}});
}

// Loops, branches and masks have no rows: values that become others are tied.
TEST(TransferTable, Ties) {
  EXPECT_EQ(
      tiesOf(
          "%x: vector<4xf32>, %y: vector<4xi32>, %c: i1",
          "%r:2 = scf.while (%u = %x, %n = %i) : (vector<4xf32>, index) -> "
          "(vector<4xi32>, vector<4xf32>) {\nscf.condition(%c) %y, %u : "
          "vector<4xi32>, vector<4xf32>\n} do {\n^bb0(%p: vector<4xi32>, %q: "
          "vector<4xf32>):\nscf.yield %q, %i : vector<4xf32>, index\n}",
          "scf.while"),
      "scf.while 0 -> argument 0 of region 0\n"
      "scf.yield 0 -> argument 0 of region 0\n"
      "scf.condition 1 -> argument 0 of region 1\n"
      "scf.condition 1 -> result 0\n"
      "scf.condition 2 -> argument 1 of region 1\n"
      "scf.condition 2 -> result 1\n");
  EXPECT_EQ(tiesOf("%x: vector<4xf32>, %y: vector<4xf32>",
                   "%r:2 = scf.index_switch %i -> index, vector<4xf32>\ncase 3 "
                   "{\nscf.yield %i, %x : index, vector<4xf32>\n}\ndefault "
                   "{\nscf.yield %i, %y : index, vector<4xf32>\n}",
                   "scf.index_switch"),
            "scf.yield 1 -> result 1\nscf.yield 1 -> result 1\n");
  EXPECT_EQ(tiesOf("%m: memref<?xf32>, %k: vector<4xi1>, %x: vector<4xf32>",
                   "%r = vector.mask %k, %x { vector.transfer_read %m[%i], %f "
                   ": memref<?xf32>, vector<4xf32> } : vector<4xi1> -> "
                   "vector<4xf32>",
                   "vector.mask"),
            "vector.yield 0 -> result 0\nvector.mask 1 -> result 0\n");
}
