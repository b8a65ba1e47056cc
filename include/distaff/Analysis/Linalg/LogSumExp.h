//===- LogSumExp.h - Match spellings of log(exp x + exp y) ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of the log semiring has no op, but is commonly written (VX-153), with
// m = max(x, y), as
//
//   log(exp x + exp y)
//   m + log(exp(x - m) + exp(y - m))  or with 0 for an m that is infinite
//   m + log1p(exp(-|x - y|))          or log(1 + ...), or exp(min(x, y) - m)
//
// and the last one under a choice for infinities, as frameworks write it:
//
//   isnan(x - y) ? x + y : ...        x == y and |x| == inf ? x : ...
//
// All are treated as the same function: its identity is -inf, a NaN makes it
// NaN, two infinities of one sign that infinity, and no intermediate result
// overflows.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_LOGSUMEXP_H
#define DISTAFF_ANALYSIS_LINALG_LOGSUMEXP_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff {

/// Describes the combination of a term with a partial result.
struct LogSumExpStep {
  Value term;
  SmallVector<Operation *> ops; ///< the combining ops, without constants
};

/// Matches `value` as the log(exp + exp) of `soFar` and a term.
std::optional<LogSumExpStep> matchLogSumExp(Value value, Value soFar);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_LOGSUMEXP_H
