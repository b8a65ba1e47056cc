//===- PcfScopes.h - Worker ids and counts of a scope -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_PCFSCOPES_H
#define DISTAFF_LIB_SIMT_OPS_PCFSCOPES_H

#include "../Translate/OpRegistry.h"
#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::simt {

struct WorkerRegs {
  SmallVector<Reg> ids, counts;
};

/// Returns `n` ids and counts of the executing worker: runs the ops that the
/// scope builds for them, at `op`. None if n is 0.
FailureOr<WorkerRegs> emitWorkers(Operation *op, Attribute scope, int64_t n,
                                  Translator &t);

/// Returns the memory that a scope allocates in; fails if it has none.
FailureOr<Buffer::Space> allocationSpace(Operation *op, Attribute scope,
                                         Translator &t);

bool isSequential(Attribute scope);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_PCFSCOPES_H
