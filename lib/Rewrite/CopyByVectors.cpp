//===- CopyByVectors.cpp - Copies as vector transfers ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contiguous elements move together: a step takes the innermost dims whole as
// long as they fit, a part of the next dim, and one index of the rest.
//
//   memref<3x1100x3>   steps of 1x341x3, 3 * 4 of them, the last ones cut
//
//===----------------------------------------------------------------------===//
#include "distaff/Rewrite/CopyByVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// The most elements that one step of a copy moves.
static constexpr int64_t mostPerStep = 1024;

namespace {
class Copy {
public:
  Copy(Location loc, Value source)
      : loc(loc), source(source), type(cast<ShapedType>(source.getType())),
        step(type.getRank(), 1) {
    int64_t left = mostPerStep;
    for (int64_t dim = type.getRank() - 1; dim >= 0 && left > 1; --dim) {
      bool fits = !type.isDynamicDim(dim) && type.getDimSize(dim) <= left;
      step[dim] = fits ? std::max<int64_t>(1, type.getDimSize(dim)) : left;
      left = fits ? left / step[dim] : 1;
    }
  }

  /// Copies all elements at the leading indices `at`, into a tensor that is
  /// returned or a memref.
  Value emit(OpBuilder &b, Value into, SmallVector<Value> &at) const;

private:
  Value extentOf(OpBuilder &b, int64_t dim) const;
  Value move(OpBuilder &b, Value into, ArrayRef<Value> at) const;

  Location loc;
  Value source;
  ShapedType type;
  SmallVector<int64_t> step;
};
} // namespace

Value Copy::extentOf(OpBuilder &b, int64_t dim) const {
  OpFoldResult extent = isa<TensorType>(type)
                            ? tensor::getMixedSize(b, loc, source, dim)
                            : memref::getMixedSize(b, loc, source, dim);
  return getValueOrCreateConstantIndexOp(b, loc, extent);
}

Value Copy::emit(OpBuilder &b, Value into, SmallVector<Value> &at) const {
  int64_t dim = at.size();
  if (dim == type.getRank())
    return move(b, into, at);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  if (type.getDimSize(dim) == step[dim]) {
    at.push_back(zero);
    return emit(b, into, at);
  }
  bool carries = isa<TensorType>(type);
  Value by = arith::ConstantIndexOp::create(b, loc, step[dim]);
  auto loop = scf::ForOp::create(b, loc, zero, extentOf(b, dim), by,
                                 carries ? ValueRange(into) : ValueRange());
  at.push_back(loop.getInductionVar());
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  Value moved =
      emit(inside, carries ? Value(loop.getRegionIterArg(0)) : into, at);
  if (!carries)
    return {};
  scf::YieldOp::create(inside, loc, moved);
  return loop.getResult(0);
}

Value Copy::move(OpBuilder &b, Value into, ArrayRef<Value> at) const {
  SmallVector<bool> inBounds;
  for (auto [extent, length] : llvm::zip_equal(type.getShape(), step))
    inBounds.push_back(!ShapedType::isDynamic(extent) && extent % length == 0);
  Type element = type.getElementType();
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value part = vector::TransferReadOp::create(
      b, loc, VectorType::get(step, element), source, at, padding, inBounds);
  auto write =
      vector::TransferWriteOp::create(b, loc, part, into, at, inBounds);
  return isa<TensorType>(type) ? write.getResult() : Value();
}

Value distaff::copyByVectors(OpBuilder &b, Location loc, Value source,
                             Value into) {
  assert(succeeded(verifyCompatibleShape(source.getType(), into.getType())) &&
         "a copy keeps the shape");
  SmallVector<Value> at;
  return Copy(loc, source).emit(b, into, at);
}

void distaff::expandCopies(FunctionOpInterface function) {
  SmallVector<memref::CopyOp> copies;
  function->walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp op : copies) {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    if (!type || !isa<MemRefType>(op.getTarget().getType()))
      continue;
    OpBuilder b(op);
    copyByVectors(b, op.getLoc(), op.getSource(), op.getTarget());
    op.erase();
  }
}
