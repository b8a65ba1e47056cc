//===- Registers.h - The inside of lower-vectors ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After distribution a vector is what one lane holds: a handful of registers.
// This pass gives each of them a name of its own, a scalar SSA value. A vector
// is then a list of scalars in row-major order, and most vector ops are no code
// at all: the result's list is a selection of the operands' lists.
//
//   %t = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
//   elements(%t) = { v0, v3, v1, v4, v2, v5 }    // nothing is emitted
//
// A core of a CPU holds vectors, so there a register is a *piece*: up to as
// many neighbours along the innermost dim as a vector register has words, and
// what is left at the end of a row is a shorter piece, or a scalar. A vector is
// then a list of pieces, row by row, and of its elements where a rule asks for
// those:
//
//   vector<2x13xf32>, 8 words    pieces 8, 5, 8, 5
//
// Each list is made of the other one when it is first asked for, so that a rule
// for elements does on a CPU, too, and one for pieces does it well.
//
// A rule lowers one op: it reads the lists of the operands (`elements`), emits
// scalar code at `builder`, and sets the lists of the results. One walk in
// order of dominance applies the rules; old ops are erased at the end. Vectors
// survive in two places, where the hardware has them: wide memory accesses and
// MMA fragments.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERVECTORS_REGISTERS_H
#define DISTAFF_LIB_LOWER_LOWERVECTORS_REGISTERS_H

#include "distaff/Analysis/IndexFacts.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace distaff::registers {

class Lowering;
using Rule = std::function<LogicalResult(Operation *, Lowering &)>;

/// The rules by op, one family per file.
class RuleSet {
public:
  template <typename Op> void add(LogicalResult (*rule)(Op, Lowering &)) {
    rules[Op::getOperationName()] = [rule](Operation *op, Lowering &lowering) {
      return rule(cast<Op>(op), lowering);
    };
  }
  /// Adds a rule for those ops of which `isFor` holds; others keep theirs.
  template <typename Op>
  void addWhere(LogicalResult (*rule)(Op, Lowering &), bool (*isFor)(Op)) {
    Rule other = rules.lookup(Op::getOperationName());
    rules[Op::getOperationName()] = [=](Operation *op, Lowering &lowering) {
      return isFor(cast<Op>(op)) ? rule(cast<Op>(op), lowering)
                                 : other(op, lowering);
    };
  }
  /// Null where there is none.
  const Rule *lookup(Operation *op) const {
    auto it = rules.find(op->getName().getStringRef());
    return it == rules.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<Rule> rules;
};

/// Of a CPU; they replace those of the same ops.
void addPieceMemoryRules(RuleSet &rules);
void addPieceReductionRules(RuleSet &rules);
void addPieceShapeRules(RuleSet &rules);

void addControlFlowRules(RuleSet &rules);
void addIndexedAccessRules(RuleSet &rules);
void addInnerTiledRules(RuleSet &rules);
void addMaskRules(RuleSet &rules);
void addMatrixLoadRules(RuleSet &rules);
void addMemoryRules(RuleSet &rules);
void addReductionRules(RuleSet &rules);
void addSemiringRules(RuleSet &rules);
void addShapeRules(RuleSet &rules);
void addTargetOpRules(RuleSet &rules);

/// The state of the walk over one function.
class Lowering {
public:
  Lowering(FunctionOpInterface function, const RuleSet &rules,
           const Target &target, bool strictFp)
      : builder(function.getContext()), target(target), strictFp(strictFp),
        width(target.isHost() ? target.simd.vectorBits / 32 : 1),
        function(function), rules(rules) {}

  /// Lowers the whole function, or says which op has no rule.
  LogicalResult run();

  /// One op per register; what a rule may fall back to.
  LogicalResult lowerElementwise(Operation *op);

  /// Lowers the ops of a region; rules of ops with regions call this.
  LogicalResult lowerRegion(Region &region);

  /// The elements of a vector in row-major order; a scalar is its own.
  ArrayRef<Value> elements(Value value);
  void setElements(Value vector, ArrayRef<Value> elements);

  /// The registers of a vector in row-major order: its elements, or its pieces.
  ArrayRef<Value> pieces(Value value);
  /// The registers of several values, one list after the other.
  SmallVector<Value> pieces(ValueRange values);
  void setPieces(Value vector, ArrayRef<Value> pieces);

  /// Elements of the pieces of one row of `extent` elements.
  SmallVector<int64_t> widthsOf(int64_t extent) const;
  /// The type of such a piece, a scalar's for one element.
  static Type pieceType(Type element, int64_t width);
  /// The types of the registers of values of these types, in order.
  SmallVector<Type> pieceTypes(TypeRange types) const;

  /// A constant at the function's entry, one for all its uses.
  Value constant(TypedAttr attribute);
  Value index(int64_t value) { return constant(builder.getIndexAttr(value)); }
  Value boolean(bool value) { return constant(builder.getBoolAttr(value)); }
  /// The sum of an index and a number.
  Value offset(Value base, int64_t by);

  /// Where the op being lowered stood.
  OpBuilder builder;
  IndexFacts facts;
  /// Says how wide accesses may be.
  const Target &target;
  /// Float sums and products keep their order, and every step is rounded.
  const bool strictFp;
  /// Elements of the widest piece; 1 where registers are scalars.
  const int64_t width;

private:
  LogicalResult lowerOp(Operation *op);
  /// Before whatever may use what `value` has become.
  OpBuilder behind(Value value, Value piece);

  FunctionOpInterface function;
  const RuleSet &rules;
  // Without inline storage the lists stay where they are when the map grows.
  llvm::DenseMap<Value, SmallVector<Value, 0>> elementLists, pieceLists;
  llvm::DenseMap<Attribute, Value> constants;
  SmallVector<Operation *> lowered;
};

/// Calls `visit(position, index)` for every index of `shape` in row-major
/// order; position counts up from 0.
void forEachIndex(ArrayRef<int64_t> shape,
                  llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> visit);

/// The row-major position of an index.
int64_t linearize(ArrayRef<int64_t> shape, ArrayRef<int64_t> index);

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_REGISTERS_H
