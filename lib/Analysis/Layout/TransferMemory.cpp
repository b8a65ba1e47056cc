//===- TransferMemory.cpp - Layouts of reads and writes -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read or a store determines only its mask; gathers and scatters hold their
// indices like their data. Slices determine nothing.
//
//===----------------------------------------------------------------------===//

#include "TransferRules.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

/// Relates the data of a transfer to its mask, whose dims are the base dims
/// that the permutation map uses, in the base's order.
static LogicalResult relateMask(Slot data, Slot mask, AffineMap permutationMap,
                                Inference &inference) {
  AffineMap toMask = inversePermutation(compressUnusedDims(permutationMap));
  if (!toMask)
    return success();
  return inference.determines(data, mask, [&](VectorLayoutInterface layout) {
    return layout.apply(toMask);
  });
}

static LogicalResult infer(vector::TransferReadOp op, Inference &inference) {
  Slot result = inference.result(op.getResult());
  if (failed(relateMask(result, inference.operand(op.getMaskMutable()),
                        op.getPermutationMap(), inference)))
    return failure();
  return relateMask(result, inference.outerMask(), op.getPermutationMap(),
                    inference);
}

static LogicalResult infer(vector::TransferWriteOp op, Inference &inference) {
  Slot data = inference.operand(op.getValueToStoreMutable());
  if (failed(relateMask(data, inference.operand(op.getMaskMutable()),
                        op.getPermutationMap(), inference)))
    return failure();
  return relateMask(data, inference.outerMask(), op.getPermutationMap(),
                    inference);
}

/// Returns the map of vector dims without the symbols for index values.
static AffineMap dimsOf(AffineMap map) {
  return AffineMap::get(map.getNumDims(), /*symbolCount=*/0, map.getResults(),
                        map.getContext());
}

/// Relates index values and mask, which dims of the vector index.
template <typename GatherOrScatter>
static LogicalResult relateIndices(GatherOrScatter op, Slot vector,
                                   Inference &inference) {
  auto relate = [&](OpOperand &operand, AffineMap map) {
    return inference.determines(vector, inference.operand(operand),
                                [&](VectorLayoutInterface layout) {
                                  return layout.apply(dimsOf(map));
                                });
  };
  MutableOperandRange indices = op.getIndexVecsMutable();
  for (unsigned i = 0; i < indices.size(); ++i)
    if (failed(relate(indices[i], op.getIndexMap(i))))
      return failure();
  if (op.getMask())
    return relate(op.getMaskMutable()[0], op.getMaskMap());
  return success();
}

static LogicalResult infer(vector_ext::TransferGatherOp op,
                           Inference &inference) {
  return relateIndices(op, inference.result(op.getVector()), inference);
}

static LogicalResult infer(vector_ext::TransferScatterOp op,
                           Inference &inference) {
  Slot vector = inference.operand(op.getVectorMutable());
  // Index values that span all dims determine the layout of the scattered
  // vector.
  MutableOperandRange indices = op.getIndexVecsMutable();
  for (unsigned i = 0; i < indices.size(); ++i) {
    AffineMap dims = dimsOf(op.getIndexMap(i));
    if (!dims.isPermutation())
      continue;
    auto place = [&](VectorLayoutInterface layout) {
      return layout.apply(inversePermutation(dims));
    };
    if (failed(
            inference.determines(inference.operand(indices[i]), vector, place)))
      return failure();
  }
  return relateIndices(op, vector, inference);
}

/// Returns whether elements of the memory are vectors, which have no row: a
/// layout places elements.
static bool accessesVectors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && isa<VectorType>(shaped.getElementType());
  });
}

std::optional<LogicalResult> distaff::inferMemoryOp(Operation *op,
                                                    Inference &inference) {
  if (accessesVectors(op))
    return std::nullopt;
  if (isa<vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
          vector::ScatterOp, vector::LoadOp, vector::StoreOp,
          vector::ExpandLoadOp, vector::CompressStoreOp>(op))
    return inferAllEqual(op, inference);
  if (isa<pcf::ReadSliceOp, pcf::WriteSliceOp>(op))
    return success();
  return TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<vector::TransferReadOp, vector::TransferWriteOp,
            vector_ext::TransferGatherOp, vector_ext::TransferScatterOp>(
          [&](auto transfer) { return infer(transfer, inference); })
      .Default(std::nullopt);
}
