//===- BodyForms.h - Bodies of linalg ops without control flow --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NORMALIZE_BODYFORMS_H
#define DISTAFF_LIB_LAUNCHES_NORMALIZE_BODYFORMS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Computes both sides of each scf.if in the body of a linalg op and selects
/// one. Ops that may not run where their side is not taken get safe operands;
/// fails, with a diagnostic at the op, where there are none.
LogicalResult flattenBodyBranches(func::FuncOp kernel);

/// Replaces each cf.assert in the body of a linalg op by distaff.check of a
/// value after it.
LogicalResult attachBodyAssertions(func::FuncOp kernel);

/// Removes dims of extent 1, at which an input is accessed at 0, from the
/// inputs of linalg ops whose bodies read at computed positions.
void dropUnitInputs(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_NORMALIZE_BODYFORMS_H
