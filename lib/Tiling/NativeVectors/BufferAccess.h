//===- BufferAccess.h - Vectors in memory of the workgroup ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer has the dims of its vector, row by row. A bit is a byte in it, for
// tiles are no multiples of 8 bits.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_BUFFERACCESS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_BUFFERACCESS_H

#include "Machine.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff::vectortiles {

/// The type of a buffer for a vector.
MemRefType bufferTypeOf(VectorType vector);

/// Bytes of a buffer for a vector.
int64_t bufferBytesOf(Type vector);

/// Allocates a buffer at the start of the function, or of the loop over
/// workgroups, that `user` is in.
Value allocateBuffer(MemRefType type, Block *user, Location loc);
/// The same where `machine` has it: of lanes, in workgroup memory (VX-166).
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

/// Zeros, one per dim of a buffer.
SmallVector<Value> originOf(OpBuilder &b, Location loc, Value buffer);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_BUFFERACCESS_H
