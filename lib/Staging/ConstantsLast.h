//===- ConstantsLast.h - Constants last in sums of indices ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices of the accesses of one tile, or of the iterations of one loop, differ
// by constants. An access has an immediate offset, so the difference is free if
// the constant is the last summand:
//
//   %a = %row + 16           %s = %row + %lane
//   %i = %a + %lane    =>    %i = %s + 16         %s is the same for all
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_CONSTANTSLAST_H
#define DISTAFF_LIB_STAGING_CONSTANTSLAST_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff {

/// An index sum is a value, null for none, plus a constant; sums are computed
/// modulo 2^64.
struct IndexSum {
  Value value;
  uint64_t constant = 0;

  /// Splits off the trailing constant of an index.
  static IndexSum of(Value index);
};

/// Rewrites sums of indices, and their products with constants, so that their
/// constants come last.
void moveConstantsLast(Operation *root);

} // namespace distaff

#endif // DISTAFF_LIB_STAGING_CONSTANTSLAST_H
