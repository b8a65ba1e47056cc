//===- CopyByVectors.h - Copies as vector transfers -------------*- C++ -*-===//
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

/// Copies a tensor or a memref into another one of the same shape, with loops
/// where it is larger than a vector should be. Returns the resulting tensor.
Value copyByVectors(OpBuilder &b, Location loc, Value source, Value into);

/// Replaces each memref.copy in the program of a workgroup; else every lane
/// would do the whole copy.
void expandCopies(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_REWRITE_COPYBYVECTORS_H
