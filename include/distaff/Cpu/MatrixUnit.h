//===- MatrixUnit.h - Ops that need a CPU's matrix unit ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CPU_MATRIXUNIT_H
#define DISTAFF_CPU_MATRIXUNIT_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff {

/// Returns whether an op has ops in it that use registers of matrices (AMX),
/// for which a process must have the permission of its operating system.
bool takesMatrices(Operation *op);

} // namespace distaff

#endif // DISTAFF_CPU_MATRIXUNIT_H
