//===- BodyParts.h - Values of a linalg op's body by themselves -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream vectorizes a body as a whole. What a read's positions or a
// comparison's candidates are is computed by an op of its own instead, which is
// vectorized as any other.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_BODYPARTS_H
#define DISTAFF_LIB_TILING_BODYPARTS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace distaff {

/// A position along one of an op's loops, from an offset of outside.
struct LoopPosition {
  linalg::IndexOp index;
  OpFoldResult offset;
};

/// Matches a value of the body: `linalg.index`, or its sum with what is
/// computed outside of the op. Loops of one iteration have no positions but 0.
std::optional<LoopPosition> matchLoopPosition(OpBuilder &b, linalg::LinalgOp op,
                                              Value value);

/// The body of an op on static tiles, taken apart.
class BodyParts {
public:
  BodyParts(RewriterBase &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op), extents(op.getStaticLoopRanges()) {}

  bool isOutside(Value value) const {
    return value.getParentBlock() != op.getBlock();
  }

  /// The loops along which a value of the body differs: those of the inputs
  /// that it is made of, and of positions those with several iterations.
  llvm::SmallBitVector loopsOf(Value value) const;

  /// Whether it is the same for all points, and made of nothing but positions
  /// and what is outside.
  bool isUniform(Value value) const;

  /// Clones what makes `value` into where `b` stands; `places` are the loops
  /// there, by those of the op, and constants for others.
  Value rebuild(OpBuilder &b, Value value, IRMapping &map,
                ArrayRef<AffineExpr> places) const;

  /// Computes a value of the body by an op of its own over `loops`, which are
  /// all along which it differs, and reads that as a vector. The op is appended
  /// to `made`.
  Value vectorOf(Value value, ArrayRef<unsigned> loops,
                 SmallVectorImpl<linalg::LinalgOp> &made) const;

private:
  SmallVector<Operation *> makersOf(Value value) const;

  RewriterBase &rewriter;
  mutable linalg::LinalgOp op;
  SmallVector<int64_t> extents;
};

} // namespace distaff

#endif // DISTAFF_LIB_TILING_BODYPARTS_H
