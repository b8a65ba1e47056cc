//===- LogSumExp.h - Reductions by log(exp + exp) ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_LOGSUMEXP_H
#define DISTAFF_CONFIGURE_LOGSUMEXP_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Makes of each linalg op that reduces by log(exp + exp), in any spelling of
/// Analysis/Linalg/LogSumExp.h, a maximum, a sum of the exponentials relative
/// to it and a logarithm: reductions that lanes, subgroups and launches share
/// out like any. Products of two operands that lack loops stay, which are
/// contractions, unless they are `ofProducts` too; their bodies, and loops that
/// carry such a result along, are spelled so that nothing overflows. Whoever
/// evaluates a kernel for a check does the same before, for what was written
/// may overflow where the function does not.
void splitLogSumExp(func::FuncOp kernel, bool ofProducts = false);

/// Fails, with an error at the op, where a kernel whose sums keep their order
/// reduces so.
LogicalResult checkLogSumExpOrder(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_CONFIGURE_LOGSUMEXP_H
