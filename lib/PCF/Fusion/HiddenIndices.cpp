//===- HiddenIndices.cpp - Opaque placeholders for slice indices ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HiddenIndices.h"

#include "../Order/MovedOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

MixedSlice HiddenIndices::hide(const MixedSlice &slice) {
  auto hideAll = [&](ArrayRef<OpFoldResult> indices) {
    return llvm::map_to_vector(indices,
                               [&](OpFoldResult index) { return hide(index); });
  };
  return {hideAll(slice.offsets), hideAll(slice.sizes), hideAll(slice.strides)};
}

OpFoldResult HiddenIndices::hide(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return builder.getIndexAttr(*constant);
  auto value = cast<Value>(index);
  for (UnrealizedConversionCastOp standIn : standIns)
    if (areEqual(standIn.getOperand(0), value))
      return standIn.getResult(0);
  standIns.push_back(UnrealizedConversionCastOp::create(
      builder, value.getLoc(), value.getType(), value));
  return standIns.back().getResult(0);
}

void HiddenIndices::restore(RewriterBase &rewriter) {
  for (UnrealizedConversionCastOp standIn : standIns)
    rewriter.replaceOp(standIn, standIn.getOperands());
  standIns.clear();
}

Value HiddenIndices::lookThrough(Value value) {
  auto standIn = value.getDefiningOp<UnrealizedConversionCastOp>();
  return standIn ? standIn.getOperand(0) : value;
}
