//===- NativeVector.h - The shape of vectors that are computed --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// n-D vectors name unroll factors, and the target's registers say how much of
// one is computed at a time. Whoever knows better says so, for a function and
// all ops in it,
//
//   func.func @f(...) attributes {distaff.native_vector = array<i64: 4, 8>}
//
// or for one op, whose own loops the sizes are then of: those of a contraction,
// the dims of what a reduction reads, and of any other op the dims of its
// result. Sizes are of the innermost dims; those before them are computed one
// by one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISTAFF_NATIVEVECTOR_H
#define DISTAFF_DIALECT_DISTAFF_NATIVEVECTOR_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff::core {

/// The attribute of a function or an op: an array of i64.
inline constexpr StringLiteral nativeVectorAttributeName =
    "distaff.native_vector";

/// The sizes that the op itself has; empty where it has none.
ArrayRef<int64_t> nativeVectorOf(Operation *op);

/// Checks that an attribute of that name is sizes of at least 1.
LogicalResult verifyNativeVector(Operation *op, Attribute attribute);

} // namespace distaff::core

#endif // DISTAFF_DIALECT_DISTAFF_NATIVEVECTOR_H
