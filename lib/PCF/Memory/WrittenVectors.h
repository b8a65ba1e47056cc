//===- WrittenVectors.h - Tensors that are vectors --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that vectors are written to, at known places, is a vector: that of
// its last write, if it is of all of it, or one into which others are put. So
// is a constant; reshapes and slices of such tensors are, too.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_MEMORY_WRITTENVECTORS_H
#define DISTAFF_LIB_PCF_MEMORY_WRITTENVECTORS_H

#include "distaff/LLVM.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// A part of a vector.
struct VectorBox {
  SmallVector<int64_t> offsets, shape;
};

/// Whether all of a tensor is known as a vector.
bool isWrittenVector(Value tensor);

/// That vector.
Value makeWrittenVector(OpBuilder &builder, Location loc, Value tensor);

/// The elements of a box in another shape.
Value cutVector(OpBuilder &builder, Location loc, Value vector,
                const VectorBox &box, ArrayRef<int64_t> shape);

/// Whether a transfer covers its tensor from the corner, element by element.
template <typename TransferOp> bool isWhole(TransferOp op) {
  return !op.getMask() && op.getPermutationMap().isIdentity() &&
         llvm::all_of(op.getIndices(),
                      [](Value index) { return isConstantIntValue(index, 0); });
}

/// What control flow hands on in the code of workers inside `root` as tensors
/// of known extents it hands on as vectors.
void carryVectors(RewriterBase &rewriter, Operation *root);

/// All of a tensor of known extents as a vector.
Value readTensor(OpBuilder &builder, Location loc, Value tensor);

/// A tensor of which all is that vector.
Value writeVector(OpBuilder &builder, Location loc, Value vector);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_MEMORY_WRITTENVECTORS_H
