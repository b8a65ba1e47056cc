//===- NativeVector.h - Native vector shape as an attribute -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// n-D vectors imply unroll factors, and the target's registers determine how
// much of a vector is computed at a time. An attribute overrides this for a
// function and all ops in it,
//
//   func.func @f(...) attributes {distaff.native_vector = array<i64: 4, 8>}
//
// or for one op; the sizes then refer to the op's own loops: those of a
// contraction, the dims of a reduction's operand, and for any other op the dims
// of its result. Sizes apply to the innermost dims; the dims before them are
// computed one index at a time.
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

/// Returns the sizes that the op itself has; empty if it has none.
ArrayRef<int64_t> nativeVectorOf(Operation *op);

/// Checks that an attribute of that name is an array of sizes of at least 1.
LogicalResult verifyNativeVector(Operation *op, Attribute attribute);

} // namespace distaff::core

#endif // DISTAFF_DIALECT_DISTAFF_NATIVEVECTOR_H
