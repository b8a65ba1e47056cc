//===- NativeVector.h - A user's vectors as tiles of tensors ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of an op on tensors the vectors are its tiles: along loops of the result
// those of a workgroup, along reduced ones the steps of a loop inside (VX-172).
//
//   distaff.native_vector = [4, 16, 2]    lowering_config<{
//   of m, n and k of a product              workgroup = [4, 16, 0],
//                                           reduction = [0, 0, 2]}>
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_NATIVEVECTOR_H
#define DISTAFF_LIB_CONFIGURE_NATIVEVECTOR_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Prepares a kernel of tensors. Fails where other ops than linalg's have a
/// native vector, or where an op that has one is rewritten into ops that have
/// none.
LogicalResult withNativeVectors(func::FuncOp kernel,
                                function_ref<LogicalResult()> prepare);

/// Gives each linalg op of a kernel of tensors that has a native vector the
/// tiles that it means, and `root` those that the function's means, unless it
/// has one of its own.
LogicalResult applyNativeVectors(func::FuncOp kernel, Operation *root);

/// Refuses the native vector of a function or of an op in it, where nothing
/// reads it: `why` says so, and what to do instead.
LogicalResult refuseNativeVectors(func::FuncOp kernel, StringRef why);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_NATIVEVECTOR_H
