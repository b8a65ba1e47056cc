//===- MatmulPhases.h - Plan of a tiled contraction's phases ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan of form-matmul-phases is what the pass finds in the body of an
// executor before it changes anything: the contraction, how its operands are
// read from memory, and the size of its tile, both as configured and as clipped
// at the edge of the matrix.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FORM_MATMULPHASES_H
#define DISTAFF_LIB_PCF_FORM_MATMULPHASES_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff::pcf {

/// Describes a loop of the contraction.
struct FlowLoop {
  bool isReduction = false;
  /// Tile size of the workgroup, or of one step of a reduction.
  int64_t tile = 0;
  /// The actual extent: at most `tile` of a parallel loop, all of a reduction.
  OpFoldResult size;
};

/// Describes a slice that is read, or an op on elements, and the loop of each
/// dimension of its result. An op that is used along different loops is a step
/// for each of them.
struct FlowStep {
  Operation *op;
  SmallVector<unsigned> dims;

  bool operator==(const FlowStep &) const = default;
};

/// Describes an operand of the contraction: its steps in topological order, the
/// last of which computes the operand.
struct FlowOperand {
  SmallVector<FlowStep> chain;

  SmallVector<Operation *> getOps() const {
    return llvm::map_to_vector(chain, [](const FlowStep &s) { return s.op; });
  }
};

/// Describes a write of a value that is computed element by element from the
/// contraction's result and from slices that are read.
struct FlowOutput {
  FlowOperand made;
  WriteSliceOp write;
};

struct MatmulPhases {
  linalg::LinalgOp contraction;
  SmallVector<FlowLoop> loops;
  SmallVector<FlowOperand> inputs;
  /// The value that initializes all of the accumulator; null if `start`
  /// computes the initial accumulator.
  Value initial;
  FlowOperand start;
  /// The ops that follow the contraction.
  SmallVector<Operation *> epilogue;
  /// The epilogue as outputs, if all of it can be written that way; else empty.
  SmallVector<FlowOutput> outputs;
};

/// Returns whether an operand of a linalg op is a tensor whose elements it
/// uses.
bool isReadTensor(OpOperand &operand);

/// Returns the loop of each result of a projected permutation.
SmallVector<unsigned> getLoops(AffineMap map);

/// Returns whether an executor has a contraction with a configured workgroup
/// tile.
bool hasConfiguredContraction(SharedExecutorOp executor);

/// Analyzes an executor's body. Errors name the op that does not fit.
/// \pre the executor has a configured contraction
FailureOr<MatmulPhases> planMatmulPhases(SharedExecutorOp executor);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FORM_MATMULPHASES_H
