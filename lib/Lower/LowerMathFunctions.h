//===- LowerMathFunctions.h - Accurate expansions in f32 --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where upstream's expansions of a math function are off by more than a GPU's
// own function would be, these come first.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERMATHFUNCTIONS_H
#define DISTAFF_LIB_LOWER_LOWERMATHFUNCTIONS_H

#include "distaff/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Replaces a math op on floats of at most 32 bits by an expansion that is
/// within 4 units in the last place of f32; fails where upstream's is as good.
LogicalResult expandAccurately(Operation *op, RewriterBase &rewriter);

/// Replaces exp and exp2 of f32 by polynomials, where no instruction computes
/// either; fails for other ops.
LogicalResult expandExponential(Operation *op, RewriterBase &rewriter);

} // namespace distaff

#endif // DISTAFF_LIB_LOWER_LOWERMATHFUNCTIONS_H
