//===- ConditionalLoops.h - Trip counts of scf.while ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trip count of an `scf.while` depends on its scalars alone, if its
// condition does. It is counted first: here if they are constants, by a loop of
// its own if not,
//
//   %r:2 = scf.while (%i = %n, %y = %x)      %t:2 = scf.while (%i = %n, %k = 0)
//   {
//     condition(%i > 0) %i, %y                 condition(%i > 0) %i, %k
//   } do {                              =>   } do {
//     %w = arith.addf %y, %x                   yield %i / 2, %k + 1
//     yield %i / 2, %w                       }
//   }                                        scf.for %k = 0 to %t#1
//                                              iter_args(..)
//
// and an scf.for remains.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_LOOPS_CONDITIONALLOOPS_H
#define DISTAFF_LIB_LAUNCHES_LOOPS_CONDITIONALLOOPS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff {

/// Replaces an scf.while by an scf.for. Fails, with a diagnostic, where its
/// condition depends on more than scalars.
FailureOr<scf::ForOp> countLoop(RewriterBase &rewriter, scf::WhileOp loop);

/// Guards a loop by a condition, unless the loop is known to end there as well.
void guardLoop(RewriterBase &rewriter, scf::WhileOp loop, Value condition);

/// Returns whether a loop has no tensors, as one that counts iterations.
bool isScalarLoop(Operation *op);

/// Replaces a switch by branches, one for each case.
scf::IfOp branchOnCases(RewriterBase &rewriter, scf::IndexSwitchOp op);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_LOOPS_CONDITIONALLOOPS_H
