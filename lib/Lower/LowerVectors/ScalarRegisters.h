//===- ScalarRegisters.h - Vectors as lists of registers --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After distribution a vector is what one lane holds: a handful of registers.
// This pass makes each of them a scalar SSA value. A vector is then a list
// of scalars in row-major order, and most vector ops are no code at all: the
// result's list is a selection of the operands' lists.
//
//   %t = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
//   elements(%t) = { v0, v3, v1, v4, v2, v5 }    // nothing is emitted
//
// A core of a CPU holds vectors, so there a register is a *native vector chunk*
// (`piece` in names): up to as many neighbours along the innermost dim as a
// vector register has words. The remainder of a row is a shorter chunk, or a
// scalar. A vector is then a list of chunks, row by row, and also a list of its
// elements where a rule needs those:
//
//   vector<2x13xf32>, 8 words    chunks 8, 5, 8, 5
//
// Or rows are flattened: they follow each other, and chunks cross row ends,
//
//   vector<2x13xf32>, flattened  chunks 8, 8, 8, 2
//
// in elementwise code and in memory that holds the rows contiguously.
//
// Each list is made from another one on first use, so that a rule for elements
// works on a CPU, too, and a rule for chunks is efficient there.
//
// A rule lowers one op: it reads the lists of the operands (`elements`), emits
// scalar code at `builder`, and sets the lists of the results. One traversal in
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

/// The lowering rules by op, one family per file.
class RuleSet {
public:
  template <typename Op> void add(LogicalResult (*rule)(Op, Lowering &)) {
    rules[Op::getOperationName()] = [rule](Operation *op, Lowering &lowering) {
      return rule(cast<Op>(op), lowering);
    };
  }
  /// Adds a rule for the ops for which `isFor` holds; others keep their rules.
  template <typename Op>
  void addWhere(LogicalResult (*rule)(Op, Lowering &),
                bool (*isFor)(Op, Lowering &)) {
    Rule other = rules.lookup(Op::getOperationName());
    rules[Op::getOperationName()] = [=](Operation *op, Lowering &lowering) {
      return isFor(cast<Op>(op), lowering) ? rule(cast<Op>(op), lowering)
                                           : other(op, lowering);
    };
  }
  /// Returns the rule for an op, or null.
  const Rule *lookup(Operation *op) const {
    auto it = rules.find(op->getName().getStringRef());
    return it == rules.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<Rule> rules;
};

/// Add the rules of a CPU, which replace those of the same ops.
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

/// Returns whether an op multiplies matrices of a subgroup, of which a lane may
/// hold one number instead of a vector.
bool isMatrixInstruction(Operation *op);

/// A strategy for lowering an op, with its cost in quarters of a core's cycle.
struct Candidate {
  StringRef name;
  int64_t cost;
};

/// Describes how a function's vectors are split into registers.
struct LegalWidth {
  int64_t width = 1; // elements of the widest chunk; 1 where they are scalars
  bool isFlattened = false;
};

/// The state of the traversal of one function.
class Lowering {
public:
  Lowering(FunctionOpInterface function, const RuleSet &rules,
           const Target &target, bool strictFp, LegalWidth cut,
           DecisionLog *log)
      : builder(function.getContext()), target(target), strictFp(strictFp),
        width(cut.width), isFlattened(cut.isFlattened), function(function),
        rules(rules), log(log) {}

  /// Lowers the whole function, or reports the op that has no rule.
  LogicalResult run();

  /// Returns the candidate that an op requests by name, the cheapest if several
  /// have that name, or else the cheapest of all; the first of equals.
  /// \pre there is one
  const Candidate &pick(Operation *op, const core::StrategyChoice &choice,
                        ArrayRef<Candidate> candidates) const;
  /// Returns the same and records the choice in the log.
  const Candidate &choose(Operation *op, const core::StrategyChoice &choice,
                          ArrayRef<Candidate> candidates) const;

  /// Lowers an op to one op per register; a rule may use it as its fallback.
  LogicalResult lowerElementwise(Operation *op);

  /// Inserts the same op, which has no regions, with other types.
  Operation *recreate(Operation *op, TypeRange types, ValueRange operands);

  /// Lowers the ops of a region; rules of ops with regions call this.
  LogicalResult lowerRegion(Region &region);

  /// Returns the elements of a vector in row-major order; a scalar is its own.
  ArrayRef<Value> elements(Value value);
  void setElements(Value vector, ArrayRef<Value> elements);

  /// Returns the registers of a vector in row-major order: its elements, or its
  /// chunks.
  ArrayRef<Value> pieces(Value value);
  /// Returns the registers of several values, one list after the other.
  SmallVector<Value> pieces(ValueRange values);
  void setPieces(Value vector, ArrayRef<Value> pieces);

  /// Returns the registers of a vector whose rows are flattened, if they are in
  /// this function; its chunks otherwise.
  ArrayRef<Value> flatPieces(Value value);
  SmallVector<Value> flatPieces(ValueRange values);
  void setFlatPieces(Value vector, ArrayRef<Value> pieces);
  SmallVector<Type> flatTypes(TypeRange types) const;

  /// Returns the number of elements in each chunk of a row of `extent`
  /// elements.
  SmallVector<int64_t> widthsOf(int64_t extent) const;
  /// Returns the type of such a chunk, a scalar's for one element.
  static Type pieceType(Type element, int64_t width);
  /// Returns the types of the registers of values of these types, in order.
  SmallVector<Type> pieceTypes(TypeRange types) const;

  /// Returns a constant at the function's entry, one for all its uses.
  Value constant(TypedAttr attribute);
  Value index(int64_t value) { return constant(builder.getIndexAttr(value)); }
  Value boolean(bool value) { return constant(builder.getBoolAttr(value)); }
  /// Returns the sum of an index and a number.
  Value offset(Value base, int64_t by);

  /// Inserts at the position of the op being lowered.
  OpBuilder builder;
  IndexFacts facts;
  /// Determines how wide accesses may be.
  const Target &target;
  /// Whether float sums and products keep their order, with every step rounded.
  const bool strictFp;
  /// Elements of the widest chunk; 1 where registers are scalars.
  const int64_t width;
  /// Whether rows follow each other in registers where they can.
  const bool isFlattened;

private:
  LogicalResult lowerOp(Operation *op);
  /// Replaces the vectors that a branch passes by registers.
  void lowerBranch(BranchOpInterface branch);
  /// Replaces the arguments of a branch's target block by one per register.
  void flattenArguments(Block &block);
  LogicalResult flattenSignature();
  /// Returns whether flattening changes the chunks of the vector.
  bool isCutAnew(Type type) const;
  /// Returns a builder after these registers, which replace `value`, and before
  /// their uses.
  OpBuilder behind(Value value, ArrayRef<Value> registers);

  FunctionOpInterface function;
  const RuleSet &rules;
  // The lists have no inline storage, so they stay valid when the map grows.
  llvm::DenseMap<Value, SmallVector<Value, 0>> elementLists, pieceLists,
      flatLists;
  llvm::DenseMap<Value, Value> passed; // arguments by their replacements
  llvm::DenseMap<Attribute, Value> constants;
  SmallVector<Operation *> lowered;
  /// Blocks, with the number of their first arguments that are replaced.
  SmallVector<std::pair<Block *, unsigned>> replacedArguments;
  DecisionLog *log;
};

/// Returns the type by which functions take and return a value of that type: a
/// vector of any rank is passed as all its elements in one dim.
Type passedAs(Type type);

/// Elements of the largest vector that is passed so.
inline constexpr int64_t mostFlattened = 1 << 16;

/// Checks that no type is larger; emits an error at `op` otherwise.
LogicalResult verifyPassed(Operation *op, TypeRange types);

/// Passes whole vectors to an instruction of a CPU, and splits its results into
/// registers.
LogicalResult lowerCpuInstruction(Operation *op, Lowering &lowering);

/// Replaces the types of a function's arguments and results by the passed ones.
LogicalResult flattenTypes(FunctionOpInterface function);

/// Returns the legalization under which a CPU function's code costs least, of
/// those that differ for it, or the one that the function requests.
LegalWidth chooseCut(FunctionOpInterface function, const RuleSet &rules,
                     const Target &target, bool strictFp, DecisionLog *log);

/// Records a choice among strategies in the log; `asked` names the user's, if
/// any.
/// \pre `chosen` is one of the candidates
void recordStrategies(Location loc, StringRef function,
                      const core::StrategyChoice &choice, StringRef asked,
                      const Candidate &chosen, ArrayRef<Candidate> candidates,
                      DecisionLog &log);

/// Returns a vector's shape; a scalar has no dims.
inline ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// Calls `visit(position, index)` for every index of `shape` in row-major
/// order; position counts up from 0.
void forEachIndex(ArrayRef<int64_t> shape,
                  llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> visit);

/// Returns the row-major position of an index.
int64_t linearIndex(ArrayRef<int64_t> shape, ArrayRef<int64_t> index);

} // namespace distaff::registers

#endif // DISTAFF_LIB_LOWER_LOWERVECTORS_SCALARREGISTERS_H
