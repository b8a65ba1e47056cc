//===- Multiplicand.h - Operand types of MMA instructions -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MMA instruction extends its operands itself: i8 to i32, f16 to f32, with
// or without a sign. A contraction of exactly extended values is a contraction
// of the values before the extension,
//
//   %w = arith.extui %v : vector<16x32xi8> to vector<16x32xi32>
//   vector.contract ... %w, ...     multiplies u8
//
// and the extension that a contraction implies keeps the sign. If no
// instruction accepts the original type, one may accept a wider type that holds
// it exactly: f16 for f8, tf32 for f16 and bf16, eight bits for four.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_MULTIPLICAND_H
#define DISTAFF_ANALYSIS_LAYOUT_MULTIPLICAND_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace distaff {

/// Returns the type of the elements that registers of a kind hold.
Type elementTypeOf(ScalarKind kind, MLIRContext *context);

/// Returns whether the elements of packed words, as distaff.packed_dot names
/// them, are of a kind; floats may be named by their bits, an integer without a
/// sign.
bool isPart(Type part, ScalarKind kind);

/// Describes an operand of a contraction before exact extensions.
struct Multiplicand {
  Value source;
  Type element; // of the source
  bool isUnsigned = false;
  Type whole; // the element type after them
  /// Whether an instruction that drops bits of the type keeps all bits of the
  /// values.
  bool hasFewBits = false;

  /// Returns whether it matches an instruction's operand of that kind; operands
  /// of which the instruction drops bits match only if that is allowed.
  bool is(ScalarKind kind, bool mayDropBits) const;

  /// Returns the operand as one of that kind: unchanged, extended to the type
  /// that the contraction multiplies, or extended exactly to the kind; nullopt
  /// if none of these matches.
  std::optional<Multiplicand> as(ScalarKind kind, bool mayDropBits) const;

  /// Returns the operand with its extensions done before the contraction,
  /// without a source.
  Multiplicand extended() const { return {{}, whole, false, whole}; }

  /// Looks through extensions and to_layout ops.
  static Multiplicand get(Value value);

  /// Returns the result of a chain of ops on an element, the first op first;
  /// without a source.
  static Multiplicand get(Type element, ArrayRef<Operation *> chain);
};

/// Returns whether an op extends each element exactly.
bool isExactExtension(Operation *op);

/// Returns the value from which exact extensions compute `value`; lists these,
/// the last one first.
Value beforeExtensions(Value value,
                       SmallVectorImpl<Operation *> *extensions = nullptr);

/// Returns whether `op` may multiply its operands in fewer bits than they have:
/// it has the attribute `allow_tf32`.
bool mayDropBits(Operation *op);

/// The name of that attribute.
inline constexpr llvm::StringLiteral allowTf32Name = "allow_tf32";

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_MULTIPLICAND_H
