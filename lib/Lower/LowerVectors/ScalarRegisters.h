//===- ScalarRegisters.h - Vectors as lists of scalars ----------*- C++ -*-===//
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
// Or rows are flattened: they follow each other, and pieces do not end with
// them,
//
//   vector<2x13xf32>, flattened  pieces 8, 8, 8, 2
//
// in what is done element by element and in memory that holds the rows so.
//
// Each list is made of another one when it is first asked for, so that a rule
// for elements does on a CPU, too, and one for pieces does it well.
//
// A rule lowers one op: it reads the lists of the operands (`elements`), emits
// scalar code at `builder`, and sets the lists of the results. One walk in
// order of dominance applies the rules; old ops are erased at the end. Vectors
// survive in two places, where the hardware has them: wide memory accesses and
// MMA fragments.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LOWER_LOWERVECTORS_SCALARREGISTERS_H
#define DISTAFF_LIB_LOWER_LOWERVECTORS_SCALARREGISTERS_H

#include "distaff/Analysis/Access/IndexFacts.h"
#include "distaff/Dialect/Distaff/Strategies.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace distaff {
class DecisionLog;
} // namespace distaff

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
  void addWhere(LogicalResult (*rule)(Op, Lowering &),
                bool (*isFor)(Op, Lowering &)) {
    Rule other = rules.lookup(Op::getOperationName());
    rules[Op::getOperationName()] = [=](Operation *op, Lowering &lowering) {
      return isFor(cast<Op>(op), lowering) ? rule(cast<Op>(op), lowering)
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
void addCallRules(RuleSet &rules);
void addChunkCompressionRules(RuleSet &rules);
void addChunkContractionRules(RuleSet &rules);
void addChunkMemoryRules(RuleSet &rules);
void addChunkReductionRules(RuleSet &rules);
void addChunkShapeRules(RuleSet &rules);

void addControlFlowRules(RuleSet &rules);
void addIndexedAccessRules(RuleSet &rules);
void addInnerTiledRules(RuleSet &rules);
void addMaskRules(RuleSet &rules);
void addMatrixInstructionRules(RuleSet &rules);
void addMatrixLoadRules(RuleSet &rules);
void addMemoryRules(RuleSet &rules);
void addReductionRules(RuleSet &rules);
void addSemiringRules(RuleSet &rules);
void addShapeRules(RuleSet &rules);
void addTargetOpRules(RuleSet &rules);

/// Whether an op multiplies matrices of a subgroup, of which a lane may hold no
/// vector but one number.
bool isMatrixInstruction(Operation *op);

/// A way to lower an op, and what it costs in quarters of a core's cycle.
struct Candidate {
  StringRef name;
  int64_t cost;
};

/// How a function's vectors are cut into registers.
struct LegalWidth {
  int64_t width = 1; // elements of the widest piece; 1 where they are scalars
  bool isFlattened = false;
};

/// The state of the walk over one function.
class Lowering {
public:
  Lowering(FunctionOpInterface function, const RuleSet &rules,
           const Target &target, bool strictFp, LegalWidth cut,
           DecisionLog *log)
      : builder(function.getContext()), target(target), strictFp(strictFp),
        width(cut.width), isFlattened(cut.isFlattened), function(function),
        rules(rules), log(log) {}

  /// Lowers the whole function, or says which op has no rule.
  LogicalResult run();

  /// The candidate that an op asks for by its name, the cheapest of several, or
  /// else the cheapest of all; the first of equals.
  /// \pre there is one
  const Candidate &pick(Operation *op, const core::StrategyChoice &choice,
                        ArrayRef<Candidate> candidates) const;
  /// The same, which explain will tell.
  const Candidate &choose(Operation *op, const core::StrategyChoice &choice,
                          ArrayRef<Candidate> candidates) const;

  /// One op per register; what a rule may fall back to.
  LogicalResult lowerElementwise(Operation *op);

  /// Inserts the same op, which has no regions, of other types.
  Operation *recreate(Operation *op, TypeRange types, ValueRange operands);

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

  /// The registers of a vector whose rows are flattened, if they are in this
  /// function; its pieces otherwise.
  ArrayRef<Value> flatPieces(Value value);
  SmallVector<Value> flatPieces(ValueRange values);
  void setFlatPieces(Value vector, ArrayRef<Value> pieces);
  SmallVector<Type> flatTypes(TypeRange types) const;

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
  /// Rows follow each other in registers where they can.
  const bool isFlattened;

private:
  LogicalResult lowerOp(Operation *op);
  /// Hands on registers where a branch handed on vectors.
  void lowerBranch(BranchOpInterface branch);
  /// Gives a block that branches lead to an argument per register.
  void flattenArguments(Block &block);
  LogicalResult flattenSignature();
  /// Whether pieces of the flattened vector are others than its rows'.
  bool isCutAnew(Type type) const;
  /// Before whatever may use what `value` has become: these registers.
  OpBuilder behind(Value value, ArrayRef<Value> registers);

  FunctionOpInterface function;
  const RuleSet &rules;
  // Without inline storage the lists stay where they are when the map grows.
  llvm::DenseMap<Value, SmallVector<Value, 0>> elementLists, pieceLists,
      flatLists;
  llvm::DenseMap<Value, Value> passed; // arguments by those that replace them
  llvm::DenseMap<Attribute, Value> constants;
  SmallVector<Operation *> lowered;
  /// Blocks, and how many of their first arguments others replace.
  SmallVector<std::pair<Block *, unsigned>> replacedArguments;
  DecisionLog *log;
};

/// How functions take and return a value of that type: a vector of any rank as
/// all its elements behind each other.
Type passedAs(Type type);

/// Elements of the largest vector that is passed so.
inline constexpr int64_t mostFlattened = 1 << 16;

/// Fails, with an error at `op`, where one of its types is larger.
LogicalResult verifyPassed(Operation *op, TypeRange types);

/// Passes whole vectors to an instruction of a CPU, and takes its results
/// apart.
LogicalResult lowerCpuInstruction(Operation *op, Lowering &lowering);

/// Makes the types of a function's arguments and results those that are passed.
LogicalResult flattenTypes(FunctionOpInterface function);

/// The cut under which a function's code costs least, of those that differ for
/// it, or the one that it asks for. Of a CPU.
LegalWidth chooseCut(FunctionOpInterface function, const RuleSet &rules,
                     const Target &target, bool strictFp, DecisionLog *log);

/// Tells the log of a choice among strategies; `asked` is the user's, if any.
/// \pre `chosen` is one of the candidates
void recordStrategies(Location loc, StringRef function,
                      const core::StrategyChoice &choice, StringRef asked,
                      const Candidate &chosen, ArrayRef<Candidate> candidates,
                      DecisionLog &log);

/// A vector's shape; a scalar has no dims.
inline ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// Calls `visit(position, index)` for every index of `shape` in row-major
/// order; position counts up from 0.
void forEachIndex(ArrayRef<int64_t> shape,
                  llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> visit);

/// The row-major position of an index.
int64_t linearIndex(ArrayRef<int64_t> shape, ArrayRef<int64_t> index);

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_SCALARREGISTERS_H
