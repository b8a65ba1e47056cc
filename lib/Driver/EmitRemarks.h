//===- EmitRemarks.h - Compiler decisions as remarks ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_EMITREMARKS_H
#define DISTAFF_LIB_DRIVER_EMITREMARKS_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

class DecisionLog;

/// Reports each decision of the log as a remark, at a line of the module's
/// file.
void emitRemarks(ModuleOp module, const DecisionLog &log);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_EMITREMARKS_H
