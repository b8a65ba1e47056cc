//===- StackMemory.h - Stack allocation for CPU workgroups ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_BUFFERIZE_STACKMEMORY_H
#define DISTAFF_LIB_TILING_BUFFERIZE_STACKMEMORY_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Moves allocations of a bufferized kernel to the stack, as far as there is
/// room; larger ones remain, and will use the heap. Allocations that are never
/// live at the same time are merged.
LogicalResult moveToStack(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_BUFFERIZE_STACKMEMORY_H
