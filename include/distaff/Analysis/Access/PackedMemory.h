//===- PackedMemory.h - Memory whose elements share bytes -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel ABI packs arrays of i2 and i4 (docs/ABI.md). An access of several
// neighbours is an access of bytes if it begins and ends on byte boundaries.
// Lanes write only whole bytes: two lanes that write parts of one byte would
// race.
//
//   %v = vector.load %a[%i, 4 * %lane] : memref<?x32xi4>, vector<4xi4>    bytes
//   %v = vector.load %a[%i, 4 * %lane] : memref<?x33xi4>, vector<4xi4>    not
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_PACKEDMEMORY_H
#define DISTAFF_ANALYSIS_ACCESS_PACKEDMEMORY_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Returns whether elements of this memory share bytes: it is a view of an
/// argument that the kernel ABI packs. In the kernel's own memory each element
/// has whole bytes.
bool isPackedMemory(Value memref);

/// Returns whether a memref.store, vector.load or vector.store of packed memory
/// moves whole bytes: because of the divisors of a vector's indices, an
/// `alignment` of more than 1, or because it is the only element of an array.
bool movesWholeBytes(Operation *access);

/// Emits an error if a memref.store or vector.store writes a part of a byte.
LogicalResult checkPackedStore(Operation *store);

/// Checks all stores in a lowered kernel.
LogicalResult checkPackedStores(FunctionOpInterface kernel);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_PACKEDMEMORY_H
