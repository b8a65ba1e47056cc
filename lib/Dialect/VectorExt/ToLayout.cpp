//===- ToLayout.cpp - Layout anchors and casts ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies and folds to_layout, to_simd and to_simt.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/VectorExt.h"

using namespace distaff;
using namespace distaff::vector_ext;

//===----------------------------------------------------------------------===//
// ToLayoutOp
//===----------------------------------------------------------------------===//

LogicalResult ToLayoutOp::verify() {
  if (isa<BaseMemRefType>(getInput().getType()))
    return emitOpError("lays out ")
           << getInput().getType()
           << ", memory that all lanes share; lay out the vector or the tensor "
              "that is read of it";
  return getLayout().isValidLayout(cast<ShapedType>(getInput().getType()),
                                   getLoc());
}

OpFoldResult ToLayoutOp::fold(FoldAdaptor) {
  // An outer op that requires shared memory, or names an instruction, has more
  // information than the inner one. A constant's to_layout is an anchor and
  // stays.
  if (getSharedMemoryConversion() || getMmaKind())
    return {};
  auto inner = getInput().getDefiningOp<ToLayoutOp>();
  if (inner && inner.getLayout() == getLayout())
    return inner.getOutput();
  return {};
}

//===----------------------------------------------------------------------===//
// ToSimdOp and ToSimtOp
//===----------------------------------------------------------------------===//

/// Verifies a cast of `whole` elements to or from the `part` that a lane holds.
static LogicalResult verifyCast(Operation *op, VectorType whole,
                                VectorType part) {
  if (whole.getElementType() != part.getElementType())
    return op->emitOpError()
           << "casts between element types " << whole.getElementType()
           << " and " << part.getElementType();
  if (whole.isScalable() || part.isScalable())
    return op->emitOpError() << "does not take scalable vectors";
  if (part.getNumElements() > whole.getNumElements())
    return op->emitOpError() << "a lane's part " << part << " has "
                             << part.getNumElements() << " elements, the whole "
                             << whole << " has only " << whole.getNumElements();
  return success();
}

LogicalResult ToSimdOp::verify() {
  return verifyCast(*this, getOutput().getType(), getInput().getType());
}

LogicalResult ToSimtOp::verify() {
  return verifyCast(*this, getInput().getType(), getOutput().getType());
}

OpFoldResult ToSimdOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<ToSimtOp>();
  if (inner && inner.getInput().getType() == getType())
    return inner.getInput();
  return {};
}

OpFoldResult ToSimtOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<ToSimdOp>();
  if (inner && inner.getInput().getType() == getType())
    return inner.getInput();
  return {};
}
