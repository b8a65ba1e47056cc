//===- ImportDispatches.h - Import of IREE's dispatches ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_IMPORT_DISPATCH_IMPORTDISPATCHES_H
#define DISTAFF_IMPORT_DISPATCH_IMPORTDISPATCHES_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Converts the functions of IREE's dispatches in a module to kernels: launch
/// parameters that they read become arguments, bindings that they write become
/// results (docs/ABI.md), and they leave the executables around them. Fails,
/// with a diagnostic, where a function does what no kernel can; a module
/// without such functions is left as it is.
LogicalResult importDispatches(ModuleOp module);

/// Registers the bufferization of dispatches whose loops are mapped to lanes.
/// Importing one needs a context made with it.
void registerDispatchBufferization(DialectRegistry &registry);

} // namespace distaff

#endif // DISTAFF_IMPORT_DISPATCH_IMPORTDISPATCHES_H
