//===- PreparedLaunch.h - Launches that are written already -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some of what a kernel computes is no linalg op that could be tiled: it comes
// as a function of vectors, with its own loop over workgroups, and the kernel
// calls that. The call is a launch of its own; FormLaunches puts the body in
// its place.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_PREPAREDLAUNCH_H
#define DISTAFF_LIB_CONFIGURE_PREPAREDLAUNCH_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Makes `function` a prepared launch of `module`, under a name of its own that
/// starts with its name; `what` says what it is to people.
void prepareLaunch(func::FuncOp function, ModuleOp module, StringRef what);

/// The function that a call of a prepared launch names; null for other ops.
/// `module`: where it is, for calls that are not in it.
func::FuncOp preparedLaunchOf(Operation *op, ModuleOp module = {});

/// What a prepared launch is, to people.
StringRef describePrepared(func::FuncOp function);

/// Puts the bodies of prepared launches of `module` in place of a function's
/// calls of them.
void inlinePrepared(func::FuncOp function, ModuleOp module);

/// Erases the prepared launches of a module that nobody calls any more.
void erasePrepared(ModuleOp module);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_PREPAREDLAUNCH_H
