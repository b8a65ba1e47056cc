//===- RefAccess.h - Which ops may access a ref's memory --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_REFACCESS_H
#define DISTAFF_LIB_PCF_ORDER_REFACCESS_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// What allocates a ref that an initializer yields, and nothing else shows;
/// null for other refs.
AllocOp getAllocation(BlockArgument ref);

/// The allocation in the executor's body of which a memref is a view; null for
/// other memory. It is the group's: all of its workers use one buffer.
memref::AllocOp getGroupAllocation(Value memref, SharedExecutorOp executor);

/// Whether an op is such an allocation, of a size that is known.
bool isGroupAllocation(Operation *op, SharedExecutorOp executor);

// What is said of a ref here holds of a memref, too.

/// Whether `op`, or an op in it, may read or write the memory of `ref`, or
/// orders accesses to it (a barrier or a fence).
bool mayAccess(Operation *op, Value ref);

/// Whether `op`, or an op in it, may write the memory of `ref`. What a
/// readonly ref shows is not written.
bool mayWrite(Operation *op, Value ref);

/// Whether two refs, or refs that they are views of, may show the same memory.
bool mayAlias(Value a, Value b);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_REFACCESS_H
