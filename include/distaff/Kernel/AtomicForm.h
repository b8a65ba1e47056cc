//===- AtomicForm.h - Atomic updates by one instruction ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two bodies of memref.generic_atomic_rmw are instructions of every machine:
//
//   load   ^bb0(%old: f32):
//            memref.atomic_yield %old
//   swap   ^bb0(%old: f32):                 // compare and swap
//            %bits = arith.bitcast %old : f32 to i32
//            %same = arith.cmpi eq, %bits, %expected : i32
//            %next = arith.select %same, %desired, %old : f32
//            memref.atomic_yield %next
//
// A body of one op may be an update for which memref.atomic_rmw has a kind:
//
//   add    ^bb0(%old: f32):                 // or %x first, or subf %old, %x
//            %next = arith.addf %old, %x : f32
//            memref.atomic_yield %next
//
// distaff-lower-atomics replaces it by that op, rewrites all others in terms of
// the first two, and conversion accepts only these.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_ATOMICFORM_H
#define DISTAFF_KERNEL_ATOMICFORM_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <optional>

namespace distaff {

struct AtomicForm {
  /// Null for a load. The integer pattern that is compared, and the element
  /// that replaces it, both defined outside of the body.
  Value expected, desired;

  bool isLoad() const { return !expected; }

  /// Returns the form, or nullopt if the body is another one.
  static std::optional<AtomicForm> of(memref::GenericAtomicRMWOp op);
};

/// Describes a body that equals a kind of memref.atomic_rmw.
struct AtomicUpdate {
  arith::AtomicRMWKind kind;
  /// Defined outside of the body.
  Value operand;
  /// Whether the operand is subtracted: its negative is added.
  bool isNegated = false;

  /// Returns the update, or nullopt if the body is another one.
  static std::optional<AtomicUpdate> of(memref::GenericAtomicRMWOp op);
};

} // namespace distaff

#endif // DISTAFF_KERNEL_ATOMICFORM_H
