//===- DynamicExtents.cpp - Values of dynamic extents ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DynamicExtents.h"

#include "CarriedValues.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace distaff;
using namespace distaff::pcf;

DynamicExtents::DynamicExtents(Operation *root, ArrayRef<Operation *> ops)
    : dominance(root) {
  for (Operation *op : ops)
    forEachHandedOn(op,
                    [&](Value from, Value to) { origins[to].push_back(from); });
}

/// Returns the number on which all forwarded tensors agree.
OpFoldResult DynamicExtents::findHandedOn(Value tensor, unsigned dim,
                                          bool &isOpen) {
  auto it = origins.find(tensor);
  if (it == origins.end())
    return {};
  // A loop carries the extent of its initial value, whatever it is.
  if (!open.insert(tensor.getAsOpaquePointer()).second) {
    isOpen = true;
    return {};
  }
  OpFoldResult known;
  bool isKnown = true;
  for (Value origin : it->second) {
    bool isOfLoop = false;
    OpFoldResult number = find(origin, dim, isOfLoop);
    if (isOfLoop)
      continue;
    isKnown &= number && (!known || isEqualConstantIntOrValue(known, number));
    known = number;
  }
  open.erase(tensor.getAsOpaquePointer());
  // All forwarded tensors come from an enclosing loop, which has the number.
  isOpen |= isKnown && !known;
  return isKnown ? known : OpFoldResult();
}

/// Returns the source dimension of a dimension of a slice.
static unsigned getSlicedDim(const llvm::SmallBitVector &dropped,
                             unsigned dim) {
  for (unsigned source = 0;; ++source)
    if (!dropped.test(source) && dim-- == 0)
      return source;
}

/// Returns the operand of an op that arranges elements, and its dimension, with
/// the extent of a dimension of the result; none if that is computed.
static std::optional<std::pair<Value, unsigned>> getArranged(Operation *op,
                                                             unsigned dim) {
  bool isKept = true;
  unsigned source = dim;
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    isKept = isZeroInteger(pad.getMixedLowPad()[dim]) &&
             isZeroInteger(pad.getMixedHighPad()[dim]);
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    isKept = concat.getDim() != dim;
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    auto isUnit = [&](int64_t each) {
      return collapse.getSrcType().getDimSize(each) == 1;
    };
    llvm::erase_if(group, isUnit);
    isKept = group.size() == 1;
    source = group.empty() ? 0 : group.front();
  }
  if (!isKept)
    return std::nullopt;
  return std::pair(op->getOperand(0), source);
}

OpFoldResult DynamicExtents::find(Value tensor, unsigned dim, bool &isOpen) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return IntegerAttr::get(IndexType::get(tensor.getContext()),
                            type.getDimSize(dim));
  Operation *op = tensor.getDefiningOp();
  if (!op || handsOnValues(op))
    return findHandedOn(tensor, dim, isOpen);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getMixedSizes()[dim];
  // The slice's sizes are those of the inserted tensor.
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return find(insert.getDest(), dim, isOpen);
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    auto cut = dyn_cast<tensor::ExtractSliceOp>(op);
    return slice
        .getMixedSizes()[cut ? getSlicedDim(cut.getDroppedDims(), dim) : dim];
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getMixedOutputShape()[dim];
  if (isa<tensor::CollapseShapeOp, tensor::PadOp, tensor::ConcatOp>(op)) {
    auto arranged = getArranged(op, dim);
    return arranged ? find(arranged->first, arranged->second, isOpen)
                    : OpFoldResult();
  }
  if (auto made = dyn_cast<DestinationStyleOpInterface>(op))
    return find(made.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim,
                isOpen);
  // Operands of elementwise ops have the extents of the results.
  for (Value operand : op->getOperands())
    if (auto other = dyn_cast<RankedTensorType>(operand.getType());
        other && other.getRank() == type.getRank())
      return find(operand, dim, isOpen);
  return {};
}

FailureOr<OpFoldResult> DynamicExtents::get(Value tensor, unsigned dim,
                                            Operation *at) {
  bool isOpen = false;
  OpFoldResult number = find(tensor, dim, isOpen);
  auto value = dyn_cast_or_null<Value>(number);
  if (number && (!value || dominance.properlyDominates(value, at)))
    return number;
  InFlightDiagnostic error =
      at->emitOpError("needs extent ")
      << dim << " of a tensor that control flow hands on, and its extents "
      << "there have not one number that is known where the op runs; compute "
         "the number before";
  error.attachNote(tensor.getLoc()) << "the tensor is made here";
  return error;
}
