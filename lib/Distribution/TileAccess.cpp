//===- TileAccess.cpp - Cutting a lane's vector into tiles ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For nested layouts the tiled form is the register order, and nothing moves.
//
//===----------------------------------------------------------------------===//
#include "TileAccess.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

Value distaff::toTiled(OpBuilder &b, Location loc, Value value,
                       const Placement &placement) {
  return renameRegisters(b, loc, value, placement.tiledRegisters(),
                         placement.tiledShape());
}

Value distaff::fromTiled(OpBuilder &b, Location loc, Value tiled,
                         const Placement &placement) {
  SmallVector<int64_t> registerOf = placement.tiledRegisters();
  SmallVector<int64_t> tiledOf(registerOf.size());
  for (auto [at, reg] : llvm::enumerate(registerOf))
    tiledOf[reg] = at;
  return renameRegisters(b, loc, tiled, tiledOf, placement.shape());
}

Value distaff::tileOf(OpBuilder &b, Location loc, Value value,
                      const Placement &placement, ArrayRef<int64_t> dims,
                      const Tile &tile) {
  auto isHere = [&](const Tile &candidate) {
    return llvm::all_of(llvm::enumerate(dims), [&](auto it) {
      int64_t offset = it.value() < 0 ? 0 : tile.offset[it.value()];
      return candidate.offset[it.index()] == offset;
    });
  };
  SmallVector<Tile> tiles = placement.tiles();
  auto found = llvm::find_if(tiles, isHere);
  assert(found != tiles.end() && "the operand is laid out as the vector");
  Value tiled = toTiled(b, loc, value, placement);
  if (found->position.empty())
    return tiled;
  return vector::ExtractOp::create(b, loc, tiled, found->position);
}
