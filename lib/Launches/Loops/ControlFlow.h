//===- ControlFlow.h - Loops and branches over tensors ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_LOOPS_CONTROLFLOW_H
#define DISTAFF_LIB_LAUNCHES_LOOPS_CONTROLFLOW_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Replaces each `scf.while` over tensors among the ops of a kernel by an
/// scf.for, and switches by branches. Refuses conditions that depend on
/// elements of tensors.
LogicalResult countConditionalLoops(func::FuncOp kernel);

/// Replaces `scf.for` and `scf.if` over tensors by straight-line code: loops
/// are fully unrolled, and both sides of a branch are computed and one is
/// selected. Refuses loops whose trip count is not known, or too large, and
/// branches that keep an op from an illegal operand, such as a division from a
/// zero.
LogicalResult straightenControlFlow(func::FuncOp kernel);

/// Does the same for branches alone, in every region; loops stay loops.
LogicalResult selectBranches(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_LOOPS_CONTROLFLOW_H
