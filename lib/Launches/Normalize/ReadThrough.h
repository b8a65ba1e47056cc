//===- ReadThrough.h - Fusion of elementwise ops into readers ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NORMALIZE_READTHROUGH_H
#define DISTAFF_LIB_LAUNCHES_NORMALIZE_READTHROUGH_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

/// Moves elementwise ops whose elements are read at computed positions, or as
/// slices, to their readers (producer fusion), so that their results need not
/// be in memory.
LogicalResult readThroughElementwise(func::FuncOp kernel);

/// Returns whether an op may fail on padding: it divides integers by a value
/// that may be 0, or has a check.
bool bodyMayFail(linalg::LinalgOp op);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_NORMALIZE_READTHROUGH_H
