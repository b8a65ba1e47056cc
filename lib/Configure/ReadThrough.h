//===- ReadThrough.h - Elementwise ops computed where read ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_READTHROUGH_H
#define DISTAFF_LIB_CONFIGURE_READTHROUGH_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

/// Puts elementwise ops whose elements are read at computed positions, or as
/// slices, to where they are read, so that nothing of theirs need be in memory.
LogicalResult readThroughElementwise(func::FuncOp kernel);

/// Whether an op fails where nothing is read: it divides integers by what may
/// be 0, or has a check.
bool bodyMayFail(linalg::LinalgOp op);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_READTHROUGH_H
