//===- NativeShape.cpp - Native vectors that users request ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NativeShape.h"
#include "ContractionView.h"
#include "Slicer.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::vectortiles;

SmallVector<int64_t> vectortiles::iterationShape(Operation *op) {
  if (isContraction(op))
    return ContractionView::get(op)->extents;
  Type type = op->getNumResults() ? op->getResult(0).getType() : Type();
  // The shape is that of the operands of a reduction or a write.
  if (isa<vector::MultiDimReductionOp, vector::ReductionOp>(op) ||
      !isa_and_nonnull<VectorType>(type))
    for (Type operand : op->getOperandTypes())
      if (isa<VectorType>(operand)) {
        type = operand;
        break;
      }
  auto vector = dyn_cast_if_present<VectorType>(type);
  return vector ? llvm::to_vector(vector.getShape()) : SmallVector<int64_t>();
}

/// Extends sizes of the innermost dims with 1 to all dims of a shape.
static SmallVector<int64_t> spread(ArrayRef<int64_t> sizes,
                                   ArrayRef<int64_t> shape) {
  SmallVector<int64_t> tiles(shape.size(), 1);
  if (sizes.size() > shape.size())
    sizes = sizes.take_back(shape.size());
  for (auto [i, size] : llvm::enumerate(sizes)) {
    size_t dim = shape.size() - sizes.size() + i;
    tiles[dim] = std::min(size, shape[dim]);
  }
  return tiles;
}

bool vectortiles::exceeds(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  if (sizes.size() > shape.size())
    return true;
  return llvm::any_of(llvm::zip_equal(sizes, shape.take_back(sizes.size())),
                      [](auto pair) {
                        auto [size, extent] = pair;
                        return size > extent;
                      });
}

std::optional<int64_t> vectortiles::nativeTile(Operation *op, unsigned dim) {
  ArrayRef<int64_t> sizes = core::nativeVectorOf(op);
  if (sizes.empty())
    return std::nullopt;
  return spread(sizes, iterationShape(op))[dim];
}

std::optional<int64_t> vectortiles::reducedTile(Operation *op, unsigned dim) {
  if (std::optional<int64_t> own = nativeTile(op, dim))
    return own;
  // A function's sizes apply to vectors, not to the loops of a contraction.
  if (isContraction(op))
    return std::nullopt;
  SmallVector<int64_t> tiles = nativeTiles(
      op->getParentOfType<FunctionOpInterface>(), iterationShape(op));
  return tiles.empty() ? std::nullopt : std::optional(tiles[dim]);
}

SmallVector<int64_t> vectortiles::nativeTiles(Operation *function,
                                              ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> sizes = core::nativeVectorOf(function);
  return sizes.empty() ? SmallVector<int64_t>() : spread(sizes, shape);
}
