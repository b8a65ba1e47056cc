//===- StartFromInputs.cpp - Results that begin as an argument ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs are only read (the kernel ABI), so a result that is an input with some
// of it overwritten begins as a copy, which is moved by vectors like all else:
//
//   %w = transfer_write %v, %arg : vector<16xf32>, tensor<100xf32>
// becomes
//   %r = transfer_read %arg[0] : tensor<100xf32>, vector<100xf32>
//   %c = transfer_write %r, %empty[0]
//   %w = transfer_write %v, %c
//
// with loops around where the tensor is larger than a vector should be.
//
//===----------------------------------------------------------------------===//
#include "VectorsOnTensors.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Elements that one step of a copy moves at most.
static constexpr int64_t mostPerStep = 1024;

/// Whether what is made of the value overwrites it, or is a result.
static bool becomesResult(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return &use == &write.getBaseMutable();
  if (auto scatter = dyn_cast<vector_ext::TransferScatterOp>(op))
    return &use == &scatter.getBaseMutable();
  return isa<scf::ForOp, scf::YieldOp, func::ReturnOp>(op);
}

/// Whether a write leaves nothing of its base.
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

namespace {
/// Copies a tensor step by step, from the innermost dims on.
struct Copy {
  OpBuilder &b;
  Location loc;
  Value source;
  RankedTensorType type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> step{};

  Value emit() {
    step.assign(type.getRank(), 1);
    int64_t left = mostPerStep;
    for (int64_t dim = type.getRank() - 1; dim >= 0 && left > 1; --dim) {
      bool fits = !type.isDynamicDim(dim) && type.getDimSize(dim) <= left;
      step[dim] = fits ? std::max<int64_t>(1, type.getDimSize(dim)) : left;
      left = fits ? left / step[dim] : 1;
    }
    SmallVector<Value> at;
    return overDims(b, emptyLike(b, loc, source), at);
  }

  Value overDims(OpBuilder &b, Value into, SmallVector<Value> &at) {
    int64_t dim = at.size();
    if (dim == type.getRank())
      return move(b, into, at);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    if (type.getDimSize(dim) == step[dim]) {
      at.push_back(zero);
      return overDims(b, into, at);
    }
    Value extent = getValueOrCreateConstantIndexOp(
        b, loc, tensor::getMixedSize(b, loc, source, dim));
    Value by = arith::ConstantIndexOp::create(b, loc, step[dim]);
    auto loop = scf::ForOp::create(b, loc, zero, extent, by, into);
    at.push_back(loop.getInductionVar());
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    Value moved = overDims(inside, loop.getRegionIterArg(0), at);
    scf::YieldOp::create(inside, loc, moved);
    return loop.getResult(0);
  }

  Value move(OpBuilder &b, Value into, ArrayRef<Value> at) {
    SmallVector<bool> inBounds;
    for (auto [extent, length] : llvm::zip_equal(type.getShape(), step))
      inBounds.push_back(!ShapedType::isDynamic(extent) &&
                         extent % length == 0);
    Type element = type.getElementType();
    Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    Value part = vector::TransferReadOp::create(
        b, loc, VectorType::get(step, element), source, at, padding, inBounds);
    return vector::TransferWriteOp::create(b, loc, part, into, at, inBounds)
        .getResult();
  }
};
} // namespace

void distaff::startFromCopies(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : argument.getUses())
      if (becomesResult(use))
        uses.push_back(&use);
    // Branches go on with one copy, or with it as it is.
    Value shared;
    for (OpOperand *use : uses) {
      Operation *op = use->getOwner();
      OpBuilder b(op);
      Location loc = op->getLoc();
      if (overwritesAll(op)) {
        use->set(emptyLike(b, loc, argument));
      } else if (op->getBlock() == &entry) {
        use->set(Copy{b, loc, argument}.emit());
      } else {
        b.setInsertionPointToStart(&entry);
        if (!shared)
          shared = Copy{b, loc, argument}.emit();
        use->set(shared);
      }
    }
  }
}
