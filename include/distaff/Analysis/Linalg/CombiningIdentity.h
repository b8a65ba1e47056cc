//===- CombiningIdentity.h - Neutral element of a reduction -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The neutral element replaces elements that do not count: combining with it
// changes nothing, bit for bit (specification 6.4): -0.0 for a float sum, a NaN
// for maxnumf.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_COMBININGIDENTITY_H
#define DISTAFF_ANALYSIS_LINALG_COMBININGIDENTITY_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {

/// Returns the identity of `kind` for `type`, an integer, index or float type.
/// \pre  the type can hold it: see `typeToCombineIn`
TypedAttr identityOf(vector::CombiningKind kind, Type type);

/// Returns the type in which to combine elements of `type`: f32 for floats that
/// cannot hold the identity (there are 8-bit floats without infinity), else
/// `type`.
Type typeToCombineIn(vector::CombiningKind kind, Type type);

/// Returns whether the order of the elements may change the rounding of their
/// combination: of sums and products of floats, or of vectors of floats.
bool dependsOnOrder(vector::CombiningKind kind, Type type);

/// Returns the same for an op that combines two scalars; false for null.
bool dependsOnOrder(Operation *combiner);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_COMBININGIDENTITY_H
