//===- IntrinsicForms.h - LLVM ops as ops of other dialects -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites an op of the LLVM dialect as ops that have layouts, shapes of
// several dims and code on every target:
//
//   llvm.intr.fma, llvm.call_intrinsic "llvm.fma.v8f32"    math.fma
//   llvm.intr.vector.reduce.smax                           vector.reduction
//   llvm.intr.matrix.multiply                              vector.contract
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_IMPORT_INTRINSICS_INTRINSICFORMS_H
#define DISTAFF_LIB_IMPORT_INTRINSICS_INTRINSICFORMS_H

#include "distaff/LLVM.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace distaff {

/// Returns the name of the intrinsic that an op calls, without the prefix
/// `llvm.` and, where a form of `knownIntrinsics` begins it, without the suffix
/// of types: `fma` of llvm.intr.fma and of a call of "llvm.fma.v8f32". Empty
/// for other ops.
StringRef intrinsicOf(Operation *op);

/// Emits ops that compute the same as `op`, an op of the LLVM dialect of one
/// result, and returns their value; null where no form of it is known, and then
/// nothing has been emitted.
Value emitForm(ImplicitLocOpBuilder &b, Operation *op);

/// Implements `emitForm` for intrinsics of integers that take several ops:
/// saturating sums, funnel shifts, and permutations of bits.
Value emitIntegerForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                      ValueRange operands);

/// Implements `emitForm` for an arithmetic result with an overflow bit: the
/// member that `op` extracts from such a struct.
Value emitOverflowForm(ImplicitLocOpBuilder &b, Operation *op);

/// Implements `emitForm` for powers: by an integer, of 10, and of 2 as a
/// factor.
Value emitPowerForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                    Operation *op);

/// Returns the name of a masked intrinsic that has a form, from a name in a
/// call, `vp.add` of "vp.add.v8i32"; empty for other ones.
StringRef predicatedIntrinsicOf(StringRef called);

/// Implements `emitForm` for masked intrinsics.
Value emitPredicatedForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                         Operation *op);

/// Returns whether a name in a call is that of the intrinsic, with or without a
/// suffix of types.
bool isIntrinsicNamed(StringRef called, StringRef intrinsic);

/// Implements `emitForm` for intrinsics of matrices, column after column in a
/// vector of one dim.
Value emitMatrixForm(ImplicitLocOpBuilder &b, Operation *op);

/// Returns the row-major memref whose first element a pointer is the address
/// of; null for another pointer.
Value memoryBehind(Value pointer);

/// Returns row-major memory of any rank as memory of one dim.
Value flatMemory(ImplicitLocOpBuilder &b, Value memory);

/// Replaces `op`, a masked access by pointers, by accesses of the memref that
/// they point into; returns false for other pointers, and then nothing has been
/// emitted.
bool replaceMaskedAccess(ImplicitLocOpBuilder &b, Operation *op);

/// Replaces `op`, a load or a store of a matrix's columns, by accesses of the
/// memref that its pointer is taken of; returns false for another pointer, and
/// then nothing has been emitted.
bool replaceColumnAccess(ImplicitLocOpBuilder &b, Operation *op);

/// Implements `emitForm` for instructions, for example llvm.fadd and llvm.icmp.
Value emitInstructionForm(ImplicitLocOpBuilder &b, Operation *op);

/// Inserts an op, by its name, with the fast-math flags that `op` has.
Value createWithFlagsOf(ImplicitLocOpBuilder &b, Operation *op, StringRef name,
                        ValueRange operands);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_INTRINSICS_INTRINSICFORMS_H
