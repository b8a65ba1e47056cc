//===- StackMemory.h - What a workgroup of a CPU keeps ----------*- C++ -*-===//
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

/// Moves what a bufferized kernel allocates to the stack, as far as there is
/// room; what is larger is left, and will be of the heap. What is never there
/// at a time is one allocation.
LogicalResult moveToStack(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_BUFFERIZE_STACKMEMORY_H
