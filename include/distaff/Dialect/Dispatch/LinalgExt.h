//===- LinalgExt.h - Attention, sorts, scans and gathers --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Separate from Dispatch.h, as arg_compare and yield also exist in other
// dialects.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_LINALGEXT_H
#define DISTAFF_DIALECT_DISPATCH_LINALGEXT_H

#include "distaff/LLVM.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "distaff/Dialect/Dispatch/LinalgExtDialect.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/LinalgExt.h.inc"

#endif // DISTAFF_DIALECT_DISPATCH_LINALGEXT_H
