//===- SwizzleSharedMemory.h - XOR swizzles of banks ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a memref with rows of 128 bytes, eight rows begin in one bank, and an
// access to 16 bytes of each in one column takes eight wavefronts. With chunk c
// of row i, 16 bytes, at chunk c ^ (i % 8) it takes one:
//
//   row 0   0 1 2 3 4 5 6 7
//   row 1   1 0 3 2 5 4 7 6
//   row 2   2 3 0 1 6 7 4 5
//   ...
//
// Shorter rows share 128 bytes; then i / (rows per 128 bytes) replaces i.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_SWIZZLESHAREDMEMORY_H
#define DISTAFF_LIB_STAGING_SWIZZLESHAREDMEMORY_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace distaff {

/// Permutes the elements in the allocation, and adapts every access to it; does
/// nothing where rows need no swizzle, or an access may span several chunks of
/// 16 bytes.
void swizzleSharedMemory(mlir::memref::AllocOp alloc);

} // namespace distaff

#endif // DISTAFF_LIB_STAGING_SWIZZLESHAREDMEMORY_H
