//===- VectorizeArgReduction.h - Vectorization of argmin/argmax -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEARGREDUCTION_H
#define DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEARGREDUCTION_H

#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Replaces an argmin/argmax by an iree_vector_ext.arg_compare between reads
/// and writes; returns the ops that compute its operands, which still have to
/// be vectorized.
FailureOr<SmallVector<linalg::LinalgOp>>
vectorizeArgReduction(RewriterBase &rewriter, linalg::LinalgOp op,
                      const ArgReduction &reduction);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEARGREDUCTION_H
