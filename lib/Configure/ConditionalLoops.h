//===- ConditionalLoops.h - Loops that ask, and switches --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often an `scf.while` runs is a number that its scalars say, if its
// condition depends on them alone. It is counted first, here if they are
// constants, by a loop of its own if not,
//
//   %r:2 = scf.while (%i = %n, %y = %x)      %t:2 = scf.while (%i = %n, %k = 0)
//   {
//     condition(%i > 0) %i, %y                 condition(%i > 0) %i, %k
//   } do {                              =>   } do {
//     %w = arith.addf %y, %x                   yield %i / 2, %k + 1
//     yield %i / 2, %w                       }
//   }                                        scf.for %k = 0 to %t#1
//   iter_args(..)
//
// and what is left is a loop that counts.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CONDITIONALLOOPS_H
#define DISTAFF_LIB_CONFIGURE_CONDITIONALLOOPS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff {

/// Makes a loop that counts of one that asks. Failure: its condition depends on
/// more than scalars, which a diagnostic says.
FailureOr<scf::ForOp> countLoop(RewriterBase &rewriter, scf::WhileOp loop);

/// Keeps a loop from running where a condition does not hold, unless it is
/// known to end there, too.
void guardLoop(RewriterBase &rewriter, scf::WhileOp loop, Value condition);

/// Whether a loop has no tensors; one that counts iterations is such.
bool isScalarLoop(Operation *op);

/// Makes branches of a switch, one for each case.
scf::IfOp branchOnCases(RewriterBase &rewriter, scf::IndexSwitchOp op);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CONDITIONALLOOPS_H
