//===- PreparedLaunch.h - Launches given as vector code ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a kernel that is no linalg op, and cannot be tiled, is a function
// of vectors with its own loop over workgroups, which the kernel calls. The
// call is a launch of its own; FormLaunches inlines the body.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_PREPAREDLAUNCH_H
#define DISTAFF_LIB_LAUNCHES_PREPAREDLAUNCH_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Makes `function` a prepared launch of `module`, under a name of its own that
/// starts with its name; `what` describes it in messages.
void prepareLaunch(func::FuncOp function, ModuleOp module, StringRef what);

/// Returns the function that a call of a prepared launch names; null for other
/// ops. `module` contains the function, for calls outside of it.
func::FuncOp preparedLaunchOf(Operation *op, ModuleOp module = {});

/// Returns the description of a prepared launch for messages.
StringRef describePrepared(func::FuncOp function);

/// Inlines the bodies of prepared launches of `module` at a function's calls of
/// them.
void inlinePrepared(func::FuncOp function, ModuleOp module);

/// Erases the prepared launches of a module that have no callers.
void erasePrepared(ModuleOp module);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_PREPAREDLAUNCH_H
