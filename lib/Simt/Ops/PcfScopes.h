//===- PcfScopes.h - What a scope answers, as registers ---------*- C++ -*-===//
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

/// `n` ids and counts of whoever runs this: the ops that the scope builds for
/// them are run as if they stood at `op`. None if n is 0.
FailureOr<WorkerRegs> emitWorkers(Operation *op, Attribute scope, int64_t n,
                                  Translator &t);

/// Which memory a scope allocates in; a fault where it cannot.
FailureOr<Buffer::Space> allocationSpace(Operation *op, Attribute scope,
                                         Translator &t);

bool isSequential(Attribute scope);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_PCFSCOPES_H
