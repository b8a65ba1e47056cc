//===- LogSumExp.h - Log-sum-exp reductions ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAUNCHES_NORMALIZE_LOGSUMEXP_H
#define DISTAFF_LAUNCHES_NORMALIZE_LOGSUMEXP_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Splits each linalg op that reduces by log(exp + exp), in any spelling of
/// Analysis/Linalg/LogSumExp.h, into a maximum, a sum of the exponentials
/// relative to it and a logarithm: reductions that lanes, subgroups and
/// launches share out like any other. Products of two operands that lack loops
/// are contractions and stay, unless `ofProducts` is set; their bodies, and
/// loops that carry such a result, are rewritten so that nothing overflows. A
/// check that evaluates a kernel calls this function before, because the kernel
/// as written may overflow where the function does not.
void splitLogSumExp(func::FuncOp kernel, bool ofProducts = false);

/// Fails, with an error at the op, where a kernel whose sums keep their order
/// has a log-sum-exp reduction.
LogicalResult checkLogSumExpOrder(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LAUNCHES_NORMALIZE_LOGSUMEXP_H
