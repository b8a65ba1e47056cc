//===- RecurrenceWriter.h - Emission of recurrences -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup has a tile of the channels, a lane each. A lane has its channel's
// element of a slice of a tensor, so a step is elementwise vector code:
//
//   %r = scf.forall (%w) in (channels ceildiv 32) shared_outs(%o = %e) {
//     %mine = extract_slice %o[0, %w * 32] [2000, min(32, ...)]
//     %l = scf.for %t = 0 to 2000 iter_args(%s = vector<32xf32>, %p = %mine) {
//       %x = transfer_read %in[%t, %w * 32]
//       ...
//       %q = transfer_write %s1, %p[%t, 0]
//     }
//   }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_LOOPS_RECURRENCEWRITER_H
#define DISTAFF_LIB_LAUNCHES_LOOPS_RECURRENCEWRITER_H

#include "ConditionalLoops.h"
#include "Recurrences.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {

/// Describes a slice of a tensor: its channels, and single positions of the
/// other dims.
struct TensorPiece {
  SmallVector<OpFoldResult> offsets;
  SmallVector<unsigned> channelDims;
};

class RecurrenceWriter {
public:
  explicit RecurrenceWriter(const Recurrence &plan)
      : plan(plan), source(plan.loop), loc(source.getLoc()), b(source) {}

  void write();

private:
  // Outside of the launch.
  void collectCaptured();
  // The launch.
  SmallVector<Value> writeBody(Block *body);
  OpFoldResult extentOf(Value tensor, unsigned dim);
  void chooseTile();
  scf::ForallOp createWorkgroups(ValueRange outs);
  SmallVector<Value> createOuts();
  Value startOf(unsigned number, ValueRange outs);
  Value copyInto(Value piece, Value init, ArrayRef<unsigned> channelDims);
  void copyStep(Value &piece, Value init, TensorPiece &at, unsigned dim,
                ArrayRef<unsigned> channelDims);
  SmallVector<Value> writeLoop(ValueRange outs);
  void giveResults(scf::ForallOp workgroups, ValueRange ended);
  // A step.
  void writeStep(Operation &op);
  void writeElementwise(linalg::LinalgOp op);
  Value compute(Operation &op, IRMapping &values);
  Value positionOf(linalg::LinalgOp op, linalg::IndexOp index);
  TensorPiece pieceOf(OffsetSizeAndStrideOpInterface slice);
  TensorPiece elementOf(ValueRange indices);
  // Memory.
  Value slice(Value whole, const TensorPiece &piece, bool isOwn);
  Value read(Value whole, const TensorPiece &piece, bool isOwn);
  Value writeInto(Value value, Value part);
  Value writePiece(Value value, Value whole, const TensorPiece &piece);
  // Values.
  Value constantOf(Value value);
  Value scalarOf(Value value);
  void cloneScalarLoop(Operation *loop);
  OpFoldResult scalarOf(OpFoldResult value);
  Value numberOf(Value value);
  Value spread(Value value);
  bool isOwn(Value whole) { return !source.isDefinedOutsideOfLoop(whole); }
  Value memoryOf(Value whole) {
    auto found = memory.find(whole);
    return found == memory.end() ? outside.lookupOrNull(whole) : found->second;
  }
  OpFoldResult formula(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, operands.size(), expr), operands);
  }
  Value indexOf(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  }

  const Recurrence &plan;
  scf::ForOp source;
  Location loc;
  OpBuilder b;
  llvm::SetVector<Value> captured; // of the loop, in the order of arguments
  IRMapping outside;               // captured values, in the launch
  SmallVector<int64_t> tile;       // size by channel
  SmallVector<OpFoldResult> extents, offsets, sizes; // of the tile, by channel
  /// Values of a step: scalars, or vectors of the channels.
  DenseMap<Value, Value> values;
  DenseMap<Value, Value> memory; // versions of carried tensors
};

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_LOOPS_RECURRENCEWRITER_H
