//===- Recurrences.h - Recurrences as launches with a loop ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recurrence is a loop over tensors whose steps depend on one another, while
// each step is elementwise:
//
//   for %t = 0 to 2000 iter_args(%s = %s0, %o = %e) {
//     %x = extract_slice %in[%t, 0] [1, 32]         // a row of 32 channels
//     %s1 = a * %s + %x                             // elementwise
//     %p = insert_slice %s1 into %o[%t, 0]
//   }
//
// It becomes one launch: workgroups share the channels, and each runs the loop.
// A carried tensor is a register of the loop where all of it is replaced in
// each step (%s), and memory where steps read and write slices of it (%o), at
// positions that may be computed from data, as in a histogram. Memory has the
// channels as dims of its own, so that a workgroup reads only what it wrote
// itself.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_LOOPS_RECURRENCES_H
#define DISTAFF_LIB_LAUNCHES_LOOPS_RECURRENCES_H

#include "distaff/Kernel/ExtentFormulas.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace distaff {

/// The storage of a value that is carried from step to step.
enum class CarriedKind { Scalar, Register, Memory };

struct CarriedValue {
  CarriedKind kind = CarriedKind::Scalar;
  /// The dims of the channels, for memory that is accessed.
  std::optional<SmallVector<unsigned>> channelDims;
};

/// Plans a loop as a launch.
struct Recurrence {
  scf::ForOp loop;
  SmallVector<AffineExpr> channels; // their extents
  /// Per channel with a dynamic extent, a tensor outside of the loop with
  /// that extent, and the dim.
  SmallVector<std::pair<Value, unsigned>> channelSources;
  SmallVector<CarriedValue> carried;
};

/// The reason why a loop is no recurrence, and its location.
struct NoRecurrence {
  Operation *op = nullptr;
  std::string reason;
};

/// Matches a loop; returns in `why` what is missing.
std::optional<Recurrence> planRecurrence(scf::ForOp loop,
                                         const ExtentFormulas &formulas,
                                         NoRecurrence &why);

/// Returns the dims of a tensor, or of a slice, that are not known to be 1.
SmallVector<unsigned> dimsOfChannels(ShapedType type);

/// Returns those dims of a slice, which has each other dim at a single
/// position.
SmallVector<unsigned> dimsOfChannels(OffsetSizeAndStrideOpInterface piece);

/// Replaces a loop by a call of its launch.
void writeRecurrence(const Recurrence &recurrence);

/// Raises the loops of a kernel that are recurrences and too long to be fully
/// unrolled, or of a dynamic trip count.
void raiseRecurrences(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_LOOPS_RECURRENCES_H
