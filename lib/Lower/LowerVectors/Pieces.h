//===- Pieces.h - Rows as native vector chunks ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the functions that the rules for a CPU share (ScalarRegisters.h
// defines chunks). A row is the innermost dim of a vector; its chunks begin at
// multiples of the width.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERVECTORS_PIECES_H
#define DISTAFF_LIB_LOWER_LOWERVECTORS_PIECES_H

#include "ScalarRegisters.h"

namespace distaff::registers {

/// Returns `width` copies of a scalar.
Value splat(Value scalar, int64_t width, Lowering &lowering);

/// Returns `width` elements from `begin` on of one chunk, or of two
/// concatenated chunks.
Value takeElements(Value first, Value second, int64_t begin, int64_t width,
                   Lowering &lowering);

/// Returns the elements of some chunks, one after the other, as chunks of other
/// types.
SmallVector<Value> regroup(ArrayRef<Value> pieces, ArrayRef<Type> types,
                           OpBuilder &builder);

/// Returns the chunks of `vector.transpose permutation` of a vector of that
/// shape. Rows that stay rows are renamed; others are transposed in registers,
/// in blocks of one chunk by one chunk, by log2(width) rounds of shuffles.
/// \pre shape and permutation have a rank of at least 1
SmallVector<Value> transpose(ArrayRef<Value> pieces, ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> permutation, Lowering &lowering);

/// Returns the chunks of a vector of shape `to` that repeats one of shape
/// `from`, of no more dims, along the dims that it lacks or has one element of.
SmallVector<Value> broadcast(ArrayRef<Value> pieces, ArrayRef<int64_t> from,
                             ArrayRef<int64_t> to, Lowering &lowering);

/// Returns for each position from `first` on in a chunk of `width` whether it
/// is below `bound`, an index of any value.
Value maskBelow(Value bound, int64_t first, int64_t width, Lowering &lowering);

/// Returns whether every use of a vector repeats each of its elements along a
/// row, so that it is best read one element at a time.
bool isRepeated(Value vector, const Lowering &lowering);

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_PIECES_H
