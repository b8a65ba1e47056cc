//===- SharedMemory.h - Search for plans through shared memory --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_SHAREDMEMORY_H
#define DISTAFF_LIB_LAYOUT_SHAREDMEMORY_H

#include "distaff/Layout/Conversion.h"

namespace distaff {

/// Returns the best plan for a whole value through shared memory. If `maxBytes`
/// is not 0 and the value without padding fits into it, the plan fits, too.
SharedMemoryPlan searchSharedMemory(const Layout &src, const Layout &dst,
                                    HardwareShape hardware,
                                    int64_t elementBytes,
                                    const BankModel &banks, int64_t maxBytes,
                                    const MoveCosts &costs,
                                    const OperandOrder &loadOrder = {});

/// Counts the words that loads bring next to other words than an instruction
/// takes them with: those of each access of several words that are neither a
/// part of one operand, in its order, nor whole operands.
int64_t countMovedWords(const SharedAccess &load, const OperandOrder &order,
                        int64_t elementBytes);

/// Returns the best plan in which a side accesses its lowest registers,
/// `storeRow` or `loadRow` of them, at once and in their order; 0: in any way.
/// Returns nothing if there is no such plan.
std::optional<SharedMemoryPlan>
searchSharedRows(const Layout &src, int64_t storeRow, const Layout &dst,
                 int64_t loadRow, HardwareShape hardware, int64_t elementBytes,
                 const BankModel &banks, int64_t maxBytes,
                 const MoveCosts &costs);

/// Returns `plan`, or a better one with matrix instructions, where the machine
/// has them; with a `storeRow` only loads use them. Loads follow `loadOrder`.
SharedMemoryPlan withMatrixTiles(SharedMemoryPlan plan, const Layout &src,
                                 const Layout &dst, HardwareShape hardware,
                                 const BankModel &banks, int64_t maxBytes,
                                 const MoveCosts &costs, int64_t storeRow = 0,
                                 const OperandOrder &loadOrder = {});

/// Returns whether `plan` is better than `other`: fewer issue slots for
/// wavefronts and byte permutes, then fewer address operations, then fewer
/// bytes.
bool isBetter(const SharedMemoryPlan &plan, const SharedMemoryPlan &other,
              HardwareShape hardware, const MoveCosts &costs);

/// Returns the layout of one of `slices[d]` equal slices along each dim d: it
/// maps a place to the element's index modulo the slice's shape, for any slice.
/// Returns nothing where a slice would end inside a digit.
/// \post for every place of a slice's registers, the index is that of the
///       whole layout modulo the slice's shape
std::optional<Layout> sliceOf(const Layout &layout,
                              llvm::ArrayRef<int64_t> slices);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_SHAREDMEMORY_H
