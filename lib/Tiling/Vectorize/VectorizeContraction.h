//===- VectorizeContraction.h - Vectorization of contractions ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's vectorizer reads each operand of a generic op as a vector of the
// whole iteration space, m x n x k for a matmul, and relies on patterns to undo
// that. Contractions are vectorized here instead, at their operands' own
// shapes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_VECTORIZE_VECTORIZECONTRACTION_H
#define DISTAFF_LIB_TILING_VECTORIZE_VECTORIZECONTRACTION_H

#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Dialect/IREE/IREE.h"

namespace distaff {

/// Replaces `op` by reads, the chains of `body` on vectors, a `vector.contract`
/// with the op's `lowering_config`, and a write.
void vectorizeContraction(RewriterBase &rewriter, linalg::LinalgOp op,
                          const ContractionBody &body);

/// Replaces an MMA of tensors by one of vectors, between reads and a write.
void vectorizeInnerTiled(RewriterBase &rewriter, iree::InnerTiledOp op);

/// Converts a linalg op to a distaff.contract, where two tensors that each lack
/// loops of the other are combined by a product other than the multiplication
/// and reduced: broadcast to all loops they would be vectors of the size of the
/// whole iteration space. Fails, changing nothing, for any other op.
LogicalResult vectorizeSemiring(RewriterBase &rewriter, linalg::LinalgOp op);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_VECTORIZECONTRACTION_H
