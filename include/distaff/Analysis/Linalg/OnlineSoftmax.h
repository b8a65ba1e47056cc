//===- OnlineSoftmax.h - Match a softmax before a contraction ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decomposed attention computes, from scores x along keys t,
//
//   m = max x,  e = exp(x - m),  l = sum e,  o = sum (e / l) * v
//
// These are three passes over the keys, and the later ones need the results of
// the earlier ones. One pass suffices if it rescales its partial results
// whenever the maximum grows: with c = exp(m_old - m), l = l_old * c + sum e
// and o = o_old * c + sum e * v, and o / l at the end (Milakov and Gimelshein,
// 2018).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_ONLINESOFTMAX_H
#define DISTAFF_ANALYSIS_LINALG_ONLINESOFTMAX_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

struct OnlineSoftmax {
  Value scores; // the operand of the maximum
  linalg::LinalgOp maximum, sum, division, contraction;
  /// The ops between scores and maximum and the exponentials, in order.
  SmallVector<linalg::LinalgOp> powers;
  /// The ops between the quotients and the contraction, in order: casts, masks.
  SmallVector<linalg::LinalgOp> casts;
  bool isBaseTwo = false; // exp2

  /// Returns whether `op` is one of these ops; no op outside may read their
  /// results.
  bool contains(Operation *op) const;
};

/// Matches the operands of `contraction` against the form above.
std::optional<OnlineSoftmax> matchOnlineSoftmax(Operation *contraction);

/// Returns the ops of an attention that `contraction` ends, with linalg.softmax
/// or its decomposition, starting with the contraction that computes the
/// scores. Returns an empty list if there is none, or if another op reads a
/// value in between.
SmallVector<Operation *> findAttention(Operation *contraction);

/// Features of queries and of values of the attention that `root` ends, of
/// which a core takes all, its keys in steps; none where it ends none, or only
/// a launch knows.
std::optional<int64_t> featuresOfAttention(Operation *root);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_ONLINESOFTMAX_H
