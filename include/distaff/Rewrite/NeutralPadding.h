//===- NeutralPadding.h - Elements that change nothing ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor may be larger than what it holds, and what is behind that may be
// anything. Where ops would see it, other elements are put in its place.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_REWRITE_NEUTRALPADDING_H
#define DISTAFF_REWRITE_NEUTRALPADDING_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace distaff::pcf {

/// Per dimension of a tensor, or per loop of an op, how much of it counts; null
/// where all of it does.
using Ends = SmallVector<OpFoldResult>;

/// `tensor` where all of its indices are before `ends`, and `outside`
/// elsewhere.
Value maskTensor(RewriterBase &rewriter, Location loc, Value tensor,
                 ArrayRef<OpFoldResult> ends, Value outside);

/// Masks what the body of a reduction combines by `inside`, which is false for
/// elements that do not count: a reduction by one op takes its neutral element
/// for them, and of any other the result so far stays. Those whose numbers are
/// in `neutral` combine neutral elements as they are.
/// \pre `inside` dominates all of the body but what it is computed of
void maskReducedTerms(OpBuilder &builder, linalg::LinalgOp op, Value inside,
                      const llvm::SmallBitVector &neutral = {});

/// Has integer divisions divide by one where `inside` is false: what is there
/// may be zero.
/// \pre `inside` dominates the divisions
void maskDivisors(OpBuilder &builder, ArrayRef<Operation *> divisions,
                  Value inside);

/// Makes the op compute what it would without what is behind the ends of its
/// loops: reductions take neutral elements there, and integer divisors are 1.
/// \return the op, or what replaces it
linalg::LinalgOp maskLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                           ArrayRef<OpFoldResult> ends);

} // namespace distaff::pcf

#endif // DISTAFF_REWRITE_NEUTRALPADDING_H
