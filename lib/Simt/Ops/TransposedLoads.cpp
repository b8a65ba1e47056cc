//===- TransposedLoads.cpp - Transposing loads of AMD ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane reads elements at an address of its own, and lanes exchange them so
// that each has a column of the rows that the lanes of its group have read.
//
// CDNA4 ISA, DS_READ_B64_TR_B16 and DS_READ_B64_TR_B8: 8 bytes per lane, among
// each 16 lanes, which are rows of 16 columns:
//
//   16 bits   4 lanes to a row:  lane 5 gets elements 1 of lanes 1, 5, 9, 13
//   8 bits    2 lanes to a row:  lane 9 gets elements 1 of lanes 1, 3, ... 15
//
// RDNA4 ISA, GLOBAL_LOAD_TR_B128: 16 bytes per lane, a row to each of 8 lanes:
//
//   16 bits   lane 9 gets elements 1 of lanes 8, 9, ... 15
//
// All lanes of the subgroup must execute it.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// Elements of a lane, and lanes of a group: as many as the columns of a row.
struct Exchange {
  Kind kind;
  int64_t elements, group, bytes;

  /// Returns the exchange of CDNA's load of 8 bytes.
  static Exchange ofWorkgroup(int64_t bits) {
    return {Kind::integer(bits), 64 / bits, 16, 8};
  }
  /// Returns the exchange of RDNA's load of 16 bytes.
  static Exchange ofGlobal() { return {Kind::integer(16), 8, 8, 16}; }

  /// Returns the lane, and the number in it, of the element that lane `lane`
  /// gets as element `n`.
  std::pair<int64_t, int64_t> readerOf(int64_t lane, int64_t n) const {
    int64_t column = lane % group, lanesPerRow = group / elements;
    return {lane - column + lanesPerRow * n + column / elements,
            column % elements};
  }
};

/// A load: the elements that lanes read, and those that they get.
struct TransposedLoad {
  Exchange exchange;
  Access access;
  Reg memory, read, handed;

  static TransposedLoad get(Operation *op, Exchange exchange, Reg memory,
                            Translator &t) {
    Access access = Access::get(op, t.domain(), exchange.kind,
                                exchange.elements, exchange.elements);
    access.alignment = exchange.bytes;
    return {exchange, access, memory,
            t.scratch(exchange.kind, exchange.elements),
            t.scratch(exchange.kind, exchange.elements)};
  }

  /// Reads at the positions of all elements, and exchanges them.
  void run(Agent &agent, int64_t *positions) const {
    int64_t lanes = agent.lanes(), bytes = read.cellBytes;
    if (!agent.load(access, memory, positions, agent.cells(read)))
      return;
    for (int64_t n = 0; n < exchange.elements; ++n)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        auto [from, element] = exchange.readerOf(lane, n);
        std::memcpy(agent.cells(handed) + (n * lanes + lane) * bytes,
                    agent.cells(read) + (element * lanes + from) * bytes,
                    bytes);
      }
  }
};

/// Returns the regrouping from the exchanged elements to a register of as many
/// bits.
Regroup regroupTo(Reg result, const TransposedLoad &load, Translator &t) {
  if (result.elements * result.kind.width != 8 * load.exchange.bytes)
    return nullptr;
  return t.domain().bitcast(load.exchange.kind, result.kind);
}

/// Translates a load from a memref, at its indices.
LogicalResult translateOfMemRef(Operation *op, Value source, ValueRange at,
                                Exchange exchange, Translator &t) {
  Reg memref = t.reg(source), result = t.reg(op->getResult(0));
  exchange.kind = result.kind;
  if (result.elements != exchange.elements)
    return t.notModelled(op, "a transposing load of such elements");
  auto indices = llvm::map_to_vector(at, [&](Value v) { return t.reg(v); });
  TransposedLoad load = TransposedLoad::get(op, exchange, memref, t);
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes();
    int64_t *positions = agent.positions(exchange.elements * lanes);
    if (!agent.checkWhole(op) ||
        !agent.locate(op, memref, indices, positions, agent.mask()))
      return;
    for (int64_t e = exchange.elements; e-- > 0;)
      for (int64_t lane = 0; lane < lanes; ++lane)
        positions[e * lanes + lane] = positions[lane] + e;
    load.run(agent, positions);
    std::memcpy(agent.cells(result), agent.cells(load.handed),
                exchange.elements * lanes * result.cellBytes);
  });
  return success();
}

/// Translates a load from a pointer, to words of any kind.
LogicalResult translateOfPointer(Operation *op, Exchange exchange,
                                 Translator &t) {
  Reg result = t.reg(op->getResult(0));
  if (op->getNumOperands() != 1)
    return t.notModelled(op, "a transposing load of such operands");
  if (result.elements == exchange.elements)
    exchange.kind = result.kind;
  Addresses pointer = Addresses::get(op->getOperand(0), t);
  TransposedLoad load =
      TransposedLoad::get(op, exchange, pointedMemory(t, exchange.kind), t);
  Regroup regroup = regroupTo(result, load, t);
  if (!regroup)
    return t.notModelled(op, "a transposing load of such elements");
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions(exchange.elements * agent.lanes());
    if (!agent.checkWhole(op) ||
        !simt::follow(agent, op, pointer, load.memory, exchange.kind,
                      exchange.elements, positions.data(), agent.mask()))
      return;
    load.run(agent, positions.data());
    regroup(agent.lanes(), exchange.elements, agent.cells(load.handed),
            result.elements, agent.cells(result));
  });
  return success();
}
} // namespace

static LogicalResult translateTransposeLoad(amdgpu::TransposeLoadOp op,
                                            Translator &t) {
  int64_t bits = t.reg(op.getResult()).kind.width;
  if ((bits != 8 && bits != 16) || t.lanes() != 64)
    return t.notModelled(op, "a transposing load of such elements");
  return translateOfMemRef(op, op.getSrc(), op.getSrcIndices(),
                           Exchange::ofWorkgroup(bits), t);
}

template <int64_t Bits>
static LogicalResult translateReadTransposed(Operation *op, Translator &t) {
  if (t.lanes() != 64)
    return t.notModelled(op, "a transposing load of as many lanes");
  return translateOfPointer(op, Exchange::ofWorkgroup(Bits), t);
}

static LogicalResult translateGlobalLoad(core::GlobalTransposeLoadOp op,
                                         Translator &t) {
  if (t.lanes() != 32)
    return t.notModelled(op, "a transposing load of as many lanes");
  return translateOfMemRef(op, op.getMemref(), op.getIndices(),
                           Exchange::ofGlobal(), t);
}

static LogicalResult translateGlobalRead(Operation *op, Translator &t) {
  if (t.lanes() != 32)
    return t.notModelled(op, "a transposing load of as many lanes");
  return translateOfPointer(op, Exchange::ofGlobal(), t);
}

void distaff::simt::registerTransposedLoads(OpRegistry &registry) {
  registry.add<core::GlobalTransposeLoadOp>(translateGlobalLoad);
  registry.addByOperands("llvm.intr.amdgcn.global.load.tr.b128",
                         translateGlobalRead);
  registry.addByOperands(ROCDL::GlobalLoadTr8_B128::getOperationName(),
                         translateGlobalRead);
  registry.add<amdgpu::TransposeLoadOp>(translateTransposeLoad);
  registry.addByOperands("llvm.intr.amdgcn.ds.read.tr16.b64",
                         translateReadTransposed<16>);
  registry.addByOperands("llvm.intr.amdgcn.ds.read.tr8.b64",
                         translateReadTransposed<8>);
  registry.addByOperands(ROCDL::ds_read_tr16_b64::getOperationName(),
                         translateReadTransposed<16>);
  registry.addByOperands(ROCDL::ds_read_tr8_b64::getOperationName(),
                         translateReadTransposed<8>);
}
