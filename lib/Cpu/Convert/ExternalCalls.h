//===- ExternalCalls.h - Calls of external functions ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_CONVERT_EXTERNALCALLS_H
#define DISTAFF_LIB_CPU_CONVERT_EXTERNALCALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Replaces, in kernels for a CPU, the calls of functions without a body by
/// calls of C functions, and declares these.
void callExternalFunctions(mlir::ModuleOp module);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_CONVERT_EXTERNALCALLS_H
