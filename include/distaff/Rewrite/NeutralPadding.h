//===- NeutralPadding.h - Masking with neutral elements ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor may be larger than its valid part, and the elements past that part
// may be anything. This file replaces them by neutral elements where ops read
// them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_REWRITE_NEUTRALPADDING_H
#define DISTAFF_REWRITE_NEUTRALPADDING_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace distaff::pcf {

/// The number of valid elements per dimension of a tensor, or per loop of an
/// op; null where all are valid.
using Ends = SmallVector<OpFoldResult>;

/// Returns `tensor` where all indices are before `ends`, and `outside`
/// elsewhere.
Value maskTensor(RewriterBase &rewriter, Location loc, Value tensor,
                 ArrayRef<OpFoldResult> ends, Value outside);

/// Masks the terms of a reduction's body by `inside`, which is false for
/// elements outside the valid part: a reduction by one op combines its neutral
/// element there, and any other one keeps its result so far. Operands whose
/// numbers are in `neutral` already hold neutral elements and stay unmasked.
/// \pre `inside` dominates all of the body but the ops it is computed from
void maskReducedTerms(OpBuilder &builder, linalg::LinalgOp op, Value inside,
                      const llvm::SmallBitVector &neutral = {});

/// Makes integer divisions divide by one where `inside` is false, since the
/// divisor may be zero there.
/// \pre `inside` dominates the divisions
void maskDivisors(OpBuilder &builder, ArrayRef<Operation *> divisions,
                  Value inside);

/// Makes the op ignore elements past the ends of its loops: reductions take
/// neutral elements there, and integer divisors are 1.
/// \return the op, or what replaces it
linalg::LinalgOp maskLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                           ArrayRef<OpFoldResult> ends);

} // namespace distaff::pcf

#endif // DISTAFF_REWRITE_NEUTRALPADDING_H
