//===- InlineCalls.h - Put functions where they are called ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_IMPORT_INLINECALLS_H
#define DISTAFF_IMPORT_INLINECALLS_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Replaces the calls of private functions in kernels by the functions' bodies,
/// and removes the functions that nobody calls any more. Fails, with a
/// diagnostic at the call, for a function that comes to call itself or has
/// several blocks. Ops that upstream folds wrongly are in another form then.
LogicalResult inlineCalls(ModuleOp module);

} // namespace distaff

#endif // DISTAFF_IMPORT_INLINECALLS_H
