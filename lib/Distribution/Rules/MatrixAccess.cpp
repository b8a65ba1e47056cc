//===- MatrixAccess.cpp - Tiles between memory and registers --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatrixAccess.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace distaff;

Placement distaff::placementOfRows(const MatrixTiles &tiles,
                                   const Placement &of) {
  return Placement(of.attr, tiles.rows, /*registers=*/{});
}

/// Emits one instruction.
static Operation *loadTiles(OpBuilder &b, Location loc, Value memory,
                            const MatrixTiles &tiles, Type element,
                            ValueRange position) {
  if (tiles.load.isGlobal)
    return core::GlobalTransposeLoadOp::create(
        b, loc, VectorType::get({tiles.perWord}, element), memory, position);
  if (tiles.isExchanged())
    return amdgpu::TransposeLoadOp::create(
        b, loc, VectorType::get({tiles.perWord}, element), memory, position);
  return nvgpu::LdMatrixOp::create(
      b, loc, VectorType::get({tiles.tiles, tiles.perWord}, element), memory,
      position, tiles.transposed, tiles.tiles);
}

Value distaff::loadMatrices(OpBuilder &b, Location loc, Value memory,
                            const MatrixTiles &tiles, const Placement &to,
                            RowPosition position, const MemoryAccess &access,
                            Distributor &out) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  auto allType = VectorType::get(
      {tiles.instructions(), tiles.tiles, tiles.perWord}, element);
  Value all = undefined(b, loc, allType);
  for (int64_t i = 0; i < tiles.instructions(); ++i) {
    Operation *load = loadTiles(b, loc, memory, tiles, element, position(b, i));
    out.hazards.record(load, access);
    Value loaded = reshapeRegisters(b, loc, load->getResult(0),
                                    allType.getShape().drop_front());
    all = vector::InsertOp::create(b, loc, loaded, all, i);
  }
  SmallVector<int64_t> loadedAs(tiles.registers.size());
  for (auto [at, reg] : llvm::enumerate(tiles.registers))
    loadedAs[reg] = at;
  return renameRegisters(b, loc, all, loadedAs, to.shape());
}

void distaff::storeMatrices(OpBuilder &b, Location loc, Value value,
                            Value memory, const MatrixTiles &tiles,
                            RowPosition position) {
  Value all =
      renameRegisters(b, loc, value, tiles.registers,
                      {tiles.instructions(), tiles.tiles, tiles.perWord});
  for (int64_t i = 0; i < tiles.instructions(); ++i) {
    SmallVector<Value> words;
    for (int64_t t = 0; t < tiles.tiles; ++t)
      words.push_back(
          vector::ExtractOp::create(b, loc, all, ArrayRef<int64_t>{i, t}));
    core::StMatrixOp::create(b, loc, words, memory, position(b, i),
                             tiles.transposed);
  }
}
