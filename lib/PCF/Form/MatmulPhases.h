//===- MatmulPhases.h - Parts of a tiled contraction ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stage form-matmul-phases finds in the body of an executor before it
// changes anything: the contraction, how its operands come out of memory, and
// how large its tile is, both as configured and as the edge of the matrix
// leaves it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FORM_MATMULPHASES_H
#define DISTAFF_LIB_PCF_FORM_MATMULPHASES_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff::pcf {

/// A loop of the contraction.
struct FlowLoop {
  bool isReduction = false;
  /// Of the workgroup, or of one step of a reduction.
  int64_t tile = 0;
  /// What there is: at most `tile` of a parallel loop, all of a reduction.
  OpFoldResult size;
};

/// A slice that is read, or an op on elements, and the loop that each dimension
/// of its result is. An op that is used along different loops is a step for
/// each of them.
struct FlowStep {
  Operation *op;
  SmallVector<unsigned> dims;

  bool operator==(const FlowStep &) const = default;
};

/// An operand of the contraction: steps in an order in which what one uses is
/// there before it, the last of which makes the operand.
struct FlowOperand {
  SmallVector<FlowStep> chain;

  SmallVector<Operation *> getOps() const {
    return llvm::map_to_vector(chain, [](const FlowStep &s) { return s.op; });
  }
};

/// What is written: made of the contraction's result, element by element, and
/// of slices that are read.
struct FlowOutput {
  FlowOperand made;
  WriteSliceOp write;
};

struct MatmulPhases {
  linalg::LinalgOp contraction;
  SmallVector<FlowLoop> loops;
  SmallVector<FlowOperand> inputs;
  /// The value that all of the accumulator begins with; null where it begins
  /// with what `start` makes.
  Value initial;
  FlowOperand start;
  /// What follows the contraction.
  SmallVector<Operation *> epilogue;
  /// The same as what is written, if all of it is; else empty.
  SmallVector<FlowOutput> outputs;
};

/// Whether an operand of a linalg op is a tensor whose elements it uses.
bool isReadTensor(OpOperand &operand);

/// The loop of each result of a projected permutation.
SmallVector<unsigned> getLoops(AffineMap map);

/// Whether an executor has a contraction that was given a workgroup's tiles.
bool hasConfiguredContraction(SharedExecutorOp executor);

/// Reads the flow out of an executor's body. Errors name the op that does not
/// fit.
/// \pre the executor has a configured contraction
FailureOr<MatmulPhases> planMatmulPhases(SharedExecutorOp executor);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FORM_MATMULPHASES_H
