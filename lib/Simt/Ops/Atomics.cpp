//===- Atomics.cpp - Atomic updates of memory -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memref.atomic_rmw. Updates of one element follow one another in some order;
// sums of floats depend on it, so their bound has to hold for all.
//
//===----------------------------------------------------------------------===//
#include "Atomics.h"
#include "../Translate/OpRegistry.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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
static Binary updateOf(memref::AtomicRMWOp op, Kind kind,
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
  switch (op.getKind()) {
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

static LogicalResult translateAtomicRMW(memref::AtomicRMWOp op, Translator &t) {
  Reg memref = t.reg(op.getMemref()), value = t.reg(op.getValue()),
      r = t.reg(op.getResult());
  SmallVector<Reg> indices = t.regs(op.getIndices());
  Access access = Access::get(op, t.domain(), value.kind);
  Binary update = updateOf(op, value.kind, t.domain());
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

void distaff::simt::registerAtomics(OpRegistry &registry) {
  registry.add<memref::AtomicRMWOp>(translateAtomicRMW);
}
