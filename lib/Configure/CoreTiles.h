//===- CoreTiles.h - Register tiles of a product on a CPU core --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A core holds the sums of a tile in vectors along its rows, and for each step
// along k loads a row of the right side, and broadcasts the elements of the
// left side one by one:
//
//   6x16 on AVX2   12 sums, 2 of the row, 1 repeated: 15 of 16 vectors;
//                  12 multiply-adds and 8 loads, two of each in a cycle
//
// A product of integers is a vector of its own until it is added.
//
// Where registers hold matrices (Target.h, MatrixUnit), sums fill some of them,
// and each product takes 16 words of all rows and columns at once:
//
//   32x32 on AMX   4 sums, 2 of the left side, 2 of the right one: all 8;
//                  4 products for 4 loads
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CORETILES_H
#define DISTAFF_LIB_CONFIGURE_CORETILES_H

#include "distaff/CheckedSize.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/MathExtras.h"

namespace distaff {

struct CoreStep {
  int64_t slots; // issue slots of one step along k
  int64_t words; // 32-bit words that the core holds
};

/// Returns a step of a tile of `rows` rows with `row` sums of `bytes` bytes
/// each, whose products are added by the same instruction if `isFused`. A sum
/// has a latency of 4 cycles, and two start in each: fewer than 8 wait for
/// themselves.
inline CoreStep stepOnCore(const Target &target, int64_t rows, int64_t row,
                           int64_t bytes, bool isFused) {
  constexpr int64_t sumsUnderWay = 8;
  int64_t width = target.simd.vectorBits / 32;
  int64_t vectors = llvm::divideCeil(row * bytes, 4 * width);
  int64_t issued = std::max({rows * vectors, rows + vectors, sumsUnderWay});
  // The row comes from the second-level cache, broadcast elements from the
  // first.
  int64_t waiting = (rows + 2 * vectors) * width / 4;
  int64_t products = isFused ? 0 : 1;
  return {issued * width + waiting,
          (rows * vectors + vectors + 1 + products) * width};
}

/// Returns a step of a tile whose sums fill matrix registers, with `perWord`
/// steps in a word. A product waits for the one whose sums it adds to: with
/// fewer than four registers of sums on AMX this takes longer than the loads.
inline CoreStep stepOnMatrices(const Target &target, int64_t rows, int64_t row,
                               int64_t perWord) {
  const MatrixUnit &unit = target.simd.matrices;
  assert(unit.holds(rows, row) && perWord > 0 &&
         "sums fill registers of matrices");
  int64_t down = rows / unit.rows, across = row / unit.words;
  int64_t quarters = std::max({down * across * unit.product,
                               (down + across) * unit.load, unit.latency});
  // A core computes two vectors in a cycle, which is 4 quarters.
  int64_t width = target.simd.vectorBits / 32;
  return {
      std::max<int64_t>(1, quarters * 2 * width / 4 / (unit.words * perWord)),
      width};
}

/// Returns a step of a tile in memory of `sums` sums of f32, which is computed
/// in register tiles of 6 rows of two vectors.
inline CoreStep stepInMemory(const Target &target, int64_t sums) {
  constexpr int64_t rows = 6;
  int64_t row = target.simd.vectorBits / 16;
  CoreStep step = stepOnCore(target, rows, row, 4, /*isFused=*/true);
  step.slots =
      llvm::divideCeil(saturatingProduct(sums, step.slots), rows * row);
  return step;
}

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CORETILES_H
