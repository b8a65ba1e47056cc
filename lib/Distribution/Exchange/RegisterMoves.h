//===- RegisterMoves.h - Moves of registers within a lane -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's vector is a numbered list of registers with a shape. What happens
// inside one lane when a value is transposed, broadcast, reshaped or relaid is
// one renaming: result register r is source register `sourceOf[r]`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_REGISTERMOVES_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_REGISTERMOVES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff {

/// `value` with another shape of as many elements.
Value reshapeRegisters(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> shape);

/// The vector of `shape` whose register r is `value`'s register `sourceOf[r]`.
/// Written as a transpose, with a broadcast before it where registers repeat,
/// if the renaming has that form, which keeps what follows foldable and
/// readable; else as a vector.shuffle.
Value renameRegisters(OpBuilder &b, Location loc, Value value,
                      ArrayRef<int64_t> sourceOf, ArrayRef<int64_t> shape);

/// All registers as scalars, in order; a scalar is one register.
SmallVector<Value> toScalars(OpBuilder &b, Location loc, Value value);

/// The inverse: a value of `type`, a vector or the scalar itself.
Value fromScalars(OpBuilder &b, Location loc, ValueRange scalars, Type type);

/// A constant of `type` (vector or scalar) that is `value` everywhere.
Value splat(OpBuilder &b, Location loc, Type type, TypedAttr value);

/// A vector of `type` whose elements are all to be overwritten.
Value undefined(OpBuilder &b, Location loc, VectorType type);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_REGISTERMOVES_H
