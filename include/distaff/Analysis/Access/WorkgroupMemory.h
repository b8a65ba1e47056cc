//===- WorkgroupMemory.h - How much a kernel takes of it --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's own buffers in workgroup memory keep their space; what they leave
// of the target's is for the exchanges that layouts need. Every buffer starts
// at a multiple of `alignment` bytes, the target's `workgroupAlignment()`.
//
//     sm_80 166912 = 65536 of memref.alloc + 101376 for conversions
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_WORKGROUPMEMORY_H
#define DISTAFF_ANALYSIS_ACCESS_WORKGROUPMEMORY_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
struct Target;

/// What `alloc` starts at a multiple of: more only if it asks for more.
int64_t workgroupAlignmentOf(memref::AllocOp alloc, int64_t alignment);

/// Bytes of a buffer of this type, padding between its rows included.
/// \pre  the shape is static
int64_t workgroupBytesOf(MemRefType type);
/// The elements from its first one to its last one.
int64_t elementsSpannedBy(MemRefType type);

/// Whether elements lie row-major from offset 0, with nothing between rows or
/// with something: no two share bytes.
bool hasApartRows(MemRefType type);

/// An allocation with the bytes of `type`, which has apart rows, as that type.
Value allocateLike(OpBuilder &b, Location loc, MemRefType type,
                   int64_t alignment);

/// What an argument in workgroup memory starts at a multiple of: more only if
/// its `llvm.align` says more.
int64_t workgroupAlignmentOf(FunctionOpInterface function, unsigned argument,
                             int64_t alignment);

/// Whether an argument is a buffer of the kernel's own: in workgroup memory, of
/// static shape.
bool isOwnBuffer(FunctionOpInterface function, unsigned argument);

/// The arguments and then, in program order, the allocations of static shape in
/// workgroup memory, laid out one after the other.
struct OwnBuffers {
  SmallVector<unsigned> arguments;
  SmallVector<memref::AllocOp> allocs;
  SmallVector<int64_t> offsets; // of the arguments, then of the allocations
  int64_t bytes = 0;
  int64_t alignment; // of the first byte

  OwnBuffers(FunctionOpInterface function, int64_t alignment);
};

/// What the kernel's own buffers take together.
int64_t workgroupMemoryOf(FunctionOpInterface function, int64_t alignment);

/// What they take together with the panels of a kernel's phases, the memory
/// that `pcf.alloc` makes of the workgroup's.
int64_t workgroupMemoryWithPanels(FunctionOpInterface function,
                                  int64_t alignment);

/// What they leave of `limit` bytes for exchanges, in whole alignments; at
/// least 1, so that it is never taken for `unlimited`.
int64_t workgroupMemoryLeft(FunctionOpInterface function, int64_t limit,
                            int64_t alignment);

/// Fails, with an error, where the kernel's own buffers take more than the
/// target has. What runs a kernel and what compiles it both ask this.
LogicalResult verifyWorkgroupMemory(FunctionOpInterface kernel,
                                    const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_WORKGROUPMEMORY_H
