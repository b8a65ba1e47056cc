//===- VectorizeGathers.h - Vectorization of gathers ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op whose body reads a tensor at positions that it computes,
//
//   linalg.generic ins(%ids : tensor<4xi32>) outs(%e : tensor<4x8xf32>) {
//     %row = arith.index_cast %id : i32 to index
//     %at = linalg.index 1
//     %v = tensor.extract %table[%row, %at]
//
// gets the values that it reads as one more input: the positions are computed
// by an op of their own, and iree_vector_ext.transfer_gather reads through
// them. A position that is a loop index plus a uniform value needs no such op;
// along it the read is contiguous. The condition of a guarded position,
// `select(%inside, %position, 0)`, becomes the mask.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEGATHERS_H
#define DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEGATHERS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Separates every tensor.extract from an op on static tiles; returns the
/// linalg ops that replace it, which compute positions or are `op` with other
/// inputs. An op without such reads is returned as it is.
SmallVector<linalg::LinalgOp> separateGathers(RewriterBase &rewriter,
                                              linalg::LinalgOp op);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEGATHERS_H
