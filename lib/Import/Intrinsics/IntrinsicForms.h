//===- IntrinsicForms.h - LLVM ops as ops of other dialects -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op of the LLVM dialect computes, in ops that have layouts, shapes of
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

/// Returns the name of the intrinsic that an op calls, without `llvm.` in front
/// and, where a form of `knownIntrinsics` begins it, without the types behind:
/// `fma` of llvm.intr.fma and of a call of "llvm.fma.v8f32". Empty for other
/// ops.
StringRef intrinsicOf(Operation *op);

/// Emits what computes the same as `op`, an op of the LLVM dialect of one
/// result, and returns its value; null where no form of it is known, and then
/// nothing has been emitted.
Value emitForm(ImplicitLocOpBuilder &b, Operation *op);

/// The part of `emitForm` for intrinsics of integers that take several ops:
/// saturating sums, funnel shifts, and bits in another order.
Value emitIntegerForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                      ValueRange operands);

/// The part of `emitForm` for numbers with a bit for what did not fit: what
/// `op` takes out of such a struct.
Value emitOverflowForm(ImplicitLocOpBuilder &b, Operation *op);

/// The part of `emitForm` for powers: by an integer, of 10, and of 2 as a
/// factor.
Value emitPowerForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                    Operation *op);

/// Returns the name of an intrinsic under a mask that has a form, of a name in
/// a call, `vp.add` of "vp.add.v8i32"; empty for other ones.
StringRef predicatedIntrinsicOf(StringRef called);

/// The part of `emitForm` for intrinsics under a mask.
Value emitPredicatedForm(ImplicitLocOpBuilder &b, StringRef intrinsic,
                         Operation *op);

/// Returns whether a name in a call is that of the intrinsic, with types behind
/// it or without.
bool isIntrinsicNamed(StringRef called, StringRef intrinsic);

/// The part of `emitForm` for intrinsics of matrices, column after column in a
/// vector of one dim.
Value emitMatrixForm(ImplicitLocOpBuilder &b, Operation *op);

/// Returns the row-major memref whose first element a pointer is the address
/// of; null where it is of something else.
Value memoryBehind(Value pointer);

/// Returns row-major memory of any rank along one dim.
Value flatMemory(ImplicitLocOpBuilder &b, Value memory);

/// Emits what `op`, an access by pointers under a mask, does with the memref
/// that they point into, and replaces it; false where they are other pointers,
/// and then nothing has been emitted.
bool replaceMaskedAccess(ImplicitLocOpBuilder &b, Operation *op);

/// Emits what `op`, a load or a store of a matrix's columns, does with the
/// memref that its pointer is taken of, and replaces it; false where the
/// pointer is another one, and then nothing has been emitted.
bool replaceColumnAccess(ImplicitLocOpBuilder &b, Operation *op);

/// The part of `emitForm` for instructions, llvm.fadd and llvm.icmp for two.
Value emitInstructionForm(ImplicitLocOpBuilder &b, Operation *op);

/// Inserts an op, by its name, of the fast-math flags that `op` has.
Value createWithFlagsOf(ImplicitLocOpBuilder &b, Operation *op, StringRef name,
                        ValueRange operands);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_INTRINSICS_INTRINSICFORMS_H
