//===- CopyByVectors.h - Copies as transfers of vectors ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_REWRITE_COPYBYVECTORS_H
#define DISTAFF_REWRITE_COPYBYVECTORS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// Copies a tensor or a memref into another of its shape, with loops around
/// where it is larger than a vector should be. Returns the tensor that results.
Value copyByVectors(OpBuilder &b, Location loc, Value source, Value into);

/// Replaces each memref.copy of a workgroup's program, which else every lane
/// would do.
void expandCopies(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_REWRITE_COPYBYVECTORS_H
