//===- SharedMemory.h - The search of one slice's way -----------*- C++ -*-===//
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

/// The best way of a whole value through shared memory. Where `maxBytes` is not
/// 0 and the value fits into as much, so does the plan: padding is no reason to
/// exceed it.
SharedMemoryPlan searchSharedMemory(const Layout &src, const Layout &dst,
                                    HardwareShape hardware,
                                    int64_t elementBytes,
                                    const BankModel &banks, int64_t maxBytes,
                                    const MoveCosts &costs,
                                    const OperandOrder &loadOrder = {});

/// Words that loads bring beside others than an instruction takes them with: of
/// each access of several words that are neither a part of one operand, in its
/// order, nor whole operands.
int64_t countMovedWords(const SharedAccess &load, const OperandOrder &order,
                        int64_t elementBytes);

/// The best way on which a side accesses its lowest registers, `storeRow` or
/// `loadRow` of them, at once and in their order; 0: as it likes. Nothing if
/// there is no such way.
std::optional<SharedMemoryPlan>
searchSharedRows(const Layout &src, int64_t storeRow, const Layout &dst,
                 int64_t loadRow, HardwareShape hardware, int64_t elementBytes,
                 const BankModel &banks, int64_t maxBytes,
                 const MoveCosts &costs);

/// `plan`, or a better one with matrix instructions, where the machine has
/// them; with a `storeRow` those load only. Loads follow `loadOrder`.
SharedMemoryPlan withMatrixTiles(SharedMemoryPlan plan, const Layout &src,
                                 const Layout &dst, HardwareShape hardware,
                                 const BankModel &banks, int64_t maxBytes,
                                 const MoveCosts &costs, int64_t storeRow = 0,
                                 const OperandOrder &loadOrder = {});

/// Whether `plan` is better than `other`: fewer issue slots for wavefronts and
/// byte permutes, then fewer address operations, then fewer bytes.
bool isBetter(const SharedMemoryPlan &plan, const SharedMemoryPlan &other,
              HardwareShape hardware, const MoveCosts &costs);

/// The layout of one of `slices[d]` equal slices along each dim d: who holds
/// the element at index i % slice shape, for whichever slice. Nothing where a
/// slice would end inside a digit.
/// \post for every place of a slice's registers, the index is that of the
///       whole layout modulo the slice's shape
std::optional<Layout> sliceOf(const Layout &layout,
                              llvm::ArrayRef<int64_t> slices);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_SHAREDMEMORY_H
