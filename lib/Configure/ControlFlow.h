//===- ControlFlow.h - Loops and branches over tensors ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CONTROLFLOW_H
#define DISTAFF_LIB_CONFIGURE_CONTROLFLOW_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Makes loops that count of `scf.while` over tensors among the ops of a
/// kernel, and branches of switches. Refuses conditions that depend on elements
/// of tensors.
LogicalResult countConditionalLoops(func::FuncOp kernel);

/// Makes straight code of `scf.for` and `scf.if` over tensors: a loop of so
/// many iterations is written out, of a branch both ways are computed and one
/// is selected. Refuses loops whose count is not known, or more than anybody
/// waits for, and branches that keep an op from what it may not be given, such
/// as a division from a zero.
LogicalResult straightenControlFlow(func::FuncOp kernel);

/// The same of branches alone, wherever they are; loops stay loops.
LogicalResult selectBranches(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CONTROLFLOW_H
