//===- Linalg.h - How a structured operation is executed --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every structured operation is an iteration space, a map per operand, and a
// body. One interpreter covers them all:
//
//   contraction   acc + lhs * rhs goes to the domain's contraction as it is
//   folds         acc + f(inputs), acc * f(inputs): f runs on all points, then
//                 the domain adds, so that a bound covers the sum in every
//                 order; each output by itself, if there are several
//   otherwise     for blocks of parallel points, the reduced indices in order,
//                 the body with the accumulators carried along
//
// By definition the body runs once per point of the space, in lexicographic
// order, and reads and writes each output where its map says. Points go in
// blocks where that cannot be told apart: along loops that every output has an
// index of its own for. The others are `isReduction` here, whatever the op
// calls them. An output that is indexed by such a loop too has several
// accumulators for a parallel point, one per cell.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_LINALG_H
#define DISTAFF_LIB_SIMT_OPS_LINALG_H

#include "../Translate/RegionProgram.h"
#include "DenseOperand.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff::simt {

/// One term that a fold adds at every reduced index: a result of the body, or
/// the product of two.
struct FoldedTerm {
  unsigned term;
  std::optional<unsigned> factor;
  bool isSubtracted = false;
};

/// How an output's accumulator and the terms of all reduced indices combine.
/// Without terms the accumulator is carried along, and `yielded` is the result
/// of the body that it becomes.
struct Fold {
  SmallVector<FoldedTerm> terms;
  Contract contract;
  unsigned yielded = 0;

  bool isCarried() const { return terms.empty(); }
  /// Whether each term is multiplied with 1.
  bool isPlain() const {
    return llvm::all_of(terms, [](const FoldedTerm &term) {
      return !term.factor && !term.isSubtracted;
    });
  }
};

/// What is known of a structured operation before it runs.
struct StructuredOp {
  Operation *op;
  unsigned numInputs = 0;
  SmallVector<Reg> operands; // inputs, then outputs
  SmallVector<Reg> results;  // of tensors; empty for memrefs
  SmallVector<bool> isRead;  // per operand: does the body use it
  SmallVector<bool> isLastUse;
  SmallVector<Access> accesses;
  SmallVector<AffineMap> maps;
  AffineMap shapesToLoops;
  SmallVector<bool> isReduction; // per loop: do its points run in order
  SmallVector<bool> isStepped;   // per output: has it a cell per reduced index
  SmallVector<int64_t> indexDimensions; // of the body's linalg.index ops
  std::shared_ptr<RegionProgram> body;

  /// Contraction: operand numbers and the domain's function.
  std::optional<std::array<unsigned, 2>> factors;
  Contract contract;
  /// Otherwise, one per output; 1 and -1 in its kind.
  SmallVector<Fold> folds;
  SmallVector<std::array<Reg, 2>> units;
};

/// An operation's operands while it runs.
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
