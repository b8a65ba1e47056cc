//===- VectorizeEdges.h - Padding and cutting of tiles ----------*- C++ -*-===//
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

/// Turns what the edge of a tensor makes of a static tile into accesses that
/// are not in bounds: a padded slice is read with its padding, and of a tile
/// that is cut before it is stored, what is outside is not written.
LogicalResult vectorizeEdges(RewriterBase &rewriter, func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_VECTORIZEEDGES_H
