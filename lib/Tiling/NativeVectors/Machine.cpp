//===- Machine.cpp - Limits of the tiles of n-D vectors -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Target/Target.h"

using namespace distaff;
using namespace distaff::vectortiles;

Machine Machine::get(const Target &target, int64_t lanes, bool strictFp) {
  // Bytes of a register instruction with a distant memory operand.
  constexpr int64_t bytesPerPiece = 16;
  Machine machine;
  machine.target = &target;
  machine.strictFp = strictFp;
  machine.isHost = target.isHost();
  // The limit is an eighth of the cache, since a kernel has several ops.
  machine.codePieces = target.instructionCacheBytes / 8 / bytesPerPiece;
  if (target.isHost()) {
    machine.pieceElements = target.simd.vectorBits / 32;
    machine.registers = target.simd.registers;
    machine.bufferBytes = 1 << 30; // on the heap past the end of the stack
    machine.workgroups = 64;       // for any number of cores
  } else {
    machine.workgroups = target.computeUnits;
    machine.workgroupPieces = 64;
    machine.pieceElements = lanes;
    machine.registers = target.vectorRegistersFor(lanes);
    // A quarter is reserved for exchanges between lanes.
    machine.bufferBytes = target.dynamicSharedMemoryBytes * 3 / 4;
  }
  return machine;
}

int64_t Machine::subgroupLanes() const { return target->subgroupSize; }

int64_t Machine::evenExtent(int64_t extent) {
  constexpr int64_t parts = 8;
  int64_t granule = llvm::bit_floor(uint64_t(extent)) / parts;
  return llvm::alignTo(extent, std::max<int64_t>(granule, 1));
}

int64_t Machine::tileAlong(int64_t extent, int64_t most) const {
  if (evenExtent(extent) <= most)
    return evenExtent(extent);
  int64_t tile = llvm::bit_floor(uint64_t(std::max<int64_t>(most, 1)));
  int64_t divisor = largestDivisor(extent, most);
  return divisor >= tile && evenExtent(divisor) == divisor ? divisor : tile;
}

std::optional<int64_t> Machine::matrixSteps(Operation *op) const {
  auto contraction = dyn_cast<vector::ContractionOp>(op);
  if (isHost || !contraction)
    return std::nullopt;
  MmaOffer offer = MmaOffer::get(ContractionProblem::get(contraction), *target);
  int64_t steps = 0;
  for (const MmaRow *row : offer.rows) {
    // One instruction loads while another one multiplies, if registers hold no
    // replicas.
    int64_t instructions = row->replicates() ? 1 : 2;
    steps = std::max(steps, row->k * instructions);
  }
  return steps ? std::optional(steps) : std::nullopt;
}

std::optional<Machine::MatrixCode> Machine::matrixCode(Operation *op) const {
  auto contraction = dyn_cast<vector::ContractionOp>(op);
  if (isHost || !contraction)
    return std::nullopt;
  std::vector<ContractionCandidate> choices =
      enumerateMma(ContractionProblem::get(contraction), *target,
                   pieceElements / subgroupLanes());
  if (choices.empty())
    return std::nullopt;
  const ContractionCandidate &best = choices.front();
  return MatrixCode{best.operandWords +
                        registersOf(contraction.getResultType()),
                    best.instructions};
}

/// Returns the elements of a vector that a lane holds if lanes of a subgroup
/// share neighbours, and subgroups share the rest: each divides a dim into
/// equal parts, so that 32 lanes cannot share 61 elements.
static int64_t elementsPerLane(ArrayRef<int64_t> shape, int64_t lanes,
                               int64_t subgroups) {
  SmallVector<int64_t> rest(shape);
  auto share = [](int64_t &extent, int64_t &sharers) {
    int64_t parts = largestDivisor(extent, sharers);
    extent /= parts;
    sharers /= parts;
  };
  for (int64_t &extent : llvm::reverse(rest))
    share(extent, lanes);
  for (int64_t &extent : rest)
    share(extent, subgroups);
  return llvm::product_of(rest);
}

int64_t Machine::pieces(ArrayRef<int64_t> shape) const {
  if (!isHost)
    return elementsPerLane(
        shape, std::min(pieceElements, subgroupLanes()),
        std::max<int64_t>(pieceElements / subgroupLanes(), 1));
  // Rows begin in registers of their own; trailing extents of 1 do not.
  while (!shape.empty() && shape.back() == 1)
    shape = shape.drop_back();
  if (shape.empty())
    return 1;
  return ShapedType::getNumElements(shape.drop_back()) *
         llvm::divideCeil(shape.back(), pieceElements);
}

int64_t Machine::pieces(Type type) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? pieces(vector.getShape()) : 0;
}

int64_t vectortiles::largestDivisor(int64_t extent, int64_t most) {
  for (int64_t divisor = std::min(extent, most); divisor > 1; --divisor)
    if (extent % divisor == 0)
      return divisor;
  return 1;
}

int64_t Machine::registersOfElement(Type element) const {
  if (isHost)
    return 1;
  constexpr int64_t indexBits = 64, registerBits = 32;
  int64_t bits =
      element.isIndex() ? indexBits : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(bits, registerBits);
}

int64_t Machine::registersOf(Type type) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? pieces(vector.getShape()) *
                      registersOfElement(vector.getElementType())
                : 0;
}
