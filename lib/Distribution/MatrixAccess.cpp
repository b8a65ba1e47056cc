//===- MatrixAccess.cpp - Tiles between memory and registers --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatrixAccess.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace distaff;

Placement distaff::placementOfRows(const MatrixTiles &tiles,
                                   const Placement &of) {
  return Placement(of.attr, tiles.rows, /*registers=*/{});
}

Value distaff::loadMatrices(OpBuilder &b, Location loc, Value memory,
                            const MatrixTiles &tiles, const Placement &to,
                            RowPosition position, const MemoryAccess &access,
                            Distributor &out) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  auto loadType = VectorType::get({tiles.tiles, tiles.perWord}, element);
  auto allType = VectorType::get(
      {tiles.instructions(), tiles.tiles, tiles.perWord}, element);
  Value all = undefined(b, loc, allType);
  for (int64_t i = 0; i < tiles.instructions(); ++i) {
    auto load =
        nvgpu::LdMatrixOp::create(b, loc, loadType, memory, position(b, i),
                                  tiles.transposed, tiles.tiles);
    out.hazards.record(load, access);
    all = vector::InsertOp::create(b, loc, load.getRes(), all, i);
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
