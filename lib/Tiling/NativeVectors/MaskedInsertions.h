//===- MaskedInsertions.h - Insertions as selects ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of an insertion may begin anywhere in the inserted part. Where no
// memory holds the whole vector, the part is computed at the size of the whole,
// shifted to where it is inserted, and a mask selects its elements (VX-242):
//
//   %p = vector.transfer_read %B[0, 0] : vector<100x300xf32>
//   %r = vector.insert_strided_slice %p, %a {offsets = [7, 13]}
//
//   %m = the elements of [7, 107) x [13, 313)
//   %w = vector.transfer_read %B[-7, -13], %m : vector<128x512xf32>
//   %r = arith.select %m, %w, %a
//
// All of these ops have slices. Elements outside of the mask have any value,
// and are not accessed in memory.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_MASKEDINSERTIONS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_MASKEDINSERTIONS_H

#include "ReadHazards.h"
#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace distaff::vectortiles {

/// An insertion replaces a part of a vector. `offsets` is where the part begins
/// along the outermost dims; along the others it begins with the whole.
struct Insertion {
  Value part; ///< may be a scalar
  SmallVector<OpFoldResult> offsets;
};

/// Returns the insertion of a `vector.insert_strided_slice` or a
/// `vector.insert`.
Insertion insertionOf(Operation *op);

/// Returns whether a part can be computed at the size of the whole: it is made
/// element by element from constants and from memory that is unchanged until
/// then, or begins where the whole does.
bool canSelectInserted(Operation *op, Hazards &hazards);

/// Replaces an insertion by a select.
/// \pre canSelectInserted(op, ...)
void selectInserted(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_MASKEDINSERTIONS_H
