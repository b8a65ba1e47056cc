//===- InheritedConfig.h - Tiles that another compiler chose ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The configuration of a kernel that another compiler wrote (VX-226) is a
// user's choice that need not fit: it is tried, and what is refused is dropped
// with a warning that says why.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_INHERITEDCONFIG_H
#define DISTAFF_LIB_LAUNCHES_INHERITEDCONFIG_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

struct Target;

/// Returns whether another compiler has chosen a kernel's tiles.
bool hasInheritedConfig(func::FuncOp kernel);

/// Keeps the part of an inherited config that `configure` takes: all of it,
/// else its tiles and sizes, else nothing. Warns of what is dropped.
void settleInheritedConfig(func::FuncOp kernel, const Target &target,
                           function_ref<LogicalResult(func::FuncOp)> configure);

/// Drops the whole inherited config of a kernel.
void dropInheritedConfig(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_INHERITEDCONFIG_H
