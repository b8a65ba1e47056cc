//===- Dispatch.h - Dialects of IREE's dispatches ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops and attributes that surround the kernel in a dispatch of IREE, in
// their inherited syntax:
//
//   hal.executable, .variant, .export      the program, its grid
//   hal.interface.binding.subspan          a buffer that the launch passes
//   hal.interface.constant.load            a constant that it passes
//   hal.interface.workgroup.id, .count     a workgroup's position in the grid
//   iree_tensor_ext.dispatch.tensor.load   a tensor that lies in such a buffer
//   util.assume.int                        range and divisor of an integer
//
// They are parsed, and replaced by a kernel's arguments and results
// (Import/Dispatch/ImportDispatches.h) before all other passes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_DISPATCH_H
#define DISTAFF_DIALECT_DISPATCH_DISPATCH_H

#include "distaff/LLVM.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace distaff::dispatch {

/// Registers the dialects of IREE's dispatches.
void registerDispatch(DialectRegistry &registry);

} // namespace distaff::dispatch

#include "distaff/Dialect/Dispatch/HALDialect.h.inc"
#include "distaff/Dialect/Dispatch/TensorExtDialect.h.inc"
#include "distaff/Dialect/Dispatch/UtilDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/Dispatch/HALAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "distaff/Dialect/Dispatch/HALTypes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "distaff/Dialect/Dispatch/TensorExtTypes.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/HAL.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/TensorExt.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/Util.h.inc"

#endif // DISTAFF_DIALECT_DISPATCH_DISPATCH_H
