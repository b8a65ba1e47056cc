//===- TransposedLoads.cpp - Loads of AMD that transpose ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CDNA4 ISA, DS_READ_B64_TR_B16. Each lane reads the 8 bytes at an address of
// its own, four elements of 16 bits, and each 16 lanes exchange them: element n
// of lane l is what lane 4 n + (l / 4) mod 4 of the 16 has read as element
// l mod 4,
//
//   lane 0    elements 0 of lanes 0, 4, 8, 12
//   lane 5    elements 1 of lanes 1, 5, 9, 13
//
// so that 16 lanes which name four rows of 16 elements, a quarter each, have a
// column each. All lanes of the subgroup must execute it.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
constexpr int64_t lanesOfRow = 16, elementsOfLane = 4;

/// Which lane has read, and as which element, what lane `lane` gets as
/// element `n`.
std::pair<int64_t, int64_t> readerOf(int64_t lane, int64_t n) {
  int64_t first = lane - lane % lanesOfRow;
  return {first + 4 * n + lane / 4 % 4, lane % 4};
}

/// Reads what the positions say, of each lane's first element, and hands it
/// out.
void loadTransposed(Agent &agent, const Access &access, Reg memory,
                    int64_t *positions, Reg read, Reg result) {
  int64_t lanes = agent.lanes(), bytes = result.cellBytes;
  if (!agent.load(access, memory, positions, agent.cells(read)))
    return;
  for (int64_t n = 0; n < elementsOfLane; ++n)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto [from, element] = readerOf(lane, n);
      std::memcpy(agent.cells(result) + (n * lanes + lane) * bytes,
                  agent.cells(read) + (element * lanes + from) * bytes, bytes);
    }
}

bool isOfHalves(Reg result, Translator &t) {
  return result.elements == elementsOfLane && result.kind.width == 16 &&
         t.lanes() == 64;
}

Access accessOf(Operation *op, Reg result, Translator &t) {
  Access access =
      Access::get(op, t.domain(), result.kind, elementsOfLane, elementsOfLane);
  access.alignment = 8;
  return access;
}
} // namespace

static LogicalResult translateTransposeLoad(amdgpu::TransposeLoadOp op,
                                            Translator &t) {
  Reg memref = t.reg(op.getSrc()), result = t.reg(op.getResult());
  if (!isOfHalves(result, t))
    return t.notModelled(op, "a transposing load of such elements");
  auto indices = llvm::map_to_vector(op.getSrcIndices(),
                                     [&](Value v) { return t.reg(v); });
  Access access = accessOf(op, result, t);
  Reg read = t.scratch(result.kind, elementsOfLane);
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes();
    int64_t *positions = agent.positions(elementsOfLane * lanes);
    if (!agent.checkWhole(op) ||
        !agent.locate(op, memref, indices, positions, agent.mask()))
      return;
    for (int64_t e = elementsOfLane; e-- > 0;)
      for (int64_t lane = 0; lane < lanes; ++lane)
        positions[e * lanes + lane] = positions[lane] + e;
    loadTransposed(agent, access, memref, positions, read, result);
  });
  return success();
}

/// llvm.amdgcn.ds.read.tr16.b64, of a pointer.
static LogicalResult translateReadTransposed(Operation *op, Translator &t) {
  Reg result = t.reg(op->getResult(0));
  if (!isOfHalves(result, t) || op->getNumOperands() != 1)
    return t.notModelled(op, "a transposing load of such elements");
  Access access = accessOf(op, result, t);
  Addresses pointer = Addresses::get(op->getOperand(0), t);
  Reg memory = pointedMemory(t, result.kind),
      read = t.scratch(result.kind, elementsOfLane);
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions(elementsOfLane * agent.lanes());
    if (agent.checkWhole(op) &&
        simt::follow(agent, op, pointer, memory, result.kind, elementsOfLane,
                     positions.data(), agent.mask()))
      loadTransposed(agent, access, memory, positions.data(), read, result);
  });
  return success();
}

void distaff::simt::registerTransposedLoads(OpRegistry &registry) {
  registry.add<amdgpu::TransposeLoadOp>(translateTransposeLoad);
  registry.addByOperands("llvm.intr.amdgcn.ds.read.tr16.b64",
                         translateReadTransposed);
}
