//===- WholeTensors.cpp - Transfers of whole tensors ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/WholeTensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns index zero in each dimension; nothing for a 0-d tensor.
static SmallVector<Value> makeOrigin(RewriterBase &rewriter, Location loc,
                                     int64_t rank) {
  if (rank == 0)
    return {};
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return SmallVector<Value>(rank, zero);
}

Value distaff::readWholeTensor(RewriterBase &rewriter, Location loc,
                               Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  assert(type.hasStaticShape() && "a vector has a static shape");
  SmallVector<Value> origin = makeOrigin(rewriter, loc, type.getRank());
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(type.getShape(), type.getElementType()),
      tensor, origin, padding, SmallVector<bool>(type.getRank(), true));
}

Value distaff::writeWholeTensor(RewriterBase &rewriter, Location loc,
                                Value vector, Value tensor) {
  assert(cast<VectorType>(vector.getType()).getShape() ==
             cast<RankedTensorType>(tensor.getType()).getShape() &&
         "a vector is written over all of a tensor");
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return vector::TransferWriteOp::create(rewriter, loc, vector, tensor,
                                         makeOrigin(rewriter, loc, rank),
                                         SmallVector<bool>(rank, true))
      .getResult();
}
