//===- TileFuse.h - Producer fusion -----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiling an op leaves slices of its operands:
//
//   %s = tensor.extract_slice %y[%i, 0] [4, 768] [1, 1]
//   %t = linalg.tiled ins(%s)
//
// Fusion replaces %s by the tile of %y's producer that computes just that
// slice, whose own operands are slices again, and so on. A producer whose tile
// is read twice is fused once.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_TILE_TILEFUSE_H
#define DISTAFF_LIB_TILING_TILE_TILEFUSE_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Fuses, for every operand of `tiledOps` that `mayPull` accepts, a tile of its
/// producer in front of its reader, transitively. `mayPull` is called for ops
/// outside the innermost loop that is being filled.
LogicalResult
pullProducers(RewriterBase &rewriter, ArrayRef<Operation *> tiledOps,
              function_ref<bool(OpOperand &, Operation *)> mayPull);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_TILE_TILEFUSE_H
