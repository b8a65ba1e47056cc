//===- ReductionParts.h - Split-K reductions --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of extent 1000 that is reduced, in 8 parts of 125 steps:
//
//   %x2 = tensor.expand_shape %x [[0, 1]]          : tensor<8x125xf32>
//   %parts[p] = 0 + sum over k of %x2[p, k]
//   %sum = %init + sum over p of %parts[p]
//
// A prime extent has parts of equal length, too, a multiple of 8 so that they
// begin where wide accesses may; part p starts from a strided share of the
// elements in the remainder:
//
//   1003 = 8 * 120 + 43
//   %first[p] = 0 + sum over g of (960 + 8 * g + p < 1003 ? %x[...] : 0)
//   %x2 = expand_shape (extract_slice %x[0][960])  : tensor<8x120xf32>
//   %parts[p] = %first[p] + sum over k of %x2[p, k]
//
// The remainder of a contraction is a contraction of its own, from which the
// whole starts. So is the remainder of operands whose extents a launch has to
// compare: the launch compares those of a part, and of the remainder, of each.
//
// Parts of a dynamic extent have a static length, and a launch has as many as
// the extent holds; the remainder is an op of its own, too:
//
//   %n = dim %x, 0
//   %x2 = expand_shape (extract_slice %x[0][%n / 64 * 64]) : tensor<?x64xf32>
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_REDUCTIONPARTS_H
#define DISTAFF_LIB_LAUNCHES_REDUCTIONPARTS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

/// Describes a reduction that can be split, and the loop that is split.
struct Splittable {
  linalg::LinalgOp op;
  Operation *combiner = nullptr;
  TypedAttr neutral;
  unsigned loop = 0;         // loop that is split
  int64_t extent = 1;        // extent of the loop, dynamic or not
  int64_t assumedExtent = 1; // same, or the nominal one of a dynamic extent
  int64_t inner = 1;         // points of the other reduced loops
  bool contracts = false;
  bool mayLeaveRest = true; // parts need not divide the extent
  /// The granule of parts that do not divide the extent: they are multiples of
  /// this long, and begin where wide accesses may. For a product of a known
  /// extent it is larger, so that parts hold whole instructions.
  int64_t granule = 8;

  /// Whether all operands are known to agree on the extents of the op's loops.
  bool hasOneExtent = true;

  bool isEvenIn(int64_t parts) const {
    return !ShapedType::isDynamic(extent) && extent % parts == 0;
  }
  /// Returns whether the remainder of so many parts is an op of its own.
  bool hasRestApart(int64_t parts) const {
    return !isEvenIn(parts) &&
           (contracts || !hasOneExtent || ShapedType::isDynamic(extent));
  }
  /// Returns the length of a part. For a dynamic extent `parts` is the number
  /// of parts of the assumed one.
  int64_t lengthOfPart(int64_t parts) const {
    return isEvenIn(parts) ? extent / parts
                           : assumedExtent / (parts * granule) * granule;
  }
};

/// Creates the op that computes the parts, one per index of its result's first
/// dim. Its loops are the parts, then those of the whole.
linalg::GenericOp createParts(RewriterBase &b, const Splittable &found,
                              int64_t parts);

/// Creates the start value of the whole: the op's init, combined with the
/// remainder unless the parts start from the remainder.
Value createStart(RewriterBase &b, const Splittable &found, int64_t parts);

/// Creates the op that combines the parts with `start`.
linalg::GenericOp createWhole(OpBuilder &b, const Splittable &found,
                              Value parts, Value start);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_REDUCTIONPARTS_H
