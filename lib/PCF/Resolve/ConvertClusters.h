//===- ConvertClusters.h - Lowering handles to members' values --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_RESOLVE_CONVERTCLUSTERS_H
#define DISTAFF_LIB_PCF_RESOLVE_CONVERTCLUSTERS_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Verifies that members at `scope`, whose code `op` is, are groups of workers
/// at `telescopeTo`; a null `telescopeTo` always passes.
LogicalResult verifyIsFiner(Operation *op, Attribute scope,
                            Attribute telescopeTo);

/// Converts the handles in a worker's code that replication has left: phases
/// become the members' code, and handles their payload. With `telescopeTo`
/// phases become those of groups of that scope, which carry the payload.
LogicalResult convertClusters(GenericOp generic, Attribute telescopeTo);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_RESOLVE_CONVERTCLUSTERS_H
