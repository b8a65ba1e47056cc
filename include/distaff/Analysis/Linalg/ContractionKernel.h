//===- ContractionKernel.h - A product and what is around it ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose results come from one contraction, with ops on elements before
// and after it. All of it runs along the loops of the contraction, so one tile
// of them says which part of every tensor a workgroup works on. Extents may be
// dynamic.
//
//   %f = linalg.fill ins(%zero) outs(%C)
//   %x = linalg.exp ins(%A)                     // loops m, k of the product
//   %p = linalg.matmul ins(%x, %B) outs(%f)     // loops m, n, k
//   %r = linalg.add ins(%p, %residual)          // loops m, n
//   return %r
//
// is, with the loops of %p as numbers 0, 1, 2, the steps
//
//   read %A (0, 2), %x, read %B (2, 1), %f, %p, read %residual (0, 1), %r
//
// Of an op that is used along different loops there is a step for each use.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_CONTRACTIONKERNEL_H
#define DISTAFF_ANALYSIS_LINALG_CONTRACTIONKERNEL_H

#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// A tensor, and the loop of the contraction that each of its dims is.
struct LoopedTensor {
  Value tensor;
  SmallVector<unsigned> loops;

  bool operator==(const LoopedTensor &) const = default;
};

/// Where a loop of the contraction is a dim of a tensor.
struct LoopPlace {
  Value tensor;
  unsigned dim;
};

struct ContractionKernel {
  /// A tensor from outside that is read, or an op that is computed.
  struct Step {
    LoopedTensor tensor;           // what is read, or the op's first result
    linalg::LinalgOp op;           // null for a tensor that is read
    SmallVector<unsigned> opLoops; // of the contraction, per loop of the op
  };

  linalg::LinalgOp contraction;
  ContractionBody body;
  /// In an order in which what a step uses is there before it.
  SmallVector<Step> steps;
  /// What the kernel returns.
  SmallVector<LoopedTensor> results;

  /// Reads a kernel; says in a diagnostic what keeps it from being one.
  /// \pre its body is one block
  static FailureOr<ContractionKernel> match(func::FuncOp kernel);

  /// The tensor that a step reads along `map`, whose dims are the step's loops.
  static LoopedTensor along(Value tensor, AffineMap map,
                            ArrayRef<unsigned> opLoops);

  /// Per loop of the contraction, where it is a dim of an argument or of a
  /// tensor.empty, in program order, arguments first.
  SmallVector<SmallVector<LoopPlace>> placesOfLoops() const;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_CONTRACTIONKERNEL_H
