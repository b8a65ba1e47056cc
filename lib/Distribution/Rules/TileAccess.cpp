//===- TileAccess.cpp - Tiles of a lane's vector --------------------------===//
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
#include "mlir/Dialect/Utils/IndexingUtils.h"

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

OperandTiles::OperandTiles(Value value, const Placement &placement,
                           SmallVector<int64_t> dims)
    : value(value), dims(std::move(dims)) {
  assert(int64_t(this->dims.size()) == placement.rank() &&
         "each dim of an operand is one of the access, or none");
  for (int64_t reg = 0, e = placement.numRegisters(); reg < e; ++reg)
    registerAt.insert({placement.offsetOf(reg), reg});
}

Value OperandTiles::at(OpBuilder &b, Location loc, const Tile &tile,
                       ArrayRef<int64_t> elementShape) const {
  SmallVector<int64_t> first, shape;
  for (int64_t dim : dims) {
    first.push_back(dim < 0 ? 0 : tile.offset[dim]);
    shape.push_back(dim < 0 ? 1 : elementShape[dim]);
  }
  // The value's own tiles may be larger or smaller, so each element is looked
  // up.
  SmallVector<int64_t> strides = computeStrides(shape), registers;
  for (int64_t at = 0, e = computeProduct(shape); at < e; ++at) {
    SmallVector<int64_t> index = delinearize(at, strides);
    for (auto [i, start] : llvm::zip_equal(index, first))
      i += start;
    registers.push_back(registerAt.at(index));
  }
  return renameRegisters(b, loc, value, registers, shape);
}
