//===- InlineCalls.h - Inlining of private functions ------------*- C++ -*-===//
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
/// and removes the functions that have no calls left. Fails, with a diagnostic
/// at the call, for a function that is recursive or has several blocks.
/// Afterwards ops that upstream folds wrongly are in another form.
LogicalResult inlineCalls(ModuleOp module);

} // namespace distaff

#endif // DISTAFF_IMPORT_INLINECALLS_H
