//===- Atomics.cpp - Atomic updates of memory -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memref.atomic_rmw and memref.generic_atomic_rmw. Updates of one element
// follow one another in some order; sums of floats depend on it, so their bound
// has to hold for all.
//
//===----------------------------------------------------------------------===//
#include "Atomics.h"
#include "../Translate/OpRegistry.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::simt;

/// Updates of one element that a bound on their sum counts on: one of each lane
/// of the launch, where that is known.
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

/// What an update makes of what is there and its operand.
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

/// The kind of update that a body of one op is; nothing of other bodies.
static std::optional<arith::AtomicRMWKind> kindOf(Operation *op) {
  using K = arith::AtomicRMWKind;
  return llvm::TypeSwitch<Operation *, std::optional<K>>(op)
      .Case([](arith::AddFOp) { return K::addf; })
      .Case([](arith::MulFOp) { return K::mulf; })
      .Case([](arith::MaximumFOp) { return K::maximumf; })
      .Case([](arith::MinimumFOp) { return K::minimumf; })
      .Case([](arith::MaxNumFOp) { return K::maxnumf; })
      .Case([](arith::MinNumFOp) { return K::minnumf; })
      .Default(std::nullopt);
}

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

/// Runs the body on what was read, and swaps if that is there still.
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

/// A sum of floats has the bound of a sum in any order; what else a body
/// computes of floats has one in the order of this run only.
static LogicalResult translateGeneric(memref::GenericAtomicRMWOp op,
                                      Translator &t) {
  Block &body = *op.getBody();
  Value next = body.getTerminator()->getOperand(0), old = op.getCurrentValue();
  if (next == old)
    return translateLoad(op, t);
  Operation *only = &body.front();
  std::optional<arith::AtomicRMWKind> kind = kindOf(only);
  if (kind && next == only->getResult(0) &&
      llvm::is_contained(only->getOperands(), old)) {
    Value other = only->getOperand(only->getOperand(0) == old ? 1 : 0);
    if (other != old) {
      Reg value = t.reg(other);
      return translateUpdate(op, op.getMemref(), op.getIndices(), value,
                             updateOf(op, *kind, value.kind, t.domain()), t);
    }
  }
  if (isa<FloatType>(next.getType()) && !t.domain().mayReinterpretMemory())
    return t.notModelled(op, "an update of floats by more than one op");
  return translateLoop(op, t);
}

void distaff::simt::registerAtomics(OpRegistry &registry) {
  registry.add<memref::AtomicRMWOp>(translateAtomicRMW);
  registry.add<memref::GenericAtomicRMWOp>(translateGeneric);
}
