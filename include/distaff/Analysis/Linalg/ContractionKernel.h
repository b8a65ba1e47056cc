//===- ContractionKernel.h - A contraction with fused ops -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction kernel computes its results from one contraction, with
// elementwise ops before and after it. All ops run along the loops of the
// contraction, so one tile of these loops determines which part of every tensor
// a workgroup works on. Extents may be dynamic.
//
//   %f = linalg.fill ins(%zero) outs(%C)
//   %x = linalg.exp ins(%A)                     // loops m, k of the product
//   %p = linalg.matmul ins(%x, %B) outs(%f)     // loops m, n, k
//   %r = linalg.add ins(%p, %residual)          // loops m, n
//   return %r
//
// has, with the loops of %p numbered 0, 1, 2, the steps
//
//   read %A (0, 2), %x, read %B (2, 1), %f, %p, read %residual (0, 1), %r
//
// An op that is used along different loops has one step per use.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_CONTRACTIONKERNEL_H
#define DISTAFF_ANALYSIS_LINALG_CONTRACTIONKERNEL_H

#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// A tensor, and per dim the loop of the contraction that it corresponds to.
struct LoopedTensor {
  Value tensor;
  SmallVector<unsigned> loops;

  bool operator==(const LoopedTensor &) const = default;
};

/// A tensor dim that corresponds to a loop of the contraction.
struct LoopPlace {
  Value tensor;
  unsigned dim;
};

struct ContractionKernel {
  /// A step is a tensor from outside that is read, or an op that is computed.
  struct Step {
    LoopedTensor tensor;           // the read tensor, or the op's first result
    linalg::LinalgOp op;           // null for a tensor that is read
    SmallVector<unsigned> opLoops; // of the contraction, per loop of the op
  };

  linalg::LinalgOp contraction;
  ContractionBody body;
  /// Topologically sorted: a step comes after the steps whose results it uses.
  SmallVector<Step> steps;
  /// The values that the kernel returns.
  SmallVector<LoopedTensor> results;

  /// Matches a kernel, or emits a diagnostic with the reason why it does not
  /// match.
  /// \pre its body is one block
  static FailureOr<ContractionKernel> match(func::FuncOp kernel);

  /// Returns the tensor that a step reads along `map`, whose dims are the
  /// step's loops.
  static LoopedTensor along(Value tensor, AffineMap map,
                            ArrayRef<unsigned> opLoops);

  /// Returns, per loop of the contraction, the dims of arguments and of
  /// tensor.empty ops that correspond to it, in program order, arguments first.
  SmallVector<SmallVector<LoopPlace>> placesOfLoops() const;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_CONTRACTIONKERNEL_H
