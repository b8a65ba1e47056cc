//===- LowerMathFunctions.h - Accurate expansions in f32 --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These expansions replace upstream's expansions of a math function where those
// have a larger error than a GPU's own function would have.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERMATHFUNCTIONS_H
#define DISTAFF_LIB_LOWER_LOWERMATHFUNCTIONS_H

#include "FloatFormulas.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

enum class LogarithmBase { E, Two, Ten };

/// Returns the logarithm of an f64 that is not negative; infinite for 0 and
/// infinity, and any number for NaN. Its relative error is below 2^-64.
formulas::DoubleWord logarithmOfDouble(formulas::F x, LogarithmBase base);

/// Returns 2^x of a sum in f64.
formulas::F exp2OfDouble(formulas::DoubleWord x);

/// Returns the angle of (x, y) in f64.
formulas::F atan2OfDouble(formulas::F y, formulas::F x);

/// A formula of one number.
using Formula = formulas::F (*)(formulas::F);

/// Returns the formula of a function of f64, by the name of its op; null
/// without one.
Formula formulaOfDouble(StringRef name);

/// Returns x^y of f32 or f64, with an error of one unit in the last place.
formulas::F powerOf(formulas::F x, formulas::F y);

/// Returns x^n of f32 or f64 for an integer of any width, as accurate.
formulas::F powerByInteger(formulas::F x, Value n);

/// Returns x^n of integers, modulo 2^width; a negative n divides by the power,
/// which 0 does not have.
Value powerOfIntegers(math::IPowIOp op, OpBuilder &builder);

/// Returns the remainder of x / y, whose quotient is rounded towards zero, of
/// f32 or f64. It is exact.
formulas::F remainderOf(formulas::F x, formulas::F y);

/// Replaces a math op on floats of at most 32 bits by an expansion that is
/// within 4 units in the last place of f32, and ops on integers and classes of
/// floats by exact ones; fails where upstream's is as good.
LogicalResult expandAccurately(Operation *op, RewriterBase &rewriter);

/// Replaces every math.sincos by a sine and a cosine.
void splitSincos(Operation *function, RewriterBase &rewriter);

/// Replaces arith.remf by an exact expansion.
void expandRemainder(arith::RemFOp op, RewriterBase &rewriter);

/// Replaces exp and exp2 of f32 by polynomials, where no instruction computes
/// either; fails for other ops.
LogicalResult expandExponential(Operation *op, RewriterBase &rewriter);

} // namespace distaff

#endif // DISTAFF_LIB_LOWER_LOWERMATHFUNCTIONS_H
