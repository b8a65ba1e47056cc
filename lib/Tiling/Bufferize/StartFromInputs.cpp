//===- StartFromInputs.cpp - Results that start as a copy of an argument --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs are only read (the kernel ABI), so that a result that overwrites a
// part of an input starts from a copy, which is made by vector transfers:
//
//   %w = transfer_write %v, %arg : vector<16xf32>, tensor<100xf32>
// becomes
//   %r = transfer_read %arg[0] : tensor<100xf32>, vector<100xf32>
//   %c = transfer_write %r, %empty[0]
//   %w = transfer_write %v, %c
//
// with loops where the tensor is larger than a vector should be.
//
//===----------------------------------------------------------------------===//
#include "VectorsOnTensors.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Rewrite/CopyByVectors.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns whether a use overwrites the value, or makes it a result.
static bool becomesResult(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return &use == &write.getBaseMutable();
  if (auto scatter = dyn_cast<vector_ext::TransferScatterOp>(op))
    return &use == &scatter.getBaseMutable();
  return isa<scf::ForOp, scf::YieldOp, func::ReturnOp>(op);
}

/// Returns whether a write overwrites its whole base.
static bool overwritesAll(Operation *op) {
  auto write = dyn_cast<vector::TransferWriteOp>(op);
  if (!write || write.getMask() || !write.getPermutationMap().isPermutation())
    return false;
  AffineMap map = write.getPermutationMap();
  ArrayRef<int64_t> extents = write.getShapedType().getShape();
  for (auto [at, expr] : llvm::enumerate(map.getResults())) {
    int64_t extent = extents[cast<AffineDimExpr>(expr).getPosition()];
    if (ShapedType::isDynamic(extent) ||
        write.getVectorType().getDimSize(at) < extent)
      return false;
  }
  return llvm::all_of(write.getIndices(), isZeroInteger);
}

static Value emptyLike(OpBuilder &b, Location loc, Value source) {
  return tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, source),
      cast<RankedTensorType>(source.getType()).getElementType());
}

void distaff::startFromCopies(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : argument.getUses())
      if (becomesResult(use))
        uses.push_back(&use);
    // Branches share one copy, which some return unchanged.
    Value shared;
    for (OpOperand *use : uses) {
      Operation *op = use->getOwner();
      OpBuilder b(op);
      Location loc = op->getLoc();
      if (overwritesAll(op)) {
        use->set(emptyLike(b, loc, argument));
      } else if (op->getBlock() == &entry) {
        use->set(copyByVectors(b, loc, argument, emptyLike(b, loc, argument)));
      } else {
        b.setInsertionPointToStart(&entry);
        if (!shared)
          shared = copyByVectors(b, loc, argument, emptyLike(b, loc, argument));
        use->set(shared);
      }
    }
  }
}
