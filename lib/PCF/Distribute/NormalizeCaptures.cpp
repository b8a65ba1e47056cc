//===- NormalizeCaptures.cpp - Tensors that phases capture ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NormalizeCaptures.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether any op of the executor may write the memory of a ref.
static bool mayBeWritten(Value ref, Operation *executor) {
  if (isReadonlyRef(ref))
    return false;
  Value root = getViewedRef(ref);
  return executor
      ->walk([&](Operation *op) {
        // An op that takes a memref may store to it.
        Value other;
        if (auto write = dyn_cast<WriteSliceOp>(op))
          other = getViewedRef(write.getDest());
        else if (auto view = dyn_cast<GetMemrefOp>(op))
          other = getViewedRef(view.getSource());
        else
          return WalkResult::advance();
        // Two different allocations, or refs of one op, are different memory;
        // refs that come through control flow may be any.
        auto isKnown = [](Value root) {
          return root.getDefiningOp<AllocOp>() ||
                 (isa<BlockArgument>(root) &&
                  isa<RefOwnerOpInterface>(
                      cast<BlockArgument>(root).getOwner()->getParentOp()));
        };
        return other == root || !isKnown(other) || !isKnown(root)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether no op between two ops of a block writes memory.
static bool isReadBefore(Operation *read, Operation *phase) {
  if (read->getBlock() != phase->getBlock())
    return false;
  for (Operation *op = read->getNextNode(); op && op != phase;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return false;
  return true;
}

/// Returns whether the op may be rematerialized in the phase.
static bool canMove(Operation *op, RunClusterOp phase) {
  if (op->hasTrait<mlir::OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  auto read = dyn_cast<ReadSliceOp>(op);
  return read && (isReadBefore(read, phase) ||
                  !mayBeWritten(read.getSource(),
                                phase->getParentOfType<SharedExecutorOp>()));
}

LogicalResult pcf::normalizeCaptures(RunClusterOp op, RewriterBase &rewriter) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getBody(), captured);
  for (Value value : captured) {
    if (!isa<TensorType, VectorType>(value.getType()))
      continue;
    Operation *definition = value.getDefiningOp();
    if (!definition || !canMove(definition, op)) {
      InFlightDiagnostic error = op.emitError()
                                 << "shaped value captured by a phase has no "
                                    "distribution; pass it as payload";
      error.attachNote(value.getLoc()) << "the value is made here";
      return error;
    }
    rewriter.setInsertionPointToStart(&op.getBody().front());
    Operation *copy = rewriter.clone(*definition);
    rewriter.replaceUsesWithIf(
        value, copy->getResult(cast<OpResult>(value).getResultNumber()),
        [&](OpOperand &use) { return op->isProperAncestor(use.getOwner()); });
  }
  return success();
}
