//===- PcfRefs.h - Memory behind the refs of an op --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ref is the descriptor of memory, as a memref is. An op that owns refs finds
// their memory before its workers run and leaves their last contents in its
// results:
//
//   tied to a tensor     a buffer with its elements; the result is read from it
//   tied to a memref     that memory; the result is the memref
//   untied               a buffer that nobody has written
//   readonly             as tied, without a result
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_PCFREFS_H
#define DISTAFF_LIB_SIMT_OPS_PCFREFS_H

#include "PcfScopes.h"

namespace distaff::simt {

/// Gives a descriptor memory that nobody has written, for each active lane.
/// Extents are read when it runs.
void emitAllocation(Operation *op, Reg ref, ArrayRef<OpFoldResult> extents,
                    Buffer::Space space, Translator &t);

/// Runs the initializer, if there is one; leading arguments are what it yields.
LogicalResult emitInitializer(pcf::RefOwnerOpInterface op, Translator &t);

/// The refs' descriptors, in the registers of the body's arguments.
LogicalResult emitRefs(pcf::RefOwnerOpInterface op, Translator &t);

/// The op's results, and the end of the memory that was its own.
void emitResults(pcf::RefOwnerOpInterface op, Translator &t);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_PCFREFS_H
