//===- AccessWidth.h - How wide memory can be accessed ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One access of a lane takes a power of two of neighbouring elements, at most
// as many bytes as the target's widest access, from an address that is a
// multiple of that. What is known of the addresses hangs on the base of the
// memref, its strides and the indices. With accesses of 16 bytes:
//
//   memref<64x1012xf32> at [%i, 4 * %lane]: 1012 and 4 are multiples of 4,
//     so accesses may be 4 elements (16 bytes) wide
//   memref<64x1013xf32> at [%i, 4 * %lane]: rows begin anywhere, 1 element
//   memref<?x6x?x4xf32> at [%n, %c, %h, 0], or a view of it: whatever the
//     extents, rows of 4 elements begin on multiples of 4
//
// Layouts are chosen, explained and lowered by the same facts, so that what is
// explained is what is emitted. Divisors here are of counts of elements.
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

/// Bytes from an element of an array in memory to the next one: the least power
/// of two that holds its bits; 8 for i48.
int64_t bytesInMemory(Type element);

/// Whether the element's bits are all of those bytes. Others (i1, i4, i24, i48)
/// are accessed one by one: LLVM packs the elements of a vector of them, where
/// an array has gaps.
bool fillsItsBytes(Type element);

/// Whether a memref is a table of constants (memref.global), or a view of one.
bool isConstantMemory(Value memref);

/// Bits from an element of a memref to the next one.
int64_t bitsInMemory(Value memref);

/// Whether an access of several neighbouring elements moves them and nothing
/// else: they fill their bytes, or share them without gaps.
bool hasNoGaps(Value memref);

/// Bits of the widest access of a lane to the space that the memref is in.
int64_t widestAccessBits(MemRefType type, const Target &target);

/// What divides the address of a memref's first element, a divisor of as many
/// elements as the target aligns the base of memory to.
int64_t divisorOfBase(Value memref, IndexFacts &facts, const Target &target);

/// A divisor of the length of a memref's rows, its extent along the last dim.
int64_t divisorOfRowLength(Value memref, IndexFacts &facts);

/// What divides the address of `memref[indices]`, as far as is known; a divisor
/// of as many elements as the target aligns the base of memory to.
int64_t divisorOfAddress(Value memref, ValueRange indices, IndexFacts &facts,
                         const Target &target);

/// Whether `memref[indices]` is known to be the first element of its byte, in
/// packed memory.
bool beginsOnByte(Value memref, ValueRange indices);

/// What divides the distance of any two rows that differ along `dims` of the
/// memref, its last one apart; 0 where there is one row only.
int64_t divisorOfRows(Value memref, const llvm::SmallBitVector &dims,
                      IndexFacts &facts);

/// On an argument that is only read: lanes of a target that takes unaligned
/// accesses read several elements at once wherever its rows begin (VX-289). A
/// unit attribute, which other targets do not heed.
inline constexpr llvm::StringLiteral kUnalignedRowsAttrName =
    "distaff.unaligned_rows";

/// Whether a memref is an argument with that attribute, or a view of one, and
/// the target takes unaligned accesses.
bool hasUnalignedRows(Value memref, const Target &target);

/// The most elements that one access of a lane of this transfer can take along
/// the last dim of its memory; 1 where memory is not contiguous there or
/// elements do not fill it, and for tensors, whose memory is not known yet,
/// what the widest access of global memory holds.
int64_t widestAccess(VectorTransferOpInterface op, IndexFacts &facts,
                     const Target &target);

/// The same for rows of `vector` at `base[indices]`, which end before the
/// memory does; `map` says which dims of it the vector's are.
int64_t widestRowAccess(Value base, ValueRange indices, VectorType vector,
                        AffineMap map, IndexFacts &facts, const Target &target);

/// True if elements next to each other along the last dim of the memref are so
/// in memory, and every row that the transfer moves, of whichever index in the
/// other dims, begins on a multiple of `bytes`; arguments and allocations begin
/// on one of `baseAlignment`.
bool hasAlignedRows(VectorTransferOpInterface op, int64_t bytes,
                    int64_t baseAlignment);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_ACCESSWIDTH_H
