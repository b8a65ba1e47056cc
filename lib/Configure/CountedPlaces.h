//===- CountedPlaces.h - Places that a loop goes through --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_COUNTEDPLACES_H
#define DISTAFF_LIB_CONFIGURE_COUNTEDPLACES_H

#include "distaff/Kernel/ExtentFormulas.h"
#include "distaff/LLVM.h"

namespace distaff {

/// A dim, and whether a loop goes through its places from the last one on.
struct CountedDim {
  unsigned dim = 0;
  bool isBackwards = false;

  bool operator==(const CountedDim &) const = default;
};

/// Whether a place is a loop's counter, from 0 on, or counts backwards from the
/// end of `extent` places; none if it is neither.
std::optional<bool> isBackwards(OpFoldResult place, Value counter,
                                AffineExpr extent,
                                const ExtentFormulas &formulas);

/// A tensor with the places along a dim in the opposite order.
Value reversed(RewriterBase &rewriter, Location loc, Value tensor,
               unsigned dim);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_COUNTEDPLACES_H
