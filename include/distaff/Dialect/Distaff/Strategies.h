//===- Strategies.h - Ways to lower ops on n-D vectors ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A core's vectors are one-dimensional, and for most ops on n-D vectors there
// are several ways there (VX-119 to VX-123). Lower ranks them by what the
// target's instructions cost. Whoever knows better says so, for a function and
// all ops in it,
//
//   func.func @f(...) attributes {distaff.strategies = {contractions = "dot"}}
//
// or for one op:
//
//   vector.contract {..., distaff.strategies = {contractions = "dot"}} ...
//
// What is asked for is done wherever it means what the source does; elsewhere
// the ranking decides.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISTAFF_STRATEGIES_H
#define DISTAFF_DIALECT_DISTAFF_STRATEGIES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace distaff::core {

/// Something there are several ways to do, by name.
struct StrategyChoice {
  StringLiteral subject;
  ArrayRef<StringLiteral> names;
};

/// Where rows of n-D vectors begin: `nested`, at each row of the innermost dim;
/// `flattened`, one after the other in all of a vector.
extern const StrategyChoice vectorStrategies;
/// Elements of a piece of a row: 4, 8, 16 or 32.
extern const StrategyChoice pieceStrategies;
/// Tiles of memory of which one dim has neighbours: `rows` of those, transposed
/// in registers where they are no rows of the vector, or `elements`.
extern const StrategyChoice transferStrategies;
/// The end of a row that is no whole piece: in `parts` that are powers of two,
/// or `masked`, as one piece under a mask.
extern const StrategyChoice remainderStrategies;
/// Pieces lie along the innermost dim of the result (`outer`, sums of outer
/// products), along another of its dims (`parallel`), along a reduced one
/// (`dot`), or are `elements`.
extern const StrategyChoice contractionStrategies;
/// Of rows: `halves` of each are combined, or rows are `transposed` so that
/// whole registers are, or `elements`.
extern const StrategyChoice reductionStrategies;

/// All of them.
ArrayRef<const StrategyChoice *> allStrategies();

/// The attribute of a function or an op: a dictionary of names by subject.
inline constexpr StringLiteral strategiesAttributeName = "distaff.strategies";

/// The name that an op's attribute has for a subject, or else its function's;
/// empty where neither has one.
StringRef strategyAskedFor(Operation *op, const StrategyChoice &choice);

/// Checks that an attribute of that name has only subjects and names there are.
LogicalResult verifyStrategies(Operation *op, Attribute attribute);

} // namespace distaff::core

#endif // DISTAFF_DIALECT_DISTAFF_STRATEGIES_H
