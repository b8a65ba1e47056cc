//===- InMemoryFlow.cpp - Control flow with large vectors -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that control flow forwards is written where it is forwarded, and read
// where it arrives. All arriving values are read before any is written, so that
// values may be swapped.
//
//===----------------------------------------------------------------------===//
#include "InMemory.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;
using namespace distaff::vectortiles;

/// Buffers by the number of the value that they hold; null for values that stay
/// in registers.
using Passed = SmallVector<Value>;

static bool isNone(const Passed &buffers) {
  return llvm::none_of(buffers, [](Value buffer) { return bool(buffer); });
}

Passed MemoryForm::allocateAll(ValueRange values, Operation *user) {
  Passed buffers;
  for (Value value : values)
    buffers.push_back(isLarge(value.getType())
                          ? allocate(cast<VectorType>(value.getType()), user)
                          : Value());
  return buffers;
}

void MemoryForm::writeAll(Operation *before, ValueRange values,
                          const Passed &buffers) {
  OpBuilder b(before);
  for (auto [value, buffer] : llvm::zip_equal(values, buffers))
    if (buffer)
      write(b, value, buffer);
}

/// Replaces values by reads, which `b` inserts.
void MemoryForm::readAll(OpBuilder &b, ValueRange values,
                         const Passed &buffers) {
  for (auto [value, buffer] : llvm::zip_equal(values, buffers))
    if (buffer && !value.use_empty())
      value.replaceAllUsesWith(read(b, value, buffer));
}

template <typename Range>
static SmallVector<Value> othersOf(Range values, const Passed &buffers) {
  SmallVector<Value> others;
  for (auto [value, buffer] : llvm::zip_equal(values, buffers))
    if (!buffer)
      others.push_back(value);
  return others;
}

/// Erases the arguments that have buffers, from `first` on.
static void eraseArguments(Block &block, unsigned first,
                           const Passed &buffers) {
  for (size_t i = buffers.size(); i > 0; --i)
    if (buffers[i - 1])
      block.eraseArgument(first + i - 1);
}

/// Recreates `op` with fewer operands and results, and moves its regions.
static Operation *withFewer(Operation *op, ValueRange operands,
                            const Passed &results) {
  OpBuilder b(op);
  SmallVector<Value> kept = othersOf(op->getResults(), results);
  Operation *other = b.insert(Operation::create(
      op->getLoc(), op->getName(), TypeRange(ValueRange(kept)), operands,
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      /*successors=*/{}, op->getNumRegions()));
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), other->getRegions()))
    to.takeBody(from);
  for (auto [from, to] : llvm::zip_equal(kept, other->getResults()))
    from.replaceAllUsesWith(to);
  op->erase();
  return other;
}

void MemoryForm::moveLoop(scf::ForOp op) {
  Passed buffers = allocateAll(op.getInits(), op);
  if (isNone(buffers))
    return;
  writeAll(op, op.getInits(), buffers);
  Operation *yield = op.getBody()->getTerminator();
  writeAll(yield, yield->getOperands(), buffers);
  yield->setOperands(othersOf(yield->getOperands(), buffers));
  OpBuilder atStart = OpBuilder::atBlockBegin(op.getBody());
  readAll(atStart, op.getRegionIterArgs(), buffers);
  eraseArguments(*op.getBody(), /*first=*/1, buffers);
  OpBuilder behind(op->getContext());
  behind.setInsertionPointAfter(op);
  readAll(behind, op.getResults(), buffers);
  SmallVector<Value> operands = {op.getLowerBound(), op.getUpperBound(),
                                 op.getStep()};
  llvm::append_range(operands, othersOf(op.getInits(), buffers));
  withFewer(op, operands, buffers);
}

void MemoryForm::moveWhile(scf::WhileOp op) {
  Passed inits = allocateAll(op.getInits(), op);
  Passed results = allocateAll(op.getResults(), op);
  if (isNone(inits) && isNone(results))
    return;
  writeAll(op, op.getInits(), inits);
  scf::YieldOp yield = op.getYieldOp();
  writeAll(yield, yield.getResults(), inits);
  yield->setOperands(othersOf(yield.getResults(), inits));
  scf::ConditionOp condition = op.getConditionOp();
  writeAll(condition, condition.getArgs(), results);
  condition.getArgsMutable().assign(othersOf(condition.getArgs(), results));
  OpBuilder b = OpBuilder::atBlockBegin(op.getBeforeBody());
  readAll(b, op.getBeforeArguments(), inits);
  eraseArguments(*op.getBeforeBody(), /*first=*/0, inits);
  b.setInsertionPointToStart(op.getAfterBody());
  readAll(b, op.getAfterArguments(), results);
  eraseArguments(*op.getAfterBody(), /*first=*/0, results);
  b.setInsertionPointAfter(op);
  readAll(b, op.getResults(), results);
  withFewer(op, othersOf(op.getInits(), inits), results);
}

void MemoryForm::moveBranch(Operation *op) {
  Passed buffers = allocateAll(op->getResults(), op);
  if (isNone(buffers))
    return;
  for (Region &region : op->getRegions()) {
    Operation *yield = region.front().getTerminator();
    writeAll(yield, yield->getOperands(), buffers);
    yield->setOperands(othersOf(yield->getOperands(), buffers));
  }
  OpBuilder behind(op->getContext());
  behind.setInsertionPointAfter(op);
  readAll(behind, op->getResults(), buffers);
  withFewer(op, op->getOperands(), buffers);
}
