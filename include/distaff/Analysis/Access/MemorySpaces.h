//===- MemorySpaces.h - Memory spaces of a kernel's memrefs -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref of a kernel has no memory space, or one of the gpu dialect. MLIR
// accepts any attribute there without a meaning, so an unsupported one would be
// global memory on one target, and shared memory on another.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_MEMORYSPACES_H
#define DISTAFF_ANALYSIS_ACCESS_MEMORYSPACES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff {

/// Fails with an error at the first op that has a memref in a memory space
/// outside the gpu dialect (VX-181).
LogicalResult verifyMemorySpaces(Operation *root);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_MEMORYSPACES_H
