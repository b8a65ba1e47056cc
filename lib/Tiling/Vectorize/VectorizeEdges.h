//===- VectorizeEdges.h - Vectorization of boundary tiles -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEEDGES_H
#define DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEEDGES_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Converts boundary tiles of static size to accesses that are not in bounds: a
/// padded slice is read with its padding, and a tile that is clipped before it
/// is stored is written without the elements outside.
LogicalResult vectorizeEdges(RewriterBase &rewriter, func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEEDGES_H
