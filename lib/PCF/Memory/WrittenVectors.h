//===- WrittenVectors.h - Tensors whose elements are vectors ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor to which vectors are written, at known places, is a vector: the one
// of its last write, if that writes all of the tensor, or one into which others
// are inserted. So is a constant; so are reshapes and slices of such tensors.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_MEMORY_WRITTENVECTORS_H
#define DISTAFF_LIB_PCF_MEMORY_WRITTENVECTORS_H

#include "distaff/LLVM.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Describes a part of a vector.
struct VectorBox {
  SmallVector<int64_t> offsets, shape;
};

/// Returns whether all of a tensor is known as a vector.
bool isWrittenVector(Value tensor);

/// Creates the vector of a tensor for which `isWrittenVector` holds.
Value makeWrittenVector(OpBuilder &builder, Location loc, Value tensor);

/// Extracts the elements of a box, in another shape.
Value cutVector(OpBuilder &builder, Location loc, Value vector,
                const VectorBox &box, ArrayRef<int64_t> shape);

/// Returns whether a transfer covers all of its tensor with the identity map.
template <typename TransferOp> bool isWhole(TransferOp op) {
  return !op.getMask() && op.getPermutationMap().isIdentity() &&
         llvm::all_of(op.getIndices(),
                      [](Value index) { return isConstantIntValue(index, 0); });
}

/// Replaces tensors of known extents that control flow carries, in the code of
/// workers inside `root`, by vectors.
void carryVectors(RewriterBase &rewriter, Operation *root);

/// Reads all of a tensor of known extents as a vector.
Value readTensor(OpBuilder &builder, Location loc, Value tensor);

/// Creates a tensor whose elements are all those of a vector.
Value writeVector(OpBuilder &builder, Location loc, Value vector);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_MEMORY_WRITTENVECTORS_H
