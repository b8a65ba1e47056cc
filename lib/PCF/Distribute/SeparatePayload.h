//===- SeparatePayload.h - Splitting shared and private payload -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_SEPARATEPAYLOAD_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_SEPARATEPAYLOAD_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Replaces every handle in an executor that carries shared and private payload
/// by two handles of its group, one for each kind, and lets each phase take and
/// return only handles of its own kind. Failure: an op that uses such a handle
/// has no conversion; the error names the op.
LogicalResult separatePayload(SharedExecutorOp executor);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_SEPARATEPAYLOAD_H
