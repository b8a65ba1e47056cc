//===- TensorIndexed.cpp - tensor.gather and tensor.scatter ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both copy slices, one per row of the array of coordinates: between the place
// that the row gives in one tensor, and a dense array in the other.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "TensorBox.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The slices of an indexed tensor.
struct IndexedSlices {
  Operation *op;
  Reg coordinates;
  SmallVector<int64_t> dims; // indexed by the coordinates

  /// Returns the extents of one slice: 1 along `dims`.
  Shape box(ArrayRef<int64_t> whole) const {
    Shape box(whole);
    for (int64_t dim : dims)
      box[dim] = 1;
    return box;
  }

  /// Calls visit(number of the slice, its start in the tensor of extents
  /// `whole`);
  /// \returns false after a fault.
  bool forEach(Agent &agent, ArrayRef<int64_t> whole,
               function_ref<void(int64_t, int64_t)> visit) const;
};
} // namespace

bool IndexedSlices::forEach(Agent &agent, ArrayRef<int64_t> whole,
                            function_ref<void(int64_t, int64_t)> visit) const {
  const Tensor &rows = agent.tensor(coordinates);
  assert(rows.shape.back() == int64_t(dims.size()) && "verified");
  if (coordinates.cellBytes != sizeof(int64_t) &&
      agent.code().domain->anyUndecided(rows.numElements(), rows.cells()))
    agent.noteUndecided(op);
  Shape strides = rowMajorStrides(whole);
  int64_t perRow = dims.size();
  for (int64_t slice = 0, e = rows.numElements() / perRow; slice < e; ++slice) {
    int64_t begin = 0;
    for (auto [at, dim] : llvm::enumerate(dims)) {
      int64_t position;
      std::memcpy(&position,
                  rows.cells() + (slice * perRow + at) * coordinates.cellBytes,
                  sizeof(position));
      if (position < 0 || position >= whole[dim]) {
        agent.fault(op, FaultKind::OutOfBounds,
                    "slice " + Twine(slice) + " is at " + Twine(position) +
                        " along dimension " + Twine(dim) + " of extent " +
                        Twine(whole[dim]) +
                        "; give --input of coordinates that are inside");
        return false;
      }
      begin += position * strides[dim];
    }
    visit(slice, begin);
  }
  return true;
}

static LogicalResult translateGather(tensor::GatherOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), r = t.reg(op.getResult());
  IndexedSlices slices{op, t.reg(op.getIndices()),
                       llvm::to_vector(op.getGatherDims())};
  int64_t rank = op.getSourceType().getRank();
  bool keepsRank =
      op.getResultType().getRank() == op.getIndicesType().getRank() - 1 + rank;
  t.emit(op, [=](Agent &agent) {
    Shape whole(agent.tensor(source).shape), box = slices.box(whole);
    Shape shape(agent.tensor(slices.coordinates).shape);
    shape.pop_back();
    for (int64_t dim = 0; dim < rank; ++dim)
      if (keepsRank || !llvm::is_contained(slices.dims, dim))
        shape.push_back(box[dim]);
    if (!agent.mayAllocate(op, shape, r.cellBytes))
      return;
    Tensor result = Tensor::allocate(shape, r.cellBytes);
    LinearAccess at{0, rowMajorStrides(whole)}, dense{0, rowMajorStrides(box)};
    int64_t size = numElements(box);
    if (slices.forEach(agent, whole, [&](int64_t slice, int64_t begin) {
          at.base = begin;
          dense.base = slice * size;
          copyBox(box, agent.cells(source), at, result.mutableCells(), dense,
                  r.cellBytes);
        }))
      agent.tensor(r) = std::move(result);
  });
  return success();
}

static std::string print(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

/// Translates a scatter. The op requires disjoint slices; otherwise an
/// unspecified one is kept.
static LogicalResult translateScatter(tensor::ScatterOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), dest = t.reg(op.getDest());
  Reg r = t.reg(op.getResult());
  IndexedSlices slices{op, t.reg(op.getIndices()),
                       llvm::to_vector(op.getScatterDims())};
  bool keepsRank =
      op.getSourceType().getRank() ==
      op.getIndicesType().getRank() - 1 + op.getDestType().getRank();
  t.emit(op, [=](Agent &agent) {
    Shape whole(agent.tensor(dest).shape), box = slices.box(whole);
    Tensor result = agent.tensor(dest);
    LinearAccess at{0, rowMajorStrides(whole)}, dense{0, rowMajorStrides(box)};
    int64_t size = numElements(box);
    // Extents that are dynamic in the types may differ in a launch.
    const Tensor &parts = agent.tensor(source);
    Shape expected(agent.tensor(slices.coordinates).shape);
    expected.pop_back();
    for (size_t dim = 0; dim < box.size(); ++dim)
      if (keepsRank || !llvm::is_contained(slices.dims, int64_t(dim)))
        expected.push_back(box[dim]);
    if (parts.shape != expected) {
      agent.fault(op, FaultKind::OutOfBounds,
                  "the source is " + print(parts.shape) +
                      ", the coordinates and the destination are of " +
                      print(expected));
      return;
    }
    llvm::DenseMap<int64_t, int64_t> sliceAt;
    bool isRight =
        slices.forEach(agent, whole, [&](int64_t slice, int64_t begin) {
          // Empty slices do not overlap.
          if (size == 0)
            return;
          auto [other, isNew] = sliceAt.try_emplace(begin, slice);
          if (!isNew)
            agent.fault(op, FaultKind::Race,
                        "slices " + Twine(other->second) + " and " +
                            Twine(slice) +
                            " are scattered to the same place; give --input "
                            "of coordinates that differ");
          at.base = begin;
          dense.base = slice * size;
          copyBox(box, agent.cells(source), dense, result.mutableCells(), at,
                  r.cellBytes);
        });
    if (isRight)
      agent.tensor(r) = std::move(result);
  });
  return success();
}

void distaff::simt::registerTensorIndexed(OpRegistry &registry) {
  registry.add<tensor::GatherOp>(translateGather);
  registry.add<tensor::ScatterOp>(translateScatter);
}
