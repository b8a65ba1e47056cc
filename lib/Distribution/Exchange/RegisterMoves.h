//===- RegisterMoves.h - Moves of registers within a lane -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's vector is a numbered list of registers with a shape. Inside one
// lane, a transpose, a broadcast, a reshape or a conversion of a value is one
// renaming: result register r is source register `sourceOf[r]`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_REGISTERMOVES_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_REGISTERMOVES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff {

/// Returns `value` with another shape of as many elements.
Value reshapeRegisters(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> shape);

/// Returns the vector of `shape` whose register r is `value`'s register
/// `sourceOf[r]`. Emits a transpose, with a broadcast before it where registers
/// repeat, if the renaming has that form, which keeps later ops foldable and
/// readable; else a vector.shuffle.
Value renameRegisters(OpBuilder &b, Location loc, Value value,
                      ArrayRef<int64_t> sourceOf, ArrayRef<int64_t> shape);

/// Returns the registers as scalars, in order; a scalar is one register.
SmallVector<Value> toScalars(OpBuilder &b, Location loc, Value value);

/// Returns the inverse: a value of `type`, a vector or the scalar itself.
Value fromScalars(OpBuilder &b, Location loc, ValueRange scalars, Type type);

/// Returns a constant of `type` (vector or scalar) with `value` in all
/// elements.
Value splat(OpBuilder &b, Location loc, Type type, TypedAttr value);

/// Returns a vector of `type` whose elements are all to be overwritten.
Value undefined(OpBuilder &b, Location loc, VectorType type);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_REGISTERMOVES_H
