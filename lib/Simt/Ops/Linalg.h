//===- Linalg.h - Interpreter of structured operations ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured operation is an iteration space, a map per operand, and a body.
// One interpreter covers them all:
//
//   contraction   acc + lhs * rhs is the domain's contraction
//   folds         acc + f(inputs), acc * f(inputs): f runs on all points, then
//                 the domain adds, so that a bound covers the sum in every
//                 order; for several outputs, each one separately
//   otherwise     for blocks of parallel points, the reduced indices in order,
//                 the body with loop-carried accumulators
//
// By definition the body runs once per point of the space, in lexicographic
// order, and reads and writes each output through its map. Points run in blocks
// if that gives the same result: along loops with an index of their own in
// every output. All other loops are `isReduction` here, whatever their iterator
// type. An output that is also indexed by such a loop has several accumulators
// for a parallel point, one per cell.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_LINALG_H
#define DISTAFF_LIB_SIMT_OPS_LINALG_H

#include "../Translate/RegionProgram.h"
#include "DenseOperand.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff::simt {

/// A term that a fold adds at every reduced index: a result of the body, or the
/// product of two.
struct FoldedTerm {
  unsigned term;
  std::optional<unsigned> factor;
  bool isSubtracted = false;
};

/// The combination of an output's accumulator with the terms of all reduced
/// indices. Without terms the accumulator is loop-carried, and `yielded` is the
/// result of the body that it becomes.
struct Fold {
  SmallVector<FoldedTerm> terms;
  Contract contract;
  unsigned yielded = 0;

  bool isCarried() const { return terms.empty(); }
  /// Returns whether each term is multiplied by 1.
  bool isPlain() const {
    return llvm::all_of(terms, [](const FoldedTerm &term) {
      return !term.factor && !term.isSubtracted;
    });
  }
};

/// The static description of a structured operation.
struct StructuredOp {
  Operation *op;
  unsigned numInputs = 0;
  SmallVector<Reg> operands; // inputs, then outputs
  SmallVector<Reg> results;  // of tensors; empty for memrefs
  SmallVector<bool> isRead;  // per operand: whether the body uses it
  SmallVector<bool> isLastUse;
  SmallVector<Access> accesses;
  SmallVector<AffineMap> maps;
  AffineMap shapesToLoops;
  SmallVector<bool> isReduction; // per loop: whether its points run in order
  SmallVector<bool> isStepped;   // per output: a cell per reduced index
  SmallVector<int64_t> indexDimensions; // of the body's linalg.index ops
  std::shared_ptr<RegionProgram> body;

  /// Operand numbers of a contraction, and the domain's function.
  std::optional<std::array<unsigned, 2>> factors;
  Contract contract;
  /// A fold per output if it is no contraction, and 1 and -1 in its kind.
  SmallVector<Fold> folds;
  SmallVector<std::array<Reg, 2>> units;
};

/// The operands of an operation while it runs.
struct StructuredRun {
  const StructuredOp &plan;
  Agent &agent;
  Shape box;
  SmallVector<DenseOperand> operands;
  SmallVector<uint8_t *> outputs;

  bool prepare();
  bool finish();
  bool execute();

private:
  bool checkShapes();
  void runContraction();
};

void registerSoftmax(OpRegistry &registry);

/// Runs the body over the box (LinalgBody.cpp).
bool runBody(StructuredRun &run);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_LINALG_H
