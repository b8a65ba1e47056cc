//===- BodyParts.h - Extraction of values from a linalg body ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream vectorizes a body as a whole. The positions of a read or the
// candidates of an argmin/argmax are instead computed by an op of their own,
// which is vectorized like any other op.
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

/// A loop position is a position along one of an op's loops plus an offset from
/// outside of the op.
struct LoopPosition {
  linalg::IndexOp index;
  OpFoldResult offset;
};

/// Matches a value of the body: `linalg.index`, or its sum with a value
/// computed outside of the op. Loops of one iteration have only position 0.
std::optional<LoopPosition> matchLoopPosition(OpBuilder &b, linalg::LinalgOp op,
                                              Value value);

/// Analyzes and extracts values of the body of an op on static tiles.
class BodyParts {
public:
  BodyParts(RewriterBase &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op), extents(op.getStaticLoopRanges()) {}

  bool isOutside(Value value) const {
    return value.getParentBlock() != op.getBlock();
  }

  /// Returns the loops along which a value of the body varies: those of the
  /// inputs that it depends on, and of its positions those with several
  /// iterations.
  llvm::SmallBitVector loopsOf(Value value) const;

  /// Returns whether a value is the same for all points, and depends on
  /// positions and outside values only.
  bool isUniform(Value value) const;

  /// Clones the ops that compute `value` to the insertion point of `b`;
  /// `places` maps the loops of the op to the loops there, or to constants.
  Value rebuild(OpBuilder &b, Value value, IRMapping &map,
                ArrayRef<AffineExpr> places) const;

  /// Computes a value of the body by an op of its own over `loops`, which
  /// include all loops along which it varies, and reads the result as a vector.
  /// The op is appended to `made`.
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
