//===- OnlineSoftmax.h - A softmax that a contraction sums up ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention, once its softmax is taken apart: of scores x, along keys t,
//
//   m = max x,  e = exp(x - m),  l = sum e,  o = sum (e / l) * v
//
// Three walks along the keys, of which the later ones need what the earlier
// ones have found. One walk suffices that corrects what it has so far whenever
// the maximum grows: with c = exp(m_old - m), l = l_old * c + sum e and o =
// o_old * c + sum e * v, and o / l at the end (Milakov and Gimelshein, 2018).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_ONLINESOFTMAX_H
#define DISTAFF_ANALYSIS_LINALG_ONLINESOFTMAX_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

struct OnlineSoftmax {
  Value scores; // what the maximum is of
  linalg::LinalgOp maximum, sum, division, contraction;
  /// From scores and maximum to the exponentials, in order.
  SmallVector<linalg::LinalgOp> powers;
  /// From the quotients to what is contracted, in order: casts, masks.
  SmallVector<linalg::LinalgOp> casts;
  bool isBaseTwo = false; // exp2

  /// What they make, of which nobody else may read anything.
  bool contains(Operation *op) const;
};

/// Matches what `contraction` sums up against the form above.
std::optional<OnlineSoftmax> matchOnlineSoftmax(Operation *contraction);

/// The ops of an attention that `contraction` ends, with linalg.softmax or what
/// it is taken apart into: from the contraction that makes the scores on. Empty
/// where there is none, or where anyone else reads in between.
SmallVector<Operation *> findAttention(Operation *contraction);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_ONLINESOFTMAX_H
