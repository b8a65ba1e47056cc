//===- PackedArrays.h - Arrays of sub-byte elements -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element k of an array of i4 lies in bits 4 * (k % 2) and up of byte k / 2, in
// row-major order, and of an array of i2 likewise four to a byte. Until the
// kernel ABI is applied the IR accesses elements; then bytes:
//
//   memref.load %a[%i, %j] : memref<?x33xi4>
//   =>  %k = 33 * %i + %j
//       trunci (shrui (memref.load %bytes[%k / 2] : memref<?xi8>), 4 * (%k %
//       2))
//
// A vector that begins and ends on a byte boundary is one access of bytes;
// divisors of its indices or an `alignment` of more than 1 show that. Another
// vector is read element by element. Lanes write whole bytes, so only such
// vectors and arrays of one element can be stored.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TOLLVM_PACKEDARRAYS_H
#define DISTAFF_LIB_TOLLVM_PACKEDARRAYS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Value.h"

namespace distaff {

/// A packed array as the kernel reads it, and the memory that holds it.
struct PackedArray {
  Value elements; ///< a row-major memref of i2 or i4 without an offset
  Value bytes;    ///< a memref of i8 of rank 1
  /// Sizes and strides of `elements`, by dim.
  SmallVector<OpFoldResult> sizes, strides;
};

/// Rewrites every access to `elements` and to views of it as one to `bytes`.
/// Afterwards nothing uses `elements`. Fails with a diagnostic at a store that
/// is not of whole bytes, or at an op that has no form for bytes.
LogicalResult accessBytes(const PackedArray &array);

} // namespace distaff

#endif // DISTAFF_LIB_TOLLVM_PACKEDARRAYS_H
