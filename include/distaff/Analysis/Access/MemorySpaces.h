//===- MemorySpaces.h - Where the arrays of a kernel are --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref of a kernel has no memory space, or one of the gpu dialect. MLIR
// takes any attribute there and gives it no meaning, so that one which no stage
// knows would be memory of the launch on one target, and shared on another.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_MEMORYSPACES_H
#define DISTAFF_ANALYSIS_ACCESS_MEMORYSPACES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff {

/// Fails with an error at the first op that has a memref in another memory
/// space than those of the gpu dialect (VX-181).
LogicalResult verifyMemorySpaces(Operation *root);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_MEMORYSPACES_H
