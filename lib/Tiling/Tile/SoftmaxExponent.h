//===- SoftmaxExponent.h - Exponents by one multiply-add --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exponentials of attention are of scores y = c x, scaled by a constant c >
// 0, and of their maximum in a row. With m = max x and k = c log2 e,
//
//   exp(y - max y) = exp2(k x - k m)
//
// is one multiply-add, fma(x, k, n) with n = -(k m) per row, in place of a
// product by c, a difference, and a product by log2 e.
//
// The product k m is rounded, so all exponentials of a row are off by one
// factor 2^d, |d| at most half a unit in the last place of k m. Quotients of
// them by their sum are exact in this respect. The factor must be
// representable: where k |m| is 2^28 or more (d up to 16 beyond), k becomes the
// power of two below, whose products are exact. Exponents of such scores are at
// least 16 apart, so a score that is not the maximum counts at most 2^-16, and
// not e^-16 or less.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_SOFTMAXEXPONENT_H
#define DISTAFF_LIB_TILING_TILE_SOFTMAXEXPONENT_H

#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

class SoftmaxExponent {
public:
  /// Removes the scale from the ops that compute the scores, if these have no
  /// other readers. Returns none for a softmax that is not of f32.
  static std::optional<SoftmaxExponent> take(RewriterBase &rewriter,
                                             OnlineSoftmax &online);

  /// Returns the factor of the scores.
  double factor() const { return ofScores; }
  /// Returns the power of two that replaces the factor in rows whose maximum is
  /// not below `firstCoarse`, where it is equally accurate.
  double coarseFactor() const;
  double firstCoarse() const;
  /// Returns the initial value of a maximum. It is finite, so that a row whose
  /// scores so far are all -inf has exponents of -inf, and no -inf - -inf.
  double leastMaximum() const;

private:
  explicit SoftmaxExponent(double factor) : ofScores(factor) {}

  double ofScores;
};

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_SOFTMAXEXPONENT_H
