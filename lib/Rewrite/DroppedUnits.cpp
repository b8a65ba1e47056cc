//===- DroppedUnits.cpp - Dropped unit dimensions of views ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view with the sizes [1, 8, 1] may have the type 1x8 or 8x1. MLIR 22.1.8
// finds the dropped unit by comparing the type's strides with those of the
// source: for dynamic strides it takes the first unit, and for a view with
// strides of its own it may find none. It does not compare where a view drops
// all of its static units. This form therefore makes a kept unit dynamic, with
// a constant size, and a cast gives the view its old type:
//
//   %v = memref.subview %m[0, 0, 0] [1, 8, 1] [1, 1, 1]
//       : ... to memref<1x8xf32>
//
//   %w = memref.subview %m[0, 0, 0] [%c1, 8, 1] [1, 1, 1]
//       : ... to memref<?x8xf32>
//   %v = memref.cast %w : memref<?x8xf32> to memref<1x8xf32>
//
//===----------------------------------------------------------------------===//
#include "OwnFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace distaff;

/// Returns which dimensions of its source a view keeps: those whose extents and
/// strides its type has, in order. Adjacent units of equal strides are
/// interchangeable.
static FailureOr<llvm::SmallBitVector> dimsOfView(memref::SubViewOp view) {
  auto full = cast<MemRefType>(memref::SubViewOp::inferResultType(
      view.getSourceType(), view.getStaticOffsets(), view.getStaticSizes(),
      view.getStaticStrides()));
  MemRefType reduced = view.getType();
  SmallVector<int64_t> fullStrides, strides;
  int64_t offset;
  if (failed(full.getStridesAndOffset(fullStrides, offset)) ||
      failed(reduced.getStridesAndOffset(strides, offset)))
    return failure();
  llvm::SmallBitVector kept(full.getRank());
  int64_t next = 0;
  for (int64_t dim = 0; dim < full.getRank() && next < reduced.getRank(); ++dim)
    if (full.getDimSize(dim) == reduced.getDimSize(next) &&
        fullStrides[dim] == strides[next]) {
      kept.set(dim);
      ++next;
    }
  if (next != reduced.getRank())
    return failure();
  return kept;
}

void distaff::nameDroppedUnits(memref::SubViewOp view) {
  MemRefType reduced = view.getType();
  int64_t dropped = view.getSourceType().getRank() - reduced.getRank();
  if (dropped == 0 || llvm::count(view.getStaticSizes(), 1) == dropped)
    return;
  FailureOr<llvm::SmallBitVector> kept = dimsOfView(view);
  SmallVector<int64_t> strides, shape(reduced.getShape());
  int64_t offset;
  if (failed(kept) || failed(reduced.getStridesAndOffset(strides, offset)))
    return;
  OpBuilder builder(view);
  Location loc = view.getLoc();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<OpFoldResult> sizes = view.getMixedSizes();
  for (auto [place, dim] : llvm::enumerate(kept->set_bits()))
    if (view.getStaticSizes()[dim] == 1) {
      sizes[dim] = one;
      shape[place] = ShapedType::kDynamic;
    }
  auto type = MemRefType::get(
      shape, reduced.getElementType(),
      StridedLayoutAttr::get(view.getContext(), offset, strides),
      reduced.getMemorySpace());
  Value open = memref::SubViewOp::create(builder, loc, type, view.getSource(),
                                         view.getMixedOffsets(), sizes,
                                         view.getMixedStrides());
  view.replaceAllUsesWith(
      memref::CastOp::create(builder, loc, reduced, open).getResult());
  view.erase();
}
