//===- WorkgroupMemory.h - Workgroup memory of a kernel ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's own buffers in workgroup memory keep their space; the rest of the
// target's memory is for the exchanges that layouts need. Every buffer starts
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

/// Returns the alignment of `alloc`: `alignment`, or its own one if that is
/// larger.
int64_t workgroupAlignmentOf(memref::AllocOp alloc, int64_t alignment);

/// Returns the bytes of a buffer of this type, including padding between rows.
/// \pre  the shape is static
int64_t workgroupBytesOf(MemRefType type);
/// Returns the number of elements between its first and its last one,
/// inclusive.
int64_t elementsSpannedBy(MemRefType type);

/// Returns whether elements lie row-major from offset 0, with or without gaps
/// between rows: no two share bytes.
bool hasApartRows(MemRefType type);

/// Creates an allocation with the bytes of `type`, which has apart rows, viewed
/// as that type.
Value allocateLike(OpBuilder &b, Location loc, MemRefType type,
                   int64_t alignment);

/// Returns the alignment of an argument in workgroup memory: `alignment`, or
/// its `llvm.align` if that is larger.
int64_t workgroupAlignmentOf(FunctionOpInterface function, unsigned argument,
                             int64_t alignment);

/// Returns whether an argument is a buffer of the kernel's own: in workgroup
/// memory, of static shape.
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

/// Returns the bytes of the kernel's own buffers.
int64_t workgroupMemoryOf(FunctionOpInterface function, int64_t alignment);

/// Returns the bytes of the kernel's own buffers and of the panels of its
/// phases, the workgroup memory that `pcf.alloc` creates.
int64_t workgroupMemoryWithPanels(FunctionOpInterface function,
                                  int64_t alignment);

/// Returns the part of `limit` bytes that they leave for exchanges, rounded
/// down to the alignment; at least 1, as 0 would mean any amount.
int64_t workgroupMemoryLeft(FunctionOpInterface function, int64_t limit,
                            int64_t alignment);

/// Fails, with an error, if the kernel's own buffers take more than the target
/// has. The compiler and every runner check this.
LogicalResult verifyWorkgroupMemory(FunctionOpInterface kernel,
                                    const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_WORKGROUPMEMORY_H
