//===- BufferAccess.h - Buffers of vectors ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer holds a vector in row-major order in memory of the workgroup. An i1
// element takes a byte in it, since tiles are no multiples of 8 bits.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_BUFFERACCESS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_BUFFERACCESS_H

#include "Machine.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff::vectortiles {

/// Returns the type of a buffer for a vector.
MemRefType bufferTypeOf(VectorType vector);

/// Returns the bytes of a buffer for a vector.
int64_t bufferBytesOf(Type vector);

/// Allocates a buffer at the start of the function, or of the loop over
/// workgroups, that `user` is in.
Value allocateBuffer(MemRefType type, Block *user, Location loc);
/// Allocates a buffer in the memory of `machine`: workgroup memory for lanes
/// (VX-166).
Value allocateBuffer(MemRefType type, Block *user, Location loc,
                     const Machine &machine);

/// Reads a vector at some indices, which are of the innermost dims, under a
/// mask, which may be null.
Value readBuffer(OpBuilder &b, Location loc, VectorType type, Value buffer,
                 ValueRange indices, Value mask = {});

/// Writes a vector, or a scalar, at some indices, under a mask, which may be
/// null.
void writeBuffer(OpBuilder &b, Location loc, Value value, Value buffer,
                 ValueRange indices, Value mask = {});

/// Returns one zero index per dim of a buffer.
SmallVector<Value> originOf(OpBuilder &b, Location loc, Value buffer);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_BUFFERACCESS_H
