//===- ExternalFunctions.h - Functions that are linked later ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for a CPU may call a function on vectors and scalars that its module
// only declares; its code is linked to the kernel later, in C as
//
//   func.func private @norm(vector<4x8xf32>, f32) -> vector<4xf32>
//   void norm(const float *arg0, float arg1, float *res0);
//
// docs/ABI.md specifies each parameter.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_EXTERNALFUNCTIONS_H
#define DISTAFF_ANALYSIS_LEGALITY_EXTERNALFUNCTIONS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

struct Target;

/// Bytes on a multiple of which the elements of a vector begin, while a
/// function has the pointer to them.
inline constexpr int64_t externalAlignment = 64;

/// Returns the type of a vector's elements in memory, or of a scalar by value:
/// a byte for a bit, 64 bits for an index.
Type typePassedToExternal(Type element);

/// Returns whether a function returns its only result, a scalar; other results
/// are written through pointers.
bool returnsScalar(FunctionType type);

/// Fails, with an error at the call, if the target's kernels cannot call the
/// function, which has no body.
LogicalResult checkExternalCall(func::CallOp call, func::FuncOp callee,
                                const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_EXTERNALFUNCTIONS_H
