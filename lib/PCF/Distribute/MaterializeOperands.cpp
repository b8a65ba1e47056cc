//===- MaterializeOperands.cpp - Passing operands through memory ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members of a group distribute a product by boxes of its result. Ops that
// follow may need whole rows of it: a sum along them, a softmax, another
// product of which it is an operand. So it is written to memory of the group
// and read again,
//
//   %p = linalg.matmul ...               %p = linalg.matmul ...
//   %s = linalg.reduce ... %p     =>     pcf.write_slice %p into %panel
//                                        %q = pcf.read_slice %panel
//                                        %s = linalg.reduce ... %q
//
// and since the read depends on the write, a phase ends between them
// (FormCollectivePhases.cpp). SharedDims.h defines which ops cannot be
// distributed together. Reads of unwritten memory, and ops that only rearrange
// elements, are rematerialized instead.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/ScopeOption.h"
#include "../Order/RefAccess.h"
#include "CarriedValues.h"
#include "CollectiveOps.h"
#include "SharedDims.h"
#include "TensorMemory.h"
#include "TiledBody.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"

namespace distaff {
#define GEN_PASS_DEF_PCFMATERIALIZEOPERANDS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
class OperandMaterializer {
public:
  OperandMaterializer(SharedExecutorOp executor, RewriterBase &rewriter)
      : executor(executor), rewriter(rewriter) {}

  void run();

private:
  bool hasConflicts();
  void moveFills();
  void tieCarried();
  void visit(Region &region);
  Operation *visit(Operation *op);
  bool isSolvedBy(Operation *op, ArrayRef<OpOperand *> fresh);
  SmallVector<OpOperand *> chooseOperands(Operation *op);
  bool isMadeOfReads(Value value);
  SmallVector<Value> collectReads(Operation *last);
  void readAgain(ArrayRef<Value> reads, Operation *op);
  void eraseUnused();
  Value makeFresh(Value value);
  Value readFromMemory(Value value);
  const TensorMemory *getMemory(Value value);
  bool isUnwritten(Value ref);
  bool canMaterialize(Value value);

  SharedExecutorOp executor;
  RewriterBase &rewriter;
  /// The dimensions of the ops visited so far.
  SharedDims dims;
  llvm::DenseMap<Value, TensorMemory> memories;
  llvm::SmallPtrSet<Operation *, 8> changed;
};
} // namespace

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

/// Ties the values that control flow carries. Products split their results,
/// also those that loops carry back to ops before them.
void OperandMaterializer::tieCarried() {
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    if (isMatrixProduct(op) && op->getNumResults() == 1)
      dims.addProductResult(cast<linalg::LinalgOp>(op));
    forEachHandedOn(op, [&](Value from, Value to) { dims.tie(from, to); });
  });
}

bool OperandMaterializer::hasConflicts() {
  dims = SharedDims();
  tieCarried();
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    if (isCollectiveOp(op))
      dims.add(op);
  });
  return dims.countConflicts() != 0;
}

/// Copies fills next to their uses: a tensor of one number ties nothing if each
/// op has its own, in its phase.
void OperandMaterializer::moveFills() {
  SmallVector<linalg::FillOp> fills;
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    if (auto fill = dyn_cast<linalg::FillOp>(op);
        fill && fill->getNumResults() == 1)
      fills.push_back(fill);
  });
  for (linalg::FillOp fill : fills) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : fill->getUses())
      if (isCollectiveOp(use.getOwner()))
        uses.push_back(&use);
    for (OpOperand *use : uses) {
      rewriter.setInsertionPoint(use->getOwner());
      Operation *own = rewriter.clone(*fill);
      rewriter.modifyOpInPlace(use->getOwner(),
                               [&] { use->set(own->getResult(0)); });
    }
    if (fill->use_empty())
      rewriter.eraseOp(fill);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns whether a tensor of the executor may be written to memory.
bool OperandMaterializer::canMaterialize(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() != 0 &&
         type.getNumElements() != 0 && type.getElementType().isIntOrFloat() &&
         !isRemade(value) &&
         executor.getExecute().isAncestor(value.getParentRegion());
}

/// Writes a tensor to memory after its definition.
const TensorMemory *OperandMaterializer::getMemory(Value value) {
  if (auto it = memories.find(value); it != memories.end())
    return &it->second;
  std::optional<TensorMemory> memory = TensorMemory::allocate(
      executor, cast<RankedTensorType>(value.getType()), rewriter);
  if (!memory)
    return nullptr;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(value);
  memory->write(value, value.getLoc(), rewriter);
  return &memories.insert({value, *memory}).first->second;
}

Value OperandMaterializer::readFromMemory(Value value) {
  const TensorMemory *memory = getMemory(value);
  return memory ? memory->read(cast<RankedTensorType>(value.getType()),
                               value.getLoc(), rewriter)
                : Value();
}

/// Returns whether the memory of a ref does not change while the executor runs,
/// or holds a tensor that was written to memory here.
bool OperandMaterializer::isUnwritten(Value ref) {
  auto isOwn = [&](auto &entry) { return entry.second.ref == ref; };
  if (llvm::any_of(memories, isOwn))
    return true;
  for (Block &block : executor.getExecute())
    for (Operation &op : block)
      if (mayWrite(&op, ref))
        return false;
  return true;
}

/// Returns whether an op rearranges elements of its operands, or fills with one
/// number.
static bool isArrangement(Operation *op) {
  return isa<linalg::BroadcastOp, linalg::TransposeOp, linalg::FillOp,
             tensor::PadOp, tensor::ExtractSliceOp, tensor::CastOp>(op) &&
         op->getNumResults() == 1;
}

/// Creates a tensor of the same elements that no other op has, at the insertion
/// point; null if there is no memory for it.
Value OperandMaterializer::makeFresh(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa<RankedTensorType>(value.getType()) || isRemade(value))
    return value;
  if (auto read = dyn_cast_or_null<ReadSliceOp>(op);
      read && isUnwritten(read.getSource()))
    return cast<ReadSliceOp>(rewriter.clone(*read)).getResult();
  if (op && isArrangement(op)) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (Value fresh = makeFresh(operand))
        mapping.map(operand, fresh);
      else
        return {};
    return rewriter.clone(*op, mapping)->getResult(0);
  }
  // A number has no dimension, so it ties nothing.
  if (!canMaterialize(value))
    return cast<RankedTensorType>(value.getType()).getRank() == 0 ? value
                                                                  : Value();
  return readFromMemory(value);
}

//===----------------------------------------------------------------------===//
// Ops in program order
//===----------------------------------------------------------------------===//

bool OperandMaterializer::isSolvedBy(Operation *op,
                                     ArrayRef<OpOperand *> fresh) {
  SharedDims trial = dims;
  trial.add(op, [&](OpOperand &operand) {
    return llvm::is_contained(fresh, &operand);
  });
  return trial.countConflicts() <= dims.countConflicts();
}

/// Returns whether a tensor is rematerialized from memory that is not written.
bool OperandMaterializer::isMadeOfReads(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto read = dyn_cast_or_null<ReadSliceOp>(op))
    return isUnwritten(read.getSource());
  if (!op || isRemade(value))
    return op;
  return isArrangement(op) && llvm::all_of(op->getOperands(), [&](Value each) {
           return !isa<RankedTensorType>(each.getType()) || isMadeOfReads(each);
         });
}

/// Returns the reads of an op and of those before it in its block.
SmallVector<Value> OperandMaterializer::collectReads(Operation *last) {
  SmallVector<Value> reads;
  for (Operation &before : llvm::make_range(last->getBlock()->begin(),
                                            std::next(last->getIterator())))
    if (before.getNumResults() == 1 && canMaterialize(before.getResult(0)) &&
        isMadeOfReads(before.getResult(0)))
      reads.push_back(before.getResult(0));
  return reads;
}

/// Reads the values again before an op: a phase ends there, and values in
/// memory need not be held in registers.
void OperandMaterializer::readAgain(ArrayRef<Value> reads, Operation *op) {
  for (Value read : reads) {
    auto isBehind = [&](OpOperand &use) {
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return user && isCollectiveOp(use.getOwner()) &&
             !user->isBeforeInBlock(op);
    };
    if (llvm::none_of(read.getUses(), isBehind))
      continue;
    rewriter.setInsertionPoint(op);
    if (Value fresh = makeFresh(read))
      rewriter.replaceUsesWithIf(read, fresh, isBehind);
  }
}

/// Returns the operands that an op takes through memory: one if that is enough.
SmallVector<OpOperand *> OperandMaterializer::chooseOperands(Operation *op) {
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (canMaterialize(operand.get()))
      operands.push_back(&operand);
  for (bool isRead : {true, false})
    for (OpOperand *operand : operands)
      if (isMadeOfReads(operand->get()) == isRead && isSolvedBy(op, operand))
        return {operand};
  return isSolvedBy(op, operands) ? operands : SmallVector<OpOperand *>();
}

/// Takes the op's operands through memory if needed; returns the next op.
Operation *OperandMaterializer::visit(Operation *op) {
  SmallVector<OpOperand *> operands;
  if (!isSolvedBy(op, {}) && changed.insert(op).second)
    operands = chooseOperands(op);
  if (operands.empty()) {
    dims.add(op);
    return op->getNextNode();
  }
  Operation *before = op->getPrevNode();
  auto isRead = [&](OpOperand *operand) {
    return isMadeOfReads(operand->get());
  };
  bool endsPhase = !llvm::all_of(operands, isRead);
  if (endsPhase)
    llvm::erase_if(operands, isRead);
  DominanceInfo dominance;
  for (OpOperand *operand : operands) {
    Value value = operand->get();
    rewriter.setInsertionPoint(op);
    Value fresh = makeFresh(value);
    if (!fresh)
      continue;
    rewriter.modifyOpInPlace(op, [&] { operand->set(fresh); });
    // A value in memory need not be kept in registers.
    if (!memories.contains(value) || !fresh.getDefiningOp<ReadSliceOp>())
      continue;
    rewriter.replaceUsesWithIf(value, fresh, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return user != op && isCollectiveOp(user) &&
             dominance.properlyDominates(op, user);
    });
  }
  if (endsPhase && before)
    readAgain(collectReads(before), op);
  return before ? before->getNextNode() : &op->getBlock()->front();
}

void OperandMaterializer::visit(Region &region) {
  for (Block *block : sortBlocksByDominance(region))
    for (Operation *op = block->empty() ? nullptr : &block->front(); op;) {
      if (isCollectiveOp(op)) {
        op = visit(op);
        continue;
      }
      if (!isa<RunClusterOp, RunThreadOp, RefOwnerOpInterface>(op))
        for (Region &inner : op->getRegions())
          visit(inner);
      op = op->getNextNode();
    }
}

/// Erases reads that were replaced by later ones everywhere.
void OperandMaterializer::eraseUnused() {
  SmallVector<Operation *> ops;
  walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
    if (isa<ReadSliceOp>(op) || isArrangement(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

void OperandMaterializer::run() {
  if (!hasConflicts())
    return;
  moveFills();
  if (!hasConflicts())
    return;
  dims = SharedDims();
  tieCarried();
  visit(executor.getExecute());
  eraseUnused();
}

namespace {
struct MaterializeOperands final
    : distaff::impl::PCFMaterializeOperandsBase<MaterializeOperands> {
  using PCFMaterializeOperandsBase::PCFMaterializeOperandsBase;

  void runOnOperation() override {
    FailureOr<Attribute> wanted = parseOptionalScope(scope, &getContext());
    if (failed(wanted))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : collectUnformed(getOperation(), *wanted))
      OperandMaterializer(executor, rewriter).run();
  }
};
} // namespace
