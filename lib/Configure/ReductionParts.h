//===- ReductionParts.h - A reduction as two ops ----------------*- C++ -*-===//
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
// A prime extent has parts of equal length after all, a multiple of 8 so that
// they begin where wide accesses may; part p starts from every so many of the
// elements that are left at the end:
//
//   1003 = 8 * 120 + 43
//   %first[p] = 0 + sum over g of (960 + 8 * g + p < 1003 ? %x[...] : 0)
//   %x2 = expand_shape (extract_slice %x[0][960])  : tensor<8x120xf32>
//   %parts[p] = %first[p] + sum over k of %x2[p, k]
//
// What is left at the end of a contraction is a contraction of its own, from
// which the whole starts, and so is what is left of operands whose extents a
// launch has to compare: it sees those of a part, and of the rest, of each.
//
// Parts of an extent that only a launch knows have one length, and a launch has
// as many as the extent holds; what is left is an op of its own, too:
//
//   %n = dim %x, 0
//   %x2 = expand_shape (extract_slice %x[0][%n / 64 * 64]) : tensor<?x64xf32>
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_REDUCTIONPARTS_H
#define DISTAFF_LIB_CONFIGURE_REDUCTIONPARTS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

/// A reduction that can be taken apart, and the loop by which.
struct Splittable {
  linalg::LinalgOp op;
  Operation *combiner = nullptr;
  TypedAttr neutral;
  unsigned loop = 0;         // that is split
  int64_t extent = 1;        // of it, dynamic or not
  int64_t assumedExtent = 1; // the same, or what counts for it
  int64_t inner = 1;         // points of the other loops that are reduced
  bool contracts = false;
  bool mayLeaveRest = true; // parts need not divide the extent
  /// Parts that no count divides are multiples of this long: they begin where
  /// wide accesses may. Of a product of a known extent it is more, so that they
  /// hold whole instructions.
  int64_t granule = 8;

  /// Whether all operands are seen to agree on the extents of the op's loops.
  bool hasOneExtent = true;

  bool isEvenIn(int64_t parts) const {
    return !ShapedType::isDynamic(extent) && extent % parts == 0;
  }
  /// Whether what is left by so many parts is an op of its own.
  bool hasRestApart(int64_t parts) const {
    return !isEvenIn(parts) &&
           (contracts || !hasOneExtent || ShapedType::isDynamic(extent));
  }
  /// How long a part is. Of a dynamic extent `parts` is what the assumed one
  /// has.
  int64_t lengthOfPart(int64_t parts) const {
    return isEvenIn(parts) ? extent / parts
                           : assumedExtent / (parts * granule) * granule;
  }
};

/// The op that computes the parts, one per index of its result's first dim. Its
/// loops are the parts, then those of the whole.
linalg::GenericOp createParts(RewriterBase &b, const Splittable &found,
                              int64_t parts);

/// What the whole starts from: the op's init, with what is left at the end
/// unless the parts start from that.
Value createStart(RewriterBase &b, const Splittable &found, int64_t parts);

/// The op that combines the parts with `start`.
linalg::GenericOp createWhole(OpBuilder &b, const Splittable &found,
                              Value parts, Value start);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_REDUCTIONPARTS_H
