//===- RefAccess.h - Ops that may access a ref's memory ---------*- C++ -*-===//
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

/// Returns the allocation of a ref that an initializer yields and that has no
/// alias; null for other refs.
AllocOp getAllocation(BlockArgument ref);

/// Returns the allocation in the executor's body of which a memref is a view;
/// null for other memory. It is the group's: all of its workers use one buffer.
memref::AllocOp getGroupAllocation(Value memref, SharedExecutorOp executor);

/// Returns whether an op is such an allocation, of a size that is known.
bool isGroupAllocation(Operation *op, SharedExecutorOp executor);

// The functions below take memrefs as well as refs.

/// Returns whether `op`, or an op in it, may read or write the memory of `ref`,
/// or orders accesses to it (a barrier or a fence).
bool mayAccess(Operation *op, Value ref);

/// Returns whether `op`, or an op in it, may write the memory of `ref`. The
/// memory of a readonly ref is not written.
bool mayWrite(Operation *op, Value ref);

/// Returns whether two refs, or refs that they are views of, may alias.
bool mayAlias(Value a, Value b);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_REFACCESS_H
