//===- Recurrences.h - Loops that stay loops --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over tensors whose steps follow one another, while what a step
// computes is elementwise:
//
//   for %t = 0 to 2000 iter_args(%s = %s0, %o = %e) {
//     %x = extract_slice %in[%t, 0] [1, 32]         // a row of 32 channels
//     %s1 = a * %s + %x                             // elementwise
//     %p = insert_slice %s1 into %o[%t, 0]
//   }
//
// becomes one launch: workgroups share the channels, and each walks the loop. A
// carried tensor is a register of the loop where all of it is replaced in each
// step (%s), and memory where steps read and write pieces of it (%o), at places
// that may be computed from data, as in a histogram. Memory has the channels as
// dims of its own, so that what a workgroup reads is what it wrote itself.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_RECURRENCES_H
#define DISTAFF_LIB_CONFIGURE_RECURRENCES_H

#include "distaff/Kernel/ExtentFormulas.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace distaff {

/// What a value carried from step to step is.
enum class CarriedKind { Scalar, Register, Memory };

struct CarriedValue {
  CarriedKind kind = CarriedKind::Scalar;
  /// Of memory that is accessed, the dims of the channels.
  std::optional<SmallVector<unsigned>> channelDims;
};

/// How a loop becomes a launch.
struct Recurrence {
  scf::ForOp loop;
  SmallVector<AffineExpr> channels; // their extents
  /// Of each channel with a dynamic extent, a tensor outside of the loop with
  /// that extent, and the dim.
  SmallVector<std::pair<Value, unsigned>> channelSources;
  SmallVector<CarriedValue> carried;
};

/// Why a loop is no recurrence, and where.
struct NoRecurrence {
  Operation *op = nullptr;
  std::string reason;
};

/// Matches a loop; says in `why` what is missing.
std::optional<Recurrence> planRecurrence(scf::ForOp loop,
                                         const ExtentFormulas &formulas,
                                         NoRecurrence &why);

/// The dims of a tensor, or of a piece of one, that are not known to be 1.
SmallVector<unsigned> dimsOfChannels(ShapedType type);

/// Those of a piece of `whole`: a piece has other dims at a single place each.
SmallVector<unsigned> dimsOfChannels(OffsetSizeAndStrideOpInterface piece);

/// Replaces a loop by a call of its launch.
void writeRecurrence(const Recurrence &recurrence);

/// Writes the loops of a kernel that are recurrences and too long to be written
/// out, or of a length that only the launch knows.
void raiseRecurrences(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_RECURRENCES_H
