//===- RaiseLaneCode.h - Raising of per-lane code ---------------*- C++ -*-===//
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

/// Replaces a user's code between to_simt and to_simd by code on whole vectors.
/// Fails, with a diagnostic, where the result depends on which lane holds which
/// element.
LogicalResult raiseLaneCode(FunctionOpInterface function);

/// Refuses per-lane code that remains after dead ops are erased.
LogicalResult verifyNoLaneCode(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUTS_RAISELANECODE_H
