//===- RefBox.cpp - Boxes of slices as linear terms -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefBox.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

RefBox RefBox::anywhere(unsigned rank) {
  return {SmallVector<AffineExpr>(rank), SmallVector<AffineExpr>(rank)};
}

RefBox RefBox::of(OffsetSizeAndStrideOpInterface slice, IndexTerms &terms) {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  RefBox box = anywhere(sizes.size());
  for (unsigned dim : llvm::seq<unsigned>(0, sizes.size())) {
    std::optional<int64_t> stride = getConstantIntValue(strides[dim]);
    if (!stride || *stride <= 0)
      continue;
    box.low[dim] = terms.of(offsets[dim]);
    box.high[dim] = box.low[dim] + (terms.of(sizes[dim]) - 1) * *stride + 1;
  }
  return box;
}

/// Returns the box of a view with unit strides in the viewed ref. Dimensions
/// that the view lacks are one element long.
static RefBox inSource(const RefBox &box, SubviewOp view, IndexTerms &terms) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  RefBox moved;
  unsigned kept = 0;
  for (auto [dim, entry] : llvm::enumerate(view.getMixedOffsets())) {
    AffineExpr offset = terms.of(entry);
    if (dropped.test(dim)) {
      moved.low.push_back(offset);
      moved.high.push_back(offset + 1);
      continue;
    }
    bool isKnown = static_cast<bool>(box.low[kept]);
    moved.low.push_back(isKnown ? box.low[kept] + offset : AffineExpr());
    moved.high.push_back(isKnown ? box.high[kept] + offset : AffineExpr());
    ++kept;
  }
  return moved;
}

RefBox RefBox::in(OffsetSizeAndStrideOpInterface slice, Value ref,
                  unsigned rank, function_ref<bool(Value)> isMemory,
                  IndexTerms &terms) {
  RefBox box = of(slice, terms);
  // A box of a view with other strides is not computed.
  while (auto view = ref.getDefiningOp<SubviewOp>()) {
    if (!areAllConstantIntValue(view.getMixedStrides(), 1))
      return anywhere(rank);
    box = inSource(box, view, terms);
    ref = view.getSource();
  }
  return isMemory(ref) ? box : anywhere(rank);
}

void RefBox::addOverlap(const RefBox &other,
                        SmallVectorImpl<IndexConstraint> &constraints) const {
  for (auto [lowA, highA, lowB, highB] :
       llvm::zip_equal(low, high, other.low, other.high)) {
    if (!lowA || !lowB)
      continue;
    constraints.push_back({highB - lowA - 1});
    constraints.push_back({highA - lowB - 1});
  }
}
