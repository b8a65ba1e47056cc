//===- ExternalCalls.h - Calls of functions that are linked -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_EXTERNALCALLS_H
#define DISTAFF_LIB_CONVERSION_EXTERNALCALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Replaces, in kernels for a CPU, the calls of functions without a body by
/// those of functions of C, which are declared.
void callExternalFunctions(mlir::ModuleOp module);

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_EXTERNALCALLS_H
