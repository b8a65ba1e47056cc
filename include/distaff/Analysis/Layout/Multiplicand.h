//===- Multiplicand.h - What an instruction multiplies ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MMA instruction extends its operands itself: i8 to i32, f16 to f32, with
// or without a sign. A contraction of values that were extended exactly is one
// of what they were extended from,
//
//   %w = arith.extui %v : vector<16x32xi8> to vector<16x32xi32>
//   vector.contract ... %w, ...     multiplies u8
//
// and what a contraction itself extends, it extends with the sign. Where no
// instruction takes what there was, one may take more bits that hold it
// exactly: f8 as f16, f16 and bf16 as tf32, four bits as eight.
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

/// The type of the elements that registers of a kind hold.
Type elementTypeOf(ScalarKind kind, MLIRContext *context);

/// Whether parts of words, as distaff.packed_dot names them, are of a kind;
/// floats may be named by their bits, an integer without a sign.
bool isPart(Type part, ScalarKind kind);

/// An operand of a contraction before exact extensions.
struct Multiplicand {
  Value source;
  Type element; // of the source
  bool isUnsigned = false;
  Type whole; // of the elements after them
  /// An instruction that drops bits of the type drops none of the values'.
  bool hasFewBits = false;

  /// True if an instruction's operand of that kind is one; operands of which it
  /// drops bits are only where that is allowed.
  bool is(ScalarKind kind, bool mayDropBits) const;

  /// The operand as one of that kind: as it is, extended to what the
  /// contraction multiplies, or extended exactly to the kind; nothing if it is
  /// none of these.
  std::optional<Multiplicand> as(ScalarKind kind, bool mayDropBits) const;

  /// The operand as it is, its extensions done before the contraction; of no
  /// source.
  Multiplicand extended() const { return {{}, whole, false, whole}; }

  /// Looks through extensions and to_layout ops.
  static Multiplicand get(Value value);

  /// The result of a chain of ops on an element, the first op first; without a
  /// source.
  static Multiplicand get(Type element, ArrayRef<Operation *> chain);
};

/// True if an op extends each element exactly.
bool isExactExtension(Operation *op);

/// What a value was extended from, by all exact extensions that end in it, the
/// last one first.
Value beforeExtensions(Value value,
                       SmallVectorImpl<Operation *> *extensions = nullptr);

/// `op` may multiply its operands in fewer bits than they have: it carries
/// `allow_tf32`.
bool mayDropBits(Operation *op);

/// The name of that attribute.
inline constexpr llvm::StringLiteral allowTf32Name = "allow_tf32";

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_MULTIPLICAND_H
