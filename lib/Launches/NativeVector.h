//===- NativeVector.h - Native vectors as tiles of tensors ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The native vectors of an op on tensors are its tiles: along loops of the
// result those of a workgroup, along reduced ones the steps of an inner loop
// (VX-172).
//
//   distaff.native_vector = [4, 16, 2]    lowering_config<{
//   of m, n and k of a product              workgroup = [4, 16, 0],
//                                           reduction = [0, 0, 2]}>
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NATIVEVECTOR_H
#define DISTAFF_LIB_LAUNCHES_NATIVEVECTOR_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Prepares a kernel of tensors. Fails where other ops than linalg's have a
/// native vector, or where an op that has one is rewritten into ops that have
/// none.
LogicalResult withNativeVectors(func::FuncOp kernel,
                                function_ref<LogicalResult()> prepare);

/// Gives each linalg op of a kernel of tensors that has a native vector the
/// equivalent tiles, and gives `root` those of the function's native vector,
/// unless it has one of its own.
LogicalResult applyNativeVectors(func::FuncOp kernel, Operation *root);

/// Refuses the native vector of a function or of an op in it, where nothing
/// reads it: `why` is the reason, with advice.
LogicalResult refuseNativeVectors(func::FuncOp kernel, StringRef why);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_NATIVEVECTOR_H
