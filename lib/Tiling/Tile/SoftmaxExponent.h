//===- SoftmaxExponent.h - Exponents by one multiply-add --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exponential of attention is of scores y that a constant c > 0 scales, y =
// c x, and of their maximum in a row. With m = max x and k = c log2 e,
//
//   exp(y - max y) = exp2(k x - k m)
//
// is one multiply-add, fma(x, k, n) with n = -(k m) per row, in place of a
// product by c, a difference, and a product by log2 e.
//
// The product k m is rounded, so all exponentials of a row are off by one
// factor 2^d, |d| at most half a unit in the last place of k m. Quotients of
// them by their sum are not. The factor must be representable: where k |m| is
// 2^28 or more (d up to 16 beyond), k becomes the power of two below, whose
// products are exact. Exponents of such scores are at least 16 apart, so a
// score that is not the maximum counts at most 2^-16, and not e^-16 or less.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_SOFTMAXEXPONENT_H
#define DISTAFF_LIB_TILING_TILE_SOFTMAXEXPONENT_H

#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

class SoftmaxExponent {
public:
  /// Takes the scale out of what makes the scores, where nothing else reads
  /// them. None for a softmax that is not of f32.
  static std::optional<SoftmaxExponent> take(RewriterBase &rewriter,
                                             OnlineSoftmax &online);

  /// What scores are multiplied by.
  double factor() const { return ofScores; }
  /// The power of two that takes its place in rows whose maximum is not below
  /// `firstCoarse`, which is as good there.
  double coarseFactor() const;
  double firstCoarse() const;
  /// What a maximum starts from. It is finite, so that a row of which all
  /// scores so far are -inf has exponentials of -inf, and no -inf - -inf.
  double leastMaximum() const;

private:
  explicit SoftmaxExponent(double factor) : ofScores(factor) {}

  double ofScores;
};

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_SOFTMAXEXPONENT_H
