//===- ScanKernels.h - Scan (prefix sum) kernels ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits scans of tensors of one to three dims, along any of them. A tile is as
// much as lanes hold at once: about 4,096 words, one row of them where the
// scanned dim is the last one, else columns of 128 bytes together.
//
//   rows    a workgroup scans its row tile by tile, and carries the partial
//           result from one to the next
//   totals  a workgroup combines the elements of one tile
//   parts   a workgroup scans one tile, from the result before it
//   steps   lanes scan a row each, element by element
//
// One launch of `rows` reads and writes each element once. Where there are too
// few rows for the machine, `totals`, `rows` of these and `parts` read it
// twice, by as many workgroups as there are tiles. `steps` keeps the order of a
// loop, at the price of a lane per row.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_SCANS_SCANKERNELS_H
#define DISTAFF_LIB_LAUNCHES_SCANS_SCANKERNELS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {

struct Target;

/// Describes the combiner of a scan, and its order.
struct ScanKind {
  Operation *combiner = nullptr; ///< of two elements or tensors of them
  /// The combiner's kind; without one, the elements are combined in order.
  std::optional<vector::CombiningKind> kind;
  TypedAttr neutral; ///< of elements
  unsigned dim = 0;
  bool isExclusive = false; ///< a position gets the result before it
  bool givesLast = false;   ///< the result at the end is read

  /// Returns whether elements are combined in order, as by a loop.
  bool keepsOrder() const { return !kind; }
};

/// The results of a scan.
struct Scanned {
  Value all;  ///< the partial result at each position
  Value last; ///< the result at the end, without the dim; null if unread
};

/// Returns the combination of two elements, tensors or vectors by a combiner.
Value combineBy(OpBuilder &b, Location loc, Operation *combiner, Value lhs,
                Value rhs);

/// Emits calls of launches that scan `source`, a tensor of up to three dims, at
/// the builder's insertion point in a kernel. `start` is the value before the
/// first position, a scalar or a tensor of the other dims.
Scanned callScan(OpBuilder &b, Location loc, Value source, Value start,
                 const ScanKind &scan, const Target &target);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_SCANS_SCANKERNELS_H
