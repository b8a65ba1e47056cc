//===- ScanKernels.h - Launches that scan -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of tensors of one to three dims, along any of them. A tile is as much
// as lanes hold at once: some 4,096 words, one row of them where the scanned
// dim is the last one, else columns of 128 bytes together.
//
//   rows    a workgroup walks its row tile by tile, and carries the result so
//           far from one to the next
//   totals  a workgroup combines the elements of one tile
//   parts   a workgroup scans one tile, from what was before it
//   steps   lanes walk a row each, element by element
//
// One launch of `rows` reads and writes each element once. Where there are too
// few rows for the machine, `totals`, `rows` of these and `parts` read it
// twice, by as many workgroups as there are tiles. `steps` keeps the order of a
// loop, at the price of a lane per row.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_SCANKERNELS_H
#define DISTAFF_LIB_CONFIGURE_SCANKERNELS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {

struct Target;

/// What is combined, and how.
struct ScanKind {
  Operation *combiner = nullptr; ///< of two elements or tensors of them
  /// The combiner's; without one, each element is combined in its turn.
  std::optional<vector::CombiningKind> kind;
  TypedAttr neutral; ///< of elements
  unsigned dim = 0;
  bool isExclusive = false; ///< a place gets what was before it
  bool givesLast = false;   ///< somebody reads the result at the end

  /// Whether elements are combined one after the other, as a loop does.
  bool keepsOrder() const { return !kind; }
};

/// What a scan gives.
struct Scanned {
  Value all;  ///< the result so far, per place
  Value last; ///< the result at the end, without the dim; null if unread
};

/// What a combiner of elements, or of tensors or vectors of them, makes of two.
Value combineBy(OpBuilder &b, Location loc, Operation *combiner, Value lhs,
                Value rhs);

/// Calls launches that scan `source`, a tensor of up to three dims, at the
/// builder's place in a kernel. `start`: what comes before the first place, a
/// scalar or a tensor of the other dims.
Scanned callScan(OpBuilder &b, Location loc, Value source, Value start,
                 const ScanKind &scan, const Target &target);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_SCANKERNELS_H
