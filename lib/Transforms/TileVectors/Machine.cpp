//===- Machine.cpp - What bounds the tiles of n-D vectors -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "distaff/Target/Target.h"

using namespace distaff;
using namespace distaff::vectortiles;

Machine Machine::get(const Target &target, int64_t lanes, bool strictFp) {
  // An instruction on a register, with a place in memory that is far off.
  constexpr int64_t bytesPerPiece = 16;
  Machine machine;
  machine.strictFp = strictFp;
  machine.isHost = target.isHost();
  // An eighth of the cache, for a kernel has several ops.
  machine.codePieces = target.instructionCacheBytes / 8 / bytesPerPiece;
  if (target.isHost()) {
    machine.pieceElements = target.simd.vectorBits / 32;
    machine.registers = target.simd.registers;
    machine.bufferBytes = 1 << 30; // where the stack ends, of the heap
    machine.workgroups = 64;       // of any number of cores
  } else {
    machine.workgroups = target.computeUnits;
    machine.workgroupPieces = 64;
    machine.pieceElements = lanes;
    machine.registers = target.vectorRegistersFor(lanes);
  }
  return machine;
}

int64_t Machine::pieces(ArrayRef<int64_t> shape) const {
  if (!isHost)
    return llvm::divideCeil(ShapedType::getNumElements(shape), pieceElements);
  // Rows begin in registers of their own; extents of 1 behind them do not.
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
