//===- MemRefAccess.cpp - memref operations that access memory ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;
using namespace distaff::simt;

static LogicalResult translateLoad(memref::LoadOp op, Translator &t) {
  Reg memref = t.reg(op.getMemRef()), r = t.reg(op.getResult());
  SmallVector<Reg> indices = t.regs(op.getIndices());
  Access access = Access::get(op, t.domain(), r.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (agent.locate(op, memref, indices, positions))
      agent.load(access, memref, positions, r);
  });
  return success();
}

static LogicalResult translateStore(memref::StoreOp op, Translator &t) {
  Reg memref = t.reg(op.getMemRef()), value = t.reg(op.getValueToStore());
  SmallVector<Reg> indices = t.regs(op.getIndices());
  Access access = Access::get(op, t.domain(), value.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (agent.locate(op, memref, indices, positions))
      agent.store(access, memref, positions, agent.cells(value));
  });
  return success();
}

/// Computes the positions of all elements of a memref in row-major order, for
/// one lane; every lane-th entry of `positions` is written.
static void locateAll(MemRefView view, int64_t rank, int64_t lane,
                      int64_t count, int64_t *positions) {
  SmallVector<int64_t, 4> index(rank, 0);
  for (int64_t e = 0; e < count; ++e) {
    int64_t position = view.offset(lane);
    for (int64_t d = 0; d < rank; ++d)
      position += index[d] * view.stride(rank, d, lane);
    positions[e * view.lanes + lane] = position;
    for (int64_t d = rank; d-- > 0;) {
      if (++index[d] < view.size(rank, d, lane))
        break;
      index[d] = 0;
    }
  }
}

static int64_t elementsOf(MemRefView view, int64_t rank, int64_t lane) {
  int64_t count = 1;
  for (int64_t d = 0; d < rank; ++d)
    count *= view.size(rank, d, lane);
  return count;
}

static LogicalResult translateCopy(memref::CopyOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), target = t.reg(op.getTarget());
  if (!source.isMemRef() || !target.isMemRef())
    return t.notModelled(op, "a copy of memrefs without rank");
  Access access = Access::get(op, t.domain(), source.kind);
  unsigned cellBytes = t.domain().cellBytes(source.kind);
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source), to = agent.memRef(target);
    int64_t rank = source.memRefRank(), lanes = agent.lanes();
    int64_t count = elementsOf(from, rank, llvm::countr_zero(agent.mask()));
    forEachLane(agent.mask(), [&](int64_t l) {
      for (int64_t d = 0; d < rank; ++d)
        if (from.size(rank, d, l) != to.size(rank, d, l))
          agent.fault(op, FaultKind::OutOfBounds,
                      agent.describe(l) +
                          " copies between memrefs of different extents",
                      agent.placeOf(l));
      if (elementsOf(from, rank, l) != count)
        agent.fault(op, FaultKind::NotModelled,
                    "lanes that copy different numbers of elements",
                    agent.placeOf(l));
    });
    if (agent.status() == Agent::Status::Faulted || count == 0)
      return;
    Access whole = access;
    whole.elements = count;
    std::vector<uint64_t> cells(count * lanes * cellBytes / 8 + 1);
    std::vector<int64_t> positions(count * lanes, -1);
    forEachLane(agent.mask(), [&](int64_t l) {
      locateAll(from, rank, l, count, positions.data());
    });
    if (!agent.load(whole, source, positions.data(), cells.data()))
      return;
    forEachLane(agent.mask(), [&](int64_t l) {
      locateAll(to, rank, l, count, positions.data());
    });
    agent.store(whole, target, positions.data(), cells.data());
  });
  return success();
}

void distaff::simt::registerMemRefAccess(OpRegistry &registry) {
  registry.add<memref::LoadOp>(translateLoad);
  registry.add<memref::StoreOp>(translateStore);
  registry.add<memref::CopyOp>(translateCopy);
}
