//===- RaiseLaneCode.h - Lanes' code as the workgroup's ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUTS_RAISELANECODE_H
#define DISTAFF_LIB_LAYOUTS_RAISELANECODE_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Turns a user's code between to_simt and to_simd into what it is of all
/// lanes. Fails, with a diagnostic, where that depends on who holds what.
LogicalResult raiseLaneCode(FunctionOpInterface function);

/// Refuses what is left of such code once dead ops are gone.
LogicalResult verifyNoLaneCode(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUTS_RAISELANECODE_H
