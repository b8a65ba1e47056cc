//===- KernelText.h - Pieces of kernels for both machines -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches, layouts, and kernels that are alike for subgroups of 32 and of 64
// lanes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_KERNELTEXT_H
#define DISTAFF_UNITTESTS_PIPELINES_KERNELTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace distaff::ptx_test {

/// Replaces every $NAME in a text.
inline std::string
fill(std::string text,
     std::vector<std::pair<std::string, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find("$" + name)) != std::string::npos;)
      text.replace(at, name.size() + 1, value);
  return text;
}

inline std::string launch(int threads, int subgroup = 32) {
  return "attributes {translation_info = #iree_codegen.translation_info<"
         "workgroup_size = [" +
         std::to_string(threads) +
         ", 1, 1] subgroup_size = " + std::to_string(subgroup) + ">}";
}

/// The same for the program of one lane.
inline std::string laneLaunch(int threads, int subgroup = 32) {
  return "kernel attributes {known_block_size = array<i32: " +
         std::to_string(threads) +
         ", 1, 1>, translation_info = "
         "#iree_codegen.translation_info<subgroup_size = " +
         std::to_string(subgroup) + ">}";
}

/// A layout of rank 1.
inline std::string line(int subgroups, int batch, int lanes, int elements,
                        int laneStride = 1) {
  auto list = [](int value) { return "[" + std::to_string(value) + "]"; };
  return "#iree_vector_ext.nested_layout<subgroup_tile = " + list(subgroups) +
         ", batch_tile = " + list(batch) +
         ", outer_tile = [1], thread_tile = " + list(lanes) +
         ", element_tile = " + list(elements) +
         ", subgroup_strides = " + list(subgroups > 1) +
         ", thread_strides = " + list(lanes > 1 ? laneStride : 0) + ">";
}

inline const char *zeroOf(llvm::StringRef type) {
  return type.front() == 'i' ? "0" : "0.0";
}

/// What a thread is told about itself, for a workgroup of "x, y, z" lanes.
inline std::string idsKernel(const std::string &size, int subgroup) {
  return fill(R"(
gpu.module @kernels {
gpu.func @k(%o: memref<1024x8xi32>) kernel attributes {known_block_size = array<i32: $size>, translation_info = #iree_codegen.translation_info<subgroup_size = $S>} {
  %x = gpu.thread_id x
  %y = gpu.thread_id y
  %z = gpu.thread_id z
  %s = gpu.subgroup_id : index
  %n = gpu.num_subgroups : index
  %bx = gpu.block_dim x
  %by = gpu.block_dim y
  %bz = gpu.block_dim z
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %gx = gpu.global_id x
  %gy = gpu.global_id y
  %gz = gpu.global_id z
  %zy = arith.muli %z, %by : index
  %row = arith.addi %zy, %y : index
  %rows = arith.muli %row, %bx : index
  %t = arith.addi %rows, %x : index
  %v0 = arith.index_cast %s : index to i32
  %v1 = arith.index_cast %n : index to i32
  %v2 = arith.index_cast %bx : index to i32
  %v3 = arith.index_cast %by : index to i32
  %v4 = arith.index_cast %bz : index to i32
  %v5 = arith.index_cast %gx : index to i32
  %v6 = arith.index_cast %gy : index to i32
  %v7 = arith.index_cast %gz : index to i32
  memref.store %v0, %o[%t, %c0] : memref<1024x8xi32>
  memref.store %v1, %o[%t, %c1] : memref<1024x8xi32>
  memref.store %v2, %o[%t, %c2] : memref<1024x8xi32>
  memref.store %v3, %o[%t, %c3] : memref<1024x8xi32>
  memref.store %v4, %o[%t, %c4] : memref<1024x8xi32>
  memref.store %v5, %o[%t, %c5] : memref<1024x8xi32>
  memref.store %v6, %o[%t, %c6] : memref<1024x8xi32>
  memref.store %v7, %o[%t, %c7] : memref<1024x8xi32>
  gpu.return
}
})",
              {{"size", size}, {"S", std::to_string(subgroup)}});
}

/// Every lane keeps 12 numbers, in an order that it reads from memory.
inline std::string privateKernel(int subgroup) {
  return fill(R"(
gpu.module @kernels {
gpu.func @k(%x: memref<$Nx12xi32>, %at: memref<$Nxi32>, %y: memref<$Nx12xi32>) $launch {
  %id = gpu.thread_id x
  %p = memref.alloca() : memref<12xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %k32 = memref.load %at[%id] : memref<$Nxi32>
  %k = arith.index_cast %k32 : i32 to index
  scf.for %i = %c0 to %c12 step %c1 {
    %v = memref.load %x[%id, %i] : memref<$Nx12xi32>
    %m = arith.addi %i, %k : index
    %j = arith.remui %m, %c12 : index
    memref.store %v, %p[%j] : memref<12xi32>
  }
  scf.for %i = %c0 to %c12 step %c4 {
    %v = vector.load %p[%i] {alignment = 16 : i64} : memref<12xi32>, vector<4xi32>
    vector.store %v, %y[%id, %i] {alignment = 16 : i64} : memref<$Nx12xi32>, vector<4xi32>
  }
  gpu.return
}
})",
              {{"launch", laneLaunch(subgroup, subgroup)},
               {"N", std::to_string(subgroup)}});
}

/// Every lane's id in a grid of 3 x 2 workgroups of some rows.
inline std::string gridIds(int subgroup) {
  return fill(
      R"(
gpu.module @kernels {
gpu.func @k(%o: memref<6x$Nxi32>) kernel attributes {known_block_size = array<i32: $S, 3, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = $S>} {
  %x = gpu.global_id x
  %y = gpu.global_id y
  %z = gpu.global_id z
  %c1000 = arith.constant 1000 : index
  %row = arith.muli %y, %c1000 : index
  %at = arith.addi %row, %x : index
  %id = arith.addi %at, %z : index
  %v = arith.index_cast %id : index to i32
  memref.store %v, %o[%y, %x] : memref<6x$Nxi32>
  gpu.return
}
}
func.func @k__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  return %c3, %c2, %c1 : index, index, index
})",
      {{"S", std::to_string(subgroup)}, {"N", std::to_string(3 * subgroup)}});
}

/// Every op of the index dialect, on numbers of both signs.
inline std::string indexArithmetic(int subgroup) {
  std::string body;
  int count = 0;
  auto add = [&](std::string value) {
    body += fill(R"(
  %v$K = $value
  %at$K = index.constant $K
  %w$K = index.casts %v$K : index to i64
  memref.store %w$K, %o[%at$K, %id] : memref<32x$Nxi64>)",
                 {{"value", value}, {"K", std::to_string(count++)}});
  };
  for (std::string op : {"add", "sub", "mul", "divs", "divu", "ceildivs",
                         "ceildivu", "floordivs", "rems", "remu", "maxs",
                         "maxu", "mins", "minu", "and", "or", "xor"})
    add("index." + op + " %a, %b");
  for (std::string op : {"shl", "shrs", "shru"})
    add("index." + op + " %a, %shift");
  for (std::string predicate :
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}) {
    body += "\n  %" + predicate + " = index.cmp " + predicate + "(%a, %b)";
    add("arith.select %" + predicate + ", %a, %b : index");
  }
  add("index.sizeof");
  return fill(R"(
gpu.module @kernels {
gpu.func @k(%x: memref<$Nxi32>, %y: memref<$Nxi32>, %o: memref<32x$Nxi64>) $launch {
  %id = gpu.thread_id x
  %x0 = memref.load %x[%id] : memref<$Nxi32>
  %y0 = memref.load %y[%id] : memref<$Nxi32>
  %a = index.casts %x0 : i32 to index
  %y1 = index.castu %y0 : i32 to index
  %one = index.constant 1
  %positive = index.or %y1, %one
  %negative = index.sub %one, %positive
  %odd = arith.trunci %x0 : i32 to i1
  %true = index.bool.constant true
  %even = arith.xori %odd, %true : i1
  %either = arith.select %even, %positive, %negative : index
  %b = index.or %either, %one
  %mask = index.constant 31
  %shift = index.and %y1, %mask$body
  gpu.return
}
})",
              {{"body", body},
               {"launch", laneLaunch(subgroup, subgroup)},
               {"N", std::to_string(subgroup)}});
}

/// Numbers of `width` bits, two arrays of them in workgroup memory that are
/// written four per lane and read one per lane, the second through an exchange.
inline std::string gappedIntegers(int width, int length, int subgroup) {
  return fill(R"(
#fours = $fours
#ones = $ones
#space = #gpu.address_space<workgroup>
func.func @k(%x: memref<$Nxi64>, %y: memref<$Nxi64>, %r: memref<$Nxi64>, %s: memref<$Nxi64>) $launch {
  %c0 = arith.constant 0 : index
  %tile = arith.constant $tile : index
  %end = arith.constant $N : index
  %pad = arith.constant 0 : i64
  %none = arith.constant 0 : $T
  %a = memref.alloc() : memref<$Nx$T, #space>
  %b = memref.alloc() : memref<$Nx$T, #space>
  scf.for %i = %c0 to %end step %tile {
    %0 = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<$Nxi64>, vector<$tilexi64>
    %1 = vector.transfer_read %y[%i], %pad {in_bounds = [true]} : memref<$Nxi64>, vector<$tilexi64>
    %2 = iree_vector_ext.to_layout %0 to layout(#fours) : vector<$tilexi64>
    %3 = iree_vector_ext.to_layout %1 to layout(#fours) : vector<$tilexi64>
    %4 = arith.trunci %2 : vector<$tilexi64> to vector<$tilex$T>
    %5 = arith.trunci %3 : vector<$tilexi64> to vector<$tilex$T>
    vector.transfer_write %4, %a[%i] {in_bounds = [true]} : vector<$tilex$T>, memref<$Nx$T, #space>
    vector.transfer_write %5, %b[%i] {in_bounds = [true]} : vector<$tilex$T>, memref<$Nx$T, #space>
  }
  scf.for %i = %c0 to %end step %tile {
    %0 = vector.transfer_read %a[%i], %none {in_bounds = [true]} : memref<$Nx$T, #space>, vector<$tilex$T>
    %1 = vector.transfer_read %b[%i], %none {in_bounds = [true]} : memref<$Nx$T, #space>, vector<$tilex$T>
    %2 = iree_vector_ext.to_layout %0 to layout(#ones) : vector<$tilex$T>
    %3 = iree_vector_ext.to_layout %1 to layout(#fours) : vector<$tilex$T>
    %4 = iree_vector_ext.to_layout %3 to layout(#ones) {shared_memory_conversion} : vector<$tilex$T>
    %5 = arith.muli %2, %4 : vector<$tilex$T>
    %6 = arith.maxsi %2, %4 : vector<$tilex$T>
    %7 = arith.extui %5 : vector<$tilex$T> to vector<$tilexi64>
    %8 = arith.extsi %6 : vector<$tilex$T> to vector<$tilexi64>
    vector.transfer_write %7, %r[%i] {in_bounds = [true]} : vector<$tilexi64>, memref<$Nxi64>
    vector.transfer_write %8, %s[%i] {in_bounds = [true]} : vector<$tilexi64>, memref<$Nxi64>
  }
  return
})",
              {{"launch", launch(subgroup, subgroup)},
               {"fours", line(1, 1, subgroup, 4)},
               {"ones", line(1, 4, subgroup, 1)},
               {"tile", std::to_string(4 * subgroup)},
               {"N", std::to_string(length)},
               {"T", "i" + std::to_string(width)}});
}

/// One instruction on what every lane reads, lhs and rhs as col_major has them.
inline std::string transposedProduct(const std::string &name, int subgroup,
                                     const std::string &lhs,
                                     const std::string &rhs,
                                     const std::string &acc,
                                     const std::string &type) {
  return fill(R"(
#none = affine_map<() -> ()>
gpu.module @kernels {
gpu.func @k(%x: memref<$Nx$Lx$T>, %y: memref<$Nx$Rx$T>, %z: memref<$Nx$Axf32>, %o: memref<$Nx$Axf32>) $launch {
  %id = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : $T
  %q = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%id, %c0, %c0], %p {in_bounds = [true, true]} : memref<$Nx$Lx$T>, vector<$Lx$T>
  %b = vector.transfer_read %y[%id, %c0, %c0], %p {in_bounds = [true, true]} : memref<$Nx$Rx$T>, vector<$Rx$T>
  %c = vector.transfer_read %z[%id, %c0, %c0], %q {in_bounds = [true, true]} : memref<$Nx$Axf32>, vector<$Axf32>
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#none, #none, #none], kind = #iree_gpu.mma_layout<$kind, col_major>} : vector<$Lx$T>, vector<$Rx$T> into vector<$Axf32>
  vector.transfer_write %d, %o[%id, %c0, %c0] {in_bounds = [true, true]} : vector<$Axf32>, memref<$Nx$Axf32>
  gpu.return
}
})",
              {{"launch", laneLaunch(subgroup, subgroup)},
               {"kind", name},
               {"N", std::to_string(subgroup)},
               {"L", lhs},
               {"R", rhs},
               {"A", acc},
               {"T", type}});
}

/// 1 where a function of x is NaN, for x = sqrt of numbers of both signs.
inline std::string nanAfter(const std::string &op, int subgroup) {
  return fill(R"(
gpu.module @kernels {
gpu.func @k(%x: memref<$Nxf32>, %y: memref<$Nxi32>) $launch {
  %id = gpu.thread_id x
  %v = memref.load %x[%id] : memref<$Nxf32>
  %r = math.sqrt %v : f32
  %e = $op %r : f32
  %n = math.isnan %e : f32
  %i = arith.extui %n : i1 to i32
  memref.store %i, %y[%id] : memref<$Nxi32>
  gpu.return
}
})",
              {{"launch", laneLaunch(subgroup, subgroup)},
               {"op", op},
               {"N", std::to_string(subgroup)}});
}

} // namespace distaff::ptx_test

#endif // DISTAFF_UNITTESTS_PIPELINES_KERNELTEXT_H
