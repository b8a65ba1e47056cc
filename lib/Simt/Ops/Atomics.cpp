//===- Atomics.cpp - Atomic updates of memory -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memref.atomic_rmw and memref.generic_atomic_rmw. Updates of one element run
// in an unspecified order; sums of floats depend on it, so their bound must
// cover every order.
//
//===----------------------------------------------------------------------===//
#include "Atomics.h"
#include "../Translate/OpRegistry.h"
#include "distaff/CheckedSize.h"
#include "distaff/Kernel/AtomicForm.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::simt;

/// Returns the number of updates of one element that the bound of their sum
/// assumes: one per lane of the launch, if that is known.
static int64_t countUpdates(Operation *op) {
  constexpr int64_t many = 1 << 12;
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  std::optional<ArrayRef<int32_t>> block, grid;
  if (kernel) {
    block = kernel.getKnownBlockSize();
    grid = kernel.getKnownGridSize();
  }
  if (!block || !grid)
    return many;
  int64_t count = 1;
  for (int32_t size : llvm::concat<const int32_t>(*block, *grid))
    count = saturatingProduct(count, size);
  return count;
}

Binary simt::secondOperand(const Domain &domain, Kind kind) {
  int64_t bytes = domain.cellBytes(kind);
  return [bytes](int64_t n, const void *, const void *b, void *r) {
    std::memcpy(r, b, size_t(n * bytes));
  };
}

/// Returns the function that an update applies to the element and its operand.
static Binary updateOf(Operation *op, arith::AtomicRMWKind update, Kind kind,
                       const Domain &domain) {
  using K = arith::AtomicRMWKind;
  auto floats = [&](FloatBinary op) { return domain.binary(op, kind.format); };
  auto integers = [&](IntegerBinary op) {
    return domain.binary(op, kind.width);
  };
  auto manyFloats = [&](FloatBinary combiner) {
    return domain.binaryOfMany(combiner, kind.format, countUpdates(op),
                               /*isTermFirst=*/false);
  };
  switch (update) {
  case K::addf:
    return manyFloats(FloatBinary::Add);
  case K::mulf:
    return manyFloats(FloatBinary::Mul);
  case K::maximumf:
    return floats(FloatBinary::Maximum);
  case K::minimumf:
    return floats(FloatBinary::Minimum);
  case K::maxnumf:
    return floats(FloatBinary::MaxNum);
  case K::minnumf:
    return floats(FloatBinary::MinNum);
  case K::addi:
    return integers(IntegerBinary::Add);
  case K::muli:
    return integers(IntegerBinary::Mul);
  case K::andi:
    return integers(IntegerBinary::And);
  case K::ori:
    return integers(IntegerBinary::Or);
  case K::xori:
    return integers(IntegerBinary::Xor);
  case K::maxs:
    return integers(IntegerBinary::MaxS);
  case K::maxu:
    return integers(IntegerBinary::MaxU);
  case K::mins:
    return integers(IntegerBinary::MinS);
  case K::minu:
    return integers(IntegerBinary::MinU);
  case K::assign:
    return secondOperand(domain, kind);
  }
  llvm_unreachable("every kind of update has a function");
}

/// Emits one update of an element by a function of it and of `value`.
static LogicalResult translateUpdate(Operation *op, Value memory,
                                     ValueRange subscripts, Reg value,
                                     const Binary &update, Translator &t) {
  Reg memref = t.reg(memory), r = t.reg(op->getResult(0));
  SmallVector<Reg> indices = t.regs(subscripts);
  Access access = Access::get(op, t.domain(), value.kind);
  if (!update)
    return t.notModelled(op, "this update in this domain");
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (agent.locate(op, memref, indices, positions))
      agent.update(access, memref, positions, update, agent.cells(value),
                   agent.cells(r));
  });
  return success();
}

static LogicalResult translateAtomicRMW(memref::AtomicRMWOp op, Translator &t) {
  Reg value = t.reg(op.getValue());
  return translateUpdate(op, op.getMemref(), op.getIndices(), value,
                         updateOf(op, op.getKind(), value.kind, t.domain()), t);
}

//===----------------------------------------------------------------------===//
// Updates with a body
//===----------------------------------------------------------------------===//

static LogicalResult translateLoad(memref::GenericAtomicRMWOp op,
                                   Translator &t) {
  Reg memref = t.reg(op.getMemref()), r = t.reg(op.getResult());
  SmallVector<Reg> indices = t.regs(op.getIndices());
  Access access = Access::get(op, t.domain(), r.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (agent.locate(op, memref, indices, positions))
      agent.loadAtomically(access, memref, positions, agent.cells(r));
  });
  return success();
}

/// Emits the compare-and-swap loop: runs the body on the loaded element and
/// swaps.
static LogicalResult translateLoop(memref::GenericAtomicRMWOp op,
                                   Translator &t) {
  Reg memref = t.reg(op.getMemref()), r = t.reg(op.getResult());
  Reg old = t.reg(op.getCurrentValue()), seen = t.scratchLike(old);
  Reg isLate = t.scratch(Kind::integer(1));
  SmallVector<Reg> indices = t.regs(op.getIndices());
  Access access = Access::get(op, t.domain(), old.kind);
  Binary swap = secondOperand(t.domain(), old.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (agent.locate(op, memref, indices, positions))
      agent.loadAtomically(access, memref, positions, agent.cells(old));
  });
  Translator::BlockId body = t.newBlock(), again = t.newBlock(),
                      after = t.newBlock();
  t.jump(op, body);

  t.startBlock(body);
  if (failed(t.translateBody(*op.getBody())))
    return failure();
  Reg next = t.reg(op.getBody()->getTerminator()->getOperand(0));
  int64_t bytes = t.domain().cellBytes(old.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (!agent.locate(op, memref, indices, positions) ||
        !agent.update(access, memref, positions, swap, agent.cells(next),
                      agent.cells(seen), agent.cells(old)))
      return;
    for (int64_t l = 0; l < agent.lanes(); ++l)
      agent.setInteger(isLate,
                       std::memcmp(agent.cells(seen) + l * bytes,
                                   agent.cells(old) + l * bytes, bytes)
                           ? -1
                           : 0,
                       l);
  });
  t.branch(op, isLate, again, after);

  t.startBlock(again);
  t.copy(op, seen, old);
  t.jump(op, body);

  t.startBlock(after);
  t.copy(op, old, r);
  return success();
}

static LogicalResult translateAs(AtomicUpdate update,
                                 memref::GenericAtomicRMWOp op, Translator &t) {
  Reg value = t.reg(update.operand);
  if (update.isNegated) {
    Reg whole = value;
    value = t.scratchLike(whole);
    Unary negate = t.domain().unary(FloatUnary::Negate, whole.kind.format);
    t.emit(op, [=](Agent &agent) {
      negate(agent.numCells(whole), agent.cells(whole), agent.cells(value));
    });
  }
  return translateUpdate(op, op.getMemref(), op.getIndices(), value,
                         updateOf(op, update.kind, value.kind, t.domain()), t);
}

/// Returns whether the body is the same function of the element in all lanes:
/// it computes with the element and constants.
static bool isSameInAllLanes(memref::GenericAtomicRMWOp op) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getAtomicBody(), used);
  return llvm::all_of(
             used,
             [](Value value) { return matchPattern(value, m_Constant()); }) &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
               inner.getDialect());
         });
}

/// Translates the body, except for bounds of floats, which must cover every
/// order of updates: a sum has the bound of a sum in any order.
static LogicalResult translateGeneric(memref::GenericAtomicRMWOp op,
                                      Translator &t) {
  Value next = op.getBody()->getTerminator()->getOperand(0);
  if (next == op.getCurrentValue())
    return translateLoad(op, t);
  if (!isa<FloatType>(next.getType()) || !t.domain().coversEveryOrder())
    return translateLoop(op, t);
  if (std::optional<AtomicUpdate> update = AtomicUpdate::of(op))
    return translateAs(*update, op, t);
  if (!isSameInAllLanes(op))
    return t.notModelled(
        op, "every order of these updates of floats: the body is no sum, "
            "difference, product, maximum or minimum of the element and a "
            "value from outside, and computes with more than constants");
  return translateLoop(op, t);
}

void distaff::simt::registerAtomics(OpRegistry &registry) {
  registry.add<memref::AtomicRMWOp>(translateAtomicRMW);
  registry.add<memref::GenericAtomicRMWOp>(translateGeneric);
}
