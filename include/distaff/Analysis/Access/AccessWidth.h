//===- AccessWidth.h - Widths of memory accesses ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One access of a lane covers a power of two of neighbouring elements, at most
// as many bytes as the target's widest access, at an address that is a multiple
// of its size. The known divisors of addresses depend on the base of the
// memref, its strides and the indices. With accesses of 16 bytes:
//
//   memref<64x1012xf32> at [%i, 4 * %lane]: 1012 and 4 are multiples of 4,
//     so accesses may be 4 elements (16 bytes) wide
//   memref<64x1013xf32> at [%i, 4 * %lane]: rows begin anywhere, 1 element
//   memref<?x6x?x4xf32> at [%n, %c, %h, 0], or a view of it: whatever the
//     extents, rows of 4 elements begin on multiples of 4
//
// Layout choice, reports and lowering use the same facts, so the reports
// describe the emitted code. Divisors here count elements.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_ACCESSWIDTH_H
#define DISTAFF_ANALYSIS_ACCESS_ACCESSWIDTH_H

#include "distaff/Analysis/Access/IndexFacts.h"
#include "distaff/Analysis/Access/PackedMemory.h"
#include "distaff/Target/Target.h"
#include "mlir/Interfaces/VectorInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

namespace distaff {

/// Returns the bytes from an element of an array in memory to the next one: the
/// least power of two that holds its bits; 8 for i48.
int64_t bytesInMemory(Type element);

/// Returns whether the element's bits are all of those bytes. Other elements
/// (i1, i4, i24, i48) are accessed one by one: LLVM packs the elements of a
/// vector of them, where an array has gaps.
bool fillsItsBytes(Type element);

/// Returns whether a memref is a table of constants (memref.global) or a view
/// of one.
bool isConstantMemory(Value memref);

/// Returns the bits from an element of a memref to the next one.
int64_t bitsInMemory(Value memref);

/// Returns whether an access of several neighbouring elements moves only them:
/// they fill their bytes, or share them without gaps.
bool hasNoGaps(Value memref);

/// Returns the bits of a lane's widest access to the memory space of the
/// memref.
int64_t widestAccessBits(MemRefType type, const Target &target);

/// Returns a divisor of the address of a memref's first element; it divides the
/// number of elements to which the target aligns the base of memory.
int64_t divisorOfBase(Value memref, IndexFacts &facts, const Target &target);

/// Returns a divisor of the length of a memref's rows, its extent along the
/// last dim.
int64_t divisorOfRowLength(Value memref, IndexFacts &facts);

/// Returns a known divisor of the address of `memref[indices]`; it divides the
/// number of elements to which the target aligns the base of memory.
int64_t divisorOfAddress(Value memref, ValueRange indices, IndexFacts &facts,
                         const Target &target);

/// Returns whether `memref[indices]` is known to be the first element of its
/// byte, in packed memory.
bool beginsOnByte(Value memref, ValueRange indices);

/// Returns a divisor of the distance of any two rows that differ along `dims`
/// of the memref, except its last one; 0 if there is only one row.
int64_t divisorOfRows(Value memref, const llvm::SmallBitVector &dims,
                      IndexFacts &facts);

/// Marks an argument that is only read: lanes of a target that supports
/// unaligned accesses read several elements at once wherever its rows begin
/// (VX-289). A unit attribute, which other targets ignore.
inline constexpr llvm::StringLiteral kUnalignedRowsAttrName =
    "distaff.unaligned_rows";

/// Returns whether a memref is an argument with that attribute, or a view of
/// one, and the target supports unaligned accesses.
bool hasUnalignedRows(Value memref, const Target &target);

/// Returns the most elements that one access of a lane of this transfer can
/// cover along the last dim of its memory; 1 if memory is not contiguous there
/// or elements do not fill it; for tensors, whose memory is not known yet, the
/// elements of the widest access of global memory.
int64_t widestAccess(VectorTransferOpInterface op, IndexFacts &facts,
                     const Target &target);

/// Returns the same for rows of `vector` at `base[indices]`, which end before
/// the memory does; `map` maps the dims of the memory to the vector's.
int64_t widestRowAccess(Value base, ValueRange indices, VectorType vector,
                        AffineMap map, IndexFacts &facts, const Target &target);

/// Returns whether neighbouring elements along the last dim of the memref are
/// neighbours in memory, and every row that the transfer moves, for any index
/// in the other dims, begins on a multiple of `bytes`; arguments and
/// allocations begin on one of `baseAlignment`.
bool hasAlignedRows(VectorTransferOpInterface op, int64_t bytes,
                    int64_t baseAlignment);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_ACCESSWIDTH_H
