//===- PredicatedDrain.cpp - Predicated drain iterations ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PredicatedDrain.h"

#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether conditions in the phase keep the op from running past the
/// last iteration.
static bool isStopped(Operation *op, Operation *phase, PhaseOrder &order,
                      scf::ForOp loop) {
  for (Operation *child = op, *parent = op->getParentOp(); parent != phase;
       child = parent, parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (branch && child->getParentRegion() == &branch.getThenRegion() &&
        order.getDomain().isNever(branch.getCondition(), branch, loop))
      return true;
  }
  return false;
}

/// Returns the ops of the phase's block with writes that no condition stops.
static llvm::SetVector<Operation *>
findWriters(Operation *phase, PhaseOrder &order, scf::ForOp loop) {
  llvm::SetVector<Operation *> writers;
  Block &body = phase->getRegion(0).front();
  for (const PhaseAccess &access : order.getAccesses())
    if (access.phase == phase && access.isWrite &&
        !isStopped(access.op, phase, order, loop))
      writers.insert(body.findAncestorOpInBlock(*access.op));
  return writers;
}

/// Adds the ops whose results only the writers use.
static void addMakers(Block &body, llvm::SetVector<Operation *> &ops) {
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (op.use_empty() || !(isPure(&op) || isa<ReadSliceOp>(op)))
      continue;
    if (llvm::all_of(op.getUsers(), [&](Operation *user) {
          return ops.contains(body.findAncestorOpInBlock(*user));
        }))
      ops.insert(&op);
  }
}

/// Returns whether an op only moves values, without a computation on them.
static bool movesOnly(Operation *op) {
  return isa<vector_ext::ToLayoutOp, vector::BroadcastOp, vector::TransposeOp,
             vector::ShapeCastOp>(op);
}

/// Returns the first op that computes with the result of a read; null if that
/// is only moved and forwarded.
static Operation *findUse(Operation *read) {
  SmallVector<Operation *> pending{read};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val()->getUsers())
      if (movesOnly(user))
        pending.push_back(user);
      else if (!isa<ClusterYieldOp>(user))
        return user;
  return nullptr;
}

/// Checks a read that happens past the last iteration, and the uses of its
/// result.
static LogicalResult verifyStaleRead(const PhaseAccess &access,
                                     PhaseOrder &order, scf::ForOp loop) {
  if (!order.isInBounds(access, loop))
    return access.op->emitOpError(
        "would run once after the loop's last iteration, and is not known to "
        "be within bounds then; put it under a condition");
  Operation *user = findUse(access.op);
  if (!user)
    return success();
  InFlightDiagnostic error = user->emitOpError(
      "would run once after the loop's last iteration, on what was never "
      "written");
  error.attachNote(access.op->getLoc()) << "which is read here";
  return error;
}

/// Returns whether an op, except for reads and writes, is defined and without
/// effect in any iteration.
static bool isTotal(Operation *op) {
  if (isa_and_nonnull<arith::ArithDialect, affine::AffineDialect,
                      math::MathDialect>(op->getDialect()))
    return isPure(op);
  return isa_and_nonnull<linalg::LinalgDialect, scf::SCFDialect>(
             op->getDialect()) ||
         isa<ReadSliceOp, WriteSliceOp, ClusterYieldOp, FenceOp, ExpandShapeOp,
             tensor::EmptyOp>(op) ||
         movesOnly(op);
}

/// Returns whether an op of the phase's block reads a vector from any memory
/// that is only moved and forwarded.
static bool isReadToHandOn(Operation *op, Operation *phase) {
  return isa<vector::TransferReadOp, vector_ext::TransferGatherOp>(op) &&
         op->getParentOp() == phase && op->getNumResults() == 1 &&
         isa<VectorType>(op->getResult(0).getType()) && !findUse(op);
}

/// Checks the ops that neither read nor write: no position may be out of
/// bounds.
static LogicalResult verifyTotal(Operation *phase, PhaseOrder &order,
                                 scf::ForOp loop,
                                 const llvm::SetVector<Operation *> &guarded) {
  Block &body = phase->getRegion(0).front();
  WalkResult walked = phase->getRegion(0).walk([&](Operation *op) {
    auto view = dyn_cast<SubviewOp>(op);
    if (isTotal(op) || (view && order.isInBounds(view, loop)) ||
        guarded.contains(body.findAncestorOpInBlock(*op)) ||
        isStopped(op, phase, order, loop))
      return WalkResult::advance();
    op->emitOpError("would run once after the loop's last iteration, and may "
                    "not be defined then; put it under a condition");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Returns the writers and the ops that they alone use, in order: ops between
/// them must not access memory.
static FailureOr<SmallVector<Operation *>>
sortTogether(llvm::SetVector<Operation *> ops) {
  SmallVector<Operation *> sorted = ops.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  if (sorted.empty())
    return sorted;
  for (Operation *op = sorted.front(); op != sorted.back();
       op = op->getNextNode())
    if (!llvm::is_contained(sorted, op) && !isMemoryEffectFree(op))
      return op->emitOpError("stands between writes that must not happen after "
                             "the loop's last iteration; put them under a "
                             "condition");
  return sorted;
}

FailureOr<GuardedOps> pcf::findGuarded(Operation *phase, PhaseOrder &order,
                                       scf::ForOp loop) {
  Block &body = phase->getRegion(0).front();
  llvm::SetVector<Operation *> ops = findWriters(phase, order, loop);
  addMakers(body, ops);
  GuardedOps guarded;
  for (Operation &op : body)
    if (isReadToHandOn(&op, phase) && !ops.contains(&op))
      guarded.reads.push_back(&op);
  llvm::SetVector<Operation *> all = ops;
  all.insert_range(guarded.reads);
  for (const PhaseAccess &access : order.getAccesses()) {
    if (access.phase != phase || access.isWrite ||
        all.contains(body.findAncestorOpInBlock(*access.op)) ||
        isStopped(access.op, phase, order, loop))
      continue;
    if (failed(verifyStaleRead(access, order, loop)))
      return failure();
  }
  if (failed(verifyTotal(phase, order, loop, all)))
    return failure();
  FailureOr<SmallVector<Operation *>> writers = sortTogether(std::move(ops));
  if (failed(writers))
    return failure();
  guarded.writers = std::move(*writers);
  return guarded;
}

static void guardWriters(ArrayRef<Operation *> ops, Value condition,
                         RewriterBase &rewriter) {
  assert(llvm::all_of(ops,
                      [&](Operation *op) {
                        return op->getBlock() == ops.front()->getBlock();
                      }) &&
         "what is guarded together stands in one block");
  rewriter.setInsertionPointAfter(ops.back());
  auto branch = scf::IfOp::create(rewriter, ops.back()->getLoc(), condition,
                                  /*withElseRegion=*/false);
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, branch.thenBlock()->getTerminator());
}

/// Predicates a read; the result is zeros, which are not used, if the iteration
/// does not exist.
static void guardRead(Operation *read, Value condition,
                      RewriterBase &rewriter) {
  Location loc = read->getLoc();
  Value value = read->getResult(0);
  rewriter.setInsertionPointAfter(read);
  auto branch = scf::IfOp::create(rewriter, loc, value.getType(), condition,
                                  /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(value, branch.getResult(0));
  rewriter.setInsertionPointToStart(branch.elseBlock());
  Value zeros = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(value.getType()));
  scf::YieldOp::create(rewriter, loc, zeros);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  auto yield = scf::YieldOp::create(rewriter, loc, value);
  rewriter.moveOpBefore(read, yield);
}

void pcf::guard(const GuardedOps &ops, Value condition,
                RewriterBase &rewriter) {
  OpBuilder::InsertionGuard restore(rewriter);
  for (Operation *read : ops.reads)
    guardRead(read, condition, rewriter);
  if (!ops.writers.empty())
    guardWriters(ops.writers, condition, rewriter);
}
