//===- VectorizeLaneTiles.h - Layouts from a lowering_config ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_VECTORIZE_VECTORIZELANETILES_H
#define DISTAFF_LIB_TILING_VECTORIZE_VECTORIZELANETILES_H

#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

/// Records the layout and the inputs of an op before it is vectorized, to lay
/// out its reads afterwards; records nothing for an op whose config has no lane
/// layout.
class LaneTiles {
public:
  /// Creates the record; fails, with an error, where the config does not fit
  /// the op's tile.
  static FailureOr<LaneTiles> get(linalg::LinalgOp op);
  /// Lays out the reads of inputs that were created since then.
  void anchor(RewriterBase &rewriter) const;

private:
  vector_ext::VectorLayoutInterface layout; // null: nothing to do
  SmallVector<int64_t> shape;               // of the iteration space
  SmallVector<Value> inputs;
  llvm::DenseSet<Operation *> before; // users before vectorization
};

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_VECTORIZELANETILES_H
