//===- LinalgExtRegions.cpp - Regions of iree_linalg_ext in linalg --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinalgExtRegions.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;

Block *distaff::regionOf(Operation *op) {
  return op->getRegion(0).empty() ? nullptr : &op->getRegion(0).front();
}

Value distaff::inlineRegion(OpBuilder &b, Block *region, ValueRange arguments) {
  IRMapping map;
  map.map(region->getArguments(), arguments);
  for (Operation &op : region->without_terminator())
    b.clone(op, map);
  return map.lookupOrDefault(region->getTerminator()->getOperand(0));
}

std::optional<unsigned> distaff::dimensionOf(Operation *op,
                                             RankedTensorType type) {
  auto dimension = op->getAttrOfType<IntegerAttr>("dimension");
  if (!type || !dimension || dimension.getInt() < 0 ||
      dimension.getInt() >= type.getRank())
    return std::nullopt;
  return dimension.getInt();
}

bool distaff::takesPairs(Block *region, ArrayRef<Type> elements, Type yielded) {
  if (!region || region->getNumArguments() != 2 * elements.size() ||
      region->getTerminator()->getOperandTypes() != TypeRange(yielded))
    return false;
  for (auto [number, element] : llvm::enumerate(elements))
    if (region->getArgument(2 * number).getType() != element ||
        region->getArgument(2 * number + 1).getType() != element)
      return false;
  return true;
}

Value distaff::emptyTensor(OpBuilder &b, Location loc,
                           ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, loc, sizes, element);
}
