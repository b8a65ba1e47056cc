//===- DeadOps.h - Dead code elimination of pure ops ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_REWRITE_DEADOPS_H
#define DISTAFF_REWRITE_DEADOPS_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Erases pure ops without users, which would only take part in layout
/// assignment.
void eraseDeadOps(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_REWRITE_DEADOPS_H
