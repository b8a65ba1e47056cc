//===- SplitCuts.h - Parts of each value that a cluster needs ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When a group's work is split among clusters, every write is cut along one
// dimension, so that each element is written once. The parts of a written value
// determine, by the rules of the ops that compute it, the parts of their
// operands: rows of a product need the rows of the left operand and the *whole*
// right one. A payload class has one cut; a value without payload may be needed
// in several cuts, and is then computed several times.
//
// A cut value need not have all elements: at the edge of a matrix a tile is
// ragged, and its extent is known only at run time. Part i then has those of
// its elements from i * extent on, `extent` at most, and perhaps none.
//
// Example (V1 of the specification, two clusters): C is written along dimension
// 1, so the accumulator is cut along 1, the left panel along 1, and the right
// panel is whole. The copies of panels into shared memory are cut along 1 too,
// each by itself.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_SPLITCUTS_H
#define DISTAFF_LIB_PCF_SCHEDULE_SPLITCUTS_H

#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff::pcf {

/// Describes the cut of a value: the dimension, and the number of elements of
/// each part.
struct Cut {
  int64_t dim = -1;
  int64_t extent = 0;

  bool isWhole() const { return dim < 0; }
  bool operator==(const Cut &other) const {
    return dim == other.dim && extent == other.extent;
  }
  bool operator!=(const Cut &other) const { return !(*this == other); }
};
/// The cut of a value that is not cut.
constexpr Cut whole;

/// Returns how many of `size` elements part `number` of a cut has.
int64_t getPartSize(int64_t size, Cut cut, int64_t number);

class SplitCuts {
public:
  /// Computes the cuts for `parts` clusters. `dim`, if it is not -1, is the
  /// dimension of written payload that is cut. Errors: the value that cannot be
  /// cut, and the reason. Leaves the IR unchanged.
  static FailureOr<SplitCuts> compute(SharedExecutorOp executor, int64_t parts,
                                      int64_t dim);

  /// Returns the type of a cluster's part of a value.
  Type getPartType(Type type, Cut cut, int64_t number) const;
  /// Returns the part types of every field of a handle's payload. All parts of
  /// a payload are alike.
  SmallVector<Type> getPartPayload(Value handle) const;

  Cut ofYield(OpOperand &operand) const {
    return state.classes.lookup(classes.of(operand));
  }
  Cut ofArgument(BlockArgument argument) const {
    return state.classes.lookup(classes.of(argument));
  }
  Cut ofWrite(WriteSliceOp write) const { return state.writes.lookup(write); }
  /// Returns the cuts in which a value in a phase is needed.
  ArrayRef<Cut> of(Value value) const;

  /// Returns the cut of a structured op's iterators, `dim` being one of them,
  /// that cuts a result as `cut` does. None if that iterator cannot be cut.
  static std::optional<Cut> getIteratorCut(linalg::LinalgOp op, unsigned result,
                                           Cut cut);
  /// Returns the cut of an operand, or of a result's type, that a cut of an
  /// iterator implies. None if the operand does not just follow the iterator.
  static std::optional<Cut> getCut(linalg::LinalgOp op, OpOperand &operand,
                                   Cut iterator);

private:
  struct State {
    llvm::DenseMap<unsigned, Cut> classes;
    llvm::DenseMap<unsigned, Operation *> fixers;
    llvm::MapVector<Value, SmallVector<Cut>> needs;
    llvm::DenseMap<Operation *, Cut> writes;
  };

  SplitCuts(PayloadClasses classes, int64_t parts)
      : classes(std::move(classes)), parts(parts) {}

  LogicalResult cutWrite(WriteSliceOp write, int64_t dim);
  LogicalResult need(Value value, Cut cut, Operation *user);
  LogicalResult needArgument(BlockArgument argument, Cut cut, Operation *user);
  LogicalResult needOperands(OpResult result, Cut cut);
  LogicalResult needLinalg(linalg::LinalgOp op, unsigned result, Cut cut);
  LogicalResult refuse(Operation *op, const Twine &reason);
  std::optional<Cut> getWriteCut(WriteSliceOp write, int64_t dim) const;

  PayloadClasses classes;
  int64_t parts;
  State state;
  /// The reason why the last attempt failed, and the op.
  std::string why;
  Operation *where = nullptr;
};

} // namespace distaff::pcf

namespace llvm {
template <> struct DenseMapInfo<distaff::pcf::Cut> {
  using Cut = distaff::pcf::Cut;
  using Pair = DenseMapInfo<std::pair<int64_t, int64_t>>;

  static Cut getEmptyKey() { return {Pair::getEmptyKey().first, 0}; }
  static Cut getTombstoneKey() { return {Pair::getTombstoneKey().first, 0}; }
  static unsigned getHashValue(Cut cut) {
    return Pair::getHashValue({cut.dim, cut.extent});
  }
  static bool isEqual(Cut a, Cut b) { return a == b; }
};
} // namespace llvm

#endif // DISTAFF_LIB_PCF_SCHEDULE_SPLITCUTS_H
