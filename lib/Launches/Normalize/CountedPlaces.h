//===- CountedPlaces.h - Positions that a loop iterates over ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NORMALIZE_COUNTEDPLACES_H
#define DISTAFF_LIB_LAUNCHES_NORMALIZE_COUNTEDPLACES_H

#include "distaff/Kernel/ExtentFormulas.h"
#include "distaff/LLVM.h"

namespace distaff {

/// A dim, and whether a loop iterates over its positions in reverse.
struct CountedDim {
  unsigned dim = 0;
  bool isBackwards = false;

  bool operator==(const CountedDim &) const = default;
};

/// Returns whether a position counts backwards from the end of `extent`
/// positions (true) or is a loop's counter, from 0 on (false); none if neither.
std::optional<bool> isBackwards(OpFoldResult place, Value counter,
                                AffineExpr extent,
                                const ExtentFormulas &formulas);

/// Returns a tensor with the positions along a dim in reverse order.
Value reversed(RewriterBase &rewriter, Location loc, Value tensor,
               unsigned dim);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_NORMALIZE_COUNTEDPLACES_H
