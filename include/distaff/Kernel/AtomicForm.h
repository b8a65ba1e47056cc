//===- AtomicForm.h - Updates of memory by one instruction ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two bodies of memref.generic_atomic_rmw are an instruction of every machine:
//
//   load   ^bb0(%old: f32):
//            memref.atomic_yield %old
//   swap   ^bb0(%old: f32):                 // compare and swap
//            %bits = arith.bitcast %old : f32 to i32
//            %same = arith.cmpi eq, %bits, %expected : i32
//            %next = arith.select %same, %desired, %old : f32
//            memref.atomic_yield %next
//
// A body of one op may be an update that memref.atomic_rmw has a kind for:
//
//   add    ^bb0(%old: f32):                 // or %x first, or subf %old, %x
//            %next = arith.addf %old, %x : f32
//            memref.atomic_yield %next
//
// distaff-lower-atomics makes that op of it, writes all others in terms of the
// first two, and conversion takes these only.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_ATOMICFORM_H
#define DISTAFF_KERNEL_ATOMICFORM_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <optional>

namespace distaff {

struct AtomicForm {
  /// Null for a load. The pattern that is compared, an integer, and the element
  /// that takes its place, both from outside of the body.
  Value expected, desired;

  bool isLoad() const { return !expected; }

  /// Returns nothing where the body is another one.
  static std::optional<AtomicForm> of(memref::GenericAtomicRMWOp op);
};

/// A body that is a kind of memref.atomic_rmw.
struct AtomicUpdate {
  arith::AtomicRMWKind kind;
  /// From outside of the body.
  Value operand;
  /// The element loses the operand: its negative is added.
  bool isNegated = false;

  /// Returns nothing where the body is another one.
  static std::optional<AtomicUpdate> of(memref::GenericAtomicRMWOp op);
};

} // namespace distaff

#endif // DISTAFF_KERNEL_ATOMICFORM_H
