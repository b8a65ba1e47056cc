//===- PcfRefs.h - Memory of the refs of an op ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ref is a descriptor of memory, like a memref. An op that owns refs finds
// their memory before its workers run and puts the final contents into its
// results:
//
//   tied to a tensor     a buffer with its elements; the result is read from it
//   tied to a memref     that memory; the result is the memref
//   untied               an unwritten buffer
//   readonly             as tied, without a result
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_PCFREFS_H
#define DISTAFF_LIB_SIMT_OPS_PCFREFS_H

#include "PcfScopes.h"

namespace distaff::simt {

/// Emits the allocation of unwritten memory for a descriptor, per active lane.
/// Extents are read at run time.
void emitAllocation(Operation *op, Reg ref, ArrayRef<OpFoldResult> extents,
                    Buffer::Space space, Translator &t);

/// Runs the initializer, if there is one, whose yielded values are leading
/// arguments.
LogicalResult emitInitializer(pcf::RefOwnerOpInterface op, Translator &t);

/// Emits the refs' descriptors, in the registers of the body's arguments.
LogicalResult emitRefs(pcf::RefOwnerOpInterface op, Translator &t);

/// Emits the op's results, and the deallocation of memory that the op owned.
void emitResults(pcf::RefOwnerOpInterface op, Translator &t);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_PCFREFS_H
