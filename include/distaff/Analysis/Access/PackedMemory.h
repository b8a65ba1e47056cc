//===- PackedMemory.h - Memory whose elements share bytes -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel ABI packs arrays of i2 and i4 (docs/ABI.md). An access of several
// neighbours is one of bytes where it begins and ends with one. Lanes write
// nothing else: two that wrote parts of one byte would race.
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

/// Whether elements of this memory share bytes: a view of an argument that the
/// kernel ABI packs. Memory of the kernel's own has whole bytes for each.
bool isPackedMemory(Value memref);

/// Whether a memref.store, vector.load or vector.store of packed memory moves
/// whole bytes: as a vector of which divisors of the indices say so, or an
/// `alignment` of more than 1, or as the only element of an array.
bool movesWholeBytes(Operation *access);

/// Says of a memref.store or vector.store that it writes a part of a byte, if
/// it does.
LogicalResult checkPackedStore(Operation *store);

/// The same of all stores in a kernel that is lowered.
LogicalResult checkPackedStores(FunctionOpInterface kernel);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_PACKEDMEMORY_H
