//===- Combine.h - Combining kinds and their identities ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The identity of a combining kind is the value i with i (+) x = x for every x,
// bit for bit (specification 6.4): -0.0 for a float sum, a NaN for maxnumf.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_COMBINE_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_COMBINE_H

#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {

/// Extends or truncates floats; `value` and `type` are vectors or scalars.
Value convertFloat(OpBuilder &b, Location loc, Value value, Type elementType);

/// Returns `lhs (+) rhs`, for scalars or vectors.
Value combine(OpBuilder &b, Location loc, vector::CombiningKind kind, Value lhs,
              Value rhs);

/// Returns the same kind in the GPU dialect.
gpu::AllReduceOperation toAllReduce(vector::CombiningKind kind);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_COMBINE_H
