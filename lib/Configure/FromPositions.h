//===- FromPositions.h - Tensors by their positions -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that say where each element comes from.
//
//   tensor.gather     out[b, i] = in[at[b], i]
//   tensor.scatter    of[n]     = max over b of (at[b] = n ? b : -1)
//                     out[n, i] = of[n] >= 0 ? in[of[n], i] : dest[n, i]
//   tensor.generate   out[i]    = its region at i
//   tensor.splat      linalg.fill
//
// A launch writes what it returns, whole, and its workgroups come in any order,
// so a scatter asks of each place which slice it holds, rather than tell each
// slice where to go after all places have been written (docs/rationale,
// places-ask-for-their-slice).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_FROMPOSITIONS_H
#define DISTAFF_LIB_CONFIGURE_FROMPOSITIONS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"

namespace distaff {

/// Sizes that a launch has to find equal to those of the loops of `map`.
struct AlikeSizes {
  SmallVector<OpFoldResult> sizes;
  AffineMap map;
};

/// Computes a tensor from positions; `element` makes one element of it.
Value createFromPositions(RewriterBase &rewriter, Location loc,
                          ArrayRef<OpFoldResult> sizes, Type type,
                          function_ref<Value(OpBuilder &, ValueRange)> element,
                          ArrayRef<AlikeSizes> alike = {});

void raiseGather(RewriterBase &rewriter, tensor::GatherOp gather);
LogicalResult raiseScatter(RewriterBase &rewriter, tensor::ScatterOp scatter);
LogicalResult raiseGenerate(RewriterBase &rewriter,
                            tensor::GenerateOp generate);
void raiseSplat(RewriterBase &rewriter, tensor::SplatOp splat);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_FROMPOSITIONS_H
