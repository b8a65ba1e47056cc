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
#include "mlir/IR/AffineMap.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <array>

namespace distaff {

/// Returns the workgroups of a kernel along x, y and z as formulas of its
/// dynamic extents: the results of its grid function, or its fixed grid. Fails
/// with a diagnostic at a function that is not a grid function and at an op
/// that formulas cannot express.
FailureOr<std::array<runtime::Formula, 3>>
gridFormulas(FunctionOpInterface kernel);

/// Returns the assertions of a grid function on the extents, each as two
/// numbers that are equal.
FailureOr<std::vector<runtime::Requirement>>
gridRequirements(FunctionOpInterface kernel);

/// Returns the results of a map of the dynamic extents (ExtentFormulas.h).
std::vector<runtime::Formula> toFormulas(AffineMap map);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_GRIDFORMULA_H
