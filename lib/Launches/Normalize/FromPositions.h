//===- FromPositions.h - Gather, scatter and generate as linalg -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that specify the position each element comes from become linalg:
//
//   tensor.gather     out[b, i] = in[at[b], i]
//   tensor.scatter    of[n]     = max over b of (at[b] = n ? b : -1)
//                     out[n, i] = of[n] >= 0 ? in[of[n], i] : dest[n, i]
//   tensor.generate   out[i]    = its region at i
//   tensor.splat      linalg.fill
//
// A launch writes its whole results, and its workgroups run in any order, so a
// scatter computes for each position which slice it holds, rather than write
// each slice to its position after all positions have been written
// (docs/rationale, scatter-is-computed-as-a-gather).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NORMALIZE_FROMPOSITIONS_H
#define DISTAFF_LIB_LAUNCHES_NORMALIZE_FROMPOSITIONS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"

namespace distaff {

/// Sizes that a launch has to compare with those of the loops of `map`.
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

#endif // DISTAFF_LIB_LAUNCHES_NORMALIZE_FROMPOSITIONS_H
