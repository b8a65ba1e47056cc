//===- Strategies.h - Strategies to lower n-D vector ops --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A core's vectors are one-dimensional, and most ops on n-D vectors can be
// lowered to them in several ways (VX-119 to VX-123). Lower ranks these by the
// cost of the target's instructions. An attribute overrides the ranking for a
// function and all ops in it,
//
//   func.func @f(...) attributes {distaff.strategies = {contractions = "dot"}}
//
// or for one op:
//
//   vector.contract {..., distaff.strategies = {contractions = "dot"}} ...
//
// A requested strategy is used wherever it preserves the semantics of the
// source; elsewhere the ranking decides.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISTAFF_STRATEGIES_H
#define DISTAFF_DIALECT_DISTAFF_STRATEGIES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace distaff::core {

/// A task with several strategies, each with a name.
struct StrategyChoice {
  StringLiteral subject;
  ArrayRef<StringLiteral> names;
};

/// Start of rows of n-D vectors: `nested`, at each row of the innermost dim;
/// `flattened`, contiguously in the whole vector.
extern const StrategyChoice vectorStrategies;
/// Elements of a chunk of a row: 4, 8, 16 or 32.
extern const StrategyChoice pieceStrategies;
/// Transfers of memory tiles with one contiguous dim: `rows` along that dim,
/// transposed in registers if they are not rows of the vector, or `elements`.
extern const StrategyChoice transferStrategies;
/// The remainder of a row: `parts` of power-of-two sizes, or `masked`, one
/// chunk under a mask.
extern const StrategyChoice remainderStrategies;
/// The dim of contraction chunks: the innermost dim of the result (`outer`,
/// sums of outer products), another of its dims (`parallel`), a reduced one
/// (`dot`), or single `elements`.
extern const StrategyChoice contractionStrategies;
/// Reductions of rows: `halves` of each row are combined, or rows are
/// `transposed` so that whole registers are combined, or `elements`.
extern const StrategyChoice reductionStrategies;

/// Returns all strategy choices.
ArrayRef<const StrategyChoice *> allStrategies();

/// The attribute of a function or an op: a dictionary of names by subject.
inline constexpr StringLiteral strategiesAttributeName = "distaff.strategies";

/// Returns the name that an op's attribute has for a subject, or else its
/// function's; empty if neither has one.
StringRef strategyAskedFor(Operation *op, const StrategyChoice &choice);

/// Checks that an attribute of that name has only existing subjects and names.
LogicalResult verifyStrategies(Operation *op, Attribute attribute);

} // namespace distaff::core

#endif // DISTAFF_DIALECT_DISTAFF_STRATEGIES_H
