//===- GridFormula.h - Grid functions as formulas ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_GRIDFORMULA_H
#define DISTAFF_LIB_DRIVER_GRIDFORMULA_H

#include "distaff/LLVM.h"
#include "distaff/Runtime/Package.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <array>

namespace distaff {

/// The three extents that a kernel's grid function returns, as formulas of its
/// arguments, which are the dynamic extents; 1x1x1 where `grid` is null. Fails
/// with a diagnostic at a function that is no grid function and at an op that
/// formulas cannot express.
FailureOr<std::array<runtime::Formula, 3>> gridFormulas(func::FuncOp kernel,
                                                        func::FuncOp grid);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_GRIDFORMULA_H
