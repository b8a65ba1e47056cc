//===- PcfMemory.cpp - Slices and views of srefs --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DenseOperand.h"
#include "MemRefViews.h"
#include "PcfRefs.h"

using namespace distaff;
using namespace distaff::simt;

static LogicalResult translateRefAlloc(pcf::AllocOp op, Translator &t) {
  auto type = cast<pcf::SRefType>(op.getResult().getType());
  FailureOr<Buffer::Space> space = allocationSpace(op, type.getScope(), t);
  if (failed(space))
    return failure();
  emitAllocation(
      op, t.reg(op.getResult()),
      getMixedValues(type.getShape(), op.getDynamicSizes(), op.getContext()),
      *space, t);
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A slice of a ref, and the value that is written to it or read from it.
struct Slice {
  Operation *op;
  Reg ref;
  SmallVector<ViewedDimension> dimensions;
  /// Whether a value may have more elements than the slice.
  bool mayExceed;

  template <typename Op>
  Slice(Op op, Type value, Translator &t)
      : op(op), ref(t.reg(op.getRef())),
        dimensions(viewedDimensions(
            op, llvm::SmallBitVector(t.reg(op.getRef()).memRefRank()), t)),
        mayExceed(isa<VectorType>(value)) {}

  Shape sizes(Agent &agent, int64_t lane) const {
    Shape sizes;
    for (const ViewedDimension &dimension : dimensions)
      sizes.push_back(agent.integer(dimension.size, lane));
    return sizes;
  }

  /// Computes the position in the ref's buffer of each element of a value of
  /// that shape, for the active lanes; -1 past the end of the slice.
  /// \returns false after a fault
  bool locate(Agent &agent, ArrayRef<int64_t> shape, int64_t *positions) const {
    bool isFine = true;
    forEachLane(agent.mask(), [&](int64_t lane) {
      isFine = isFine && locateIn(agent, lane, shape, positions);
    });
    return isFine;
  }

private:
  bool locateIn(Agent &agent, int64_t lane, ArrayRef<int64_t> shape,
                int64_t *positions) const;
  bool checkSize(Agent &agent, int64_t lane, ArrayRef<int64_t> box,
                 ArrayRef<int64_t> shape) const;
};
} // namespace

bool Slice::checkSize(Agent &agent, int64_t lane, ArrayRef<int64_t> box,
                      ArrayRef<int64_t> shape) const {
  for (auto [d, size, extent] : llvm::enumerate(box, shape)) {
    if (size >= 0 && (size == extent || (mayExceed && size < extent)))
      continue;
    agent.fault(op, FaultKind::OutOfBounds,
                agent.describe(lane) + " takes a slice of size " + Twine(size) +
                    " along dimension " + Twine(d) +
                    ", and the value has extent " + Twine(extent),
                agent.placeOf(lane));
    return false;
  }
  return true;
}

bool Slice::locateIn(Agent &agent, int64_t lane, ArrayRef<int64_t> shape,
                     int64_t *positions) const {
  Shape box = sizes(agent, lane);
  if (!checkSize(agent, lane, box, shape))
    return false;
  bool isEmpty = llvm::is_contained(box, 0);
  MemRefView view = agent.memRef(ref);
  int64_t rank = ref.memRefRank(), start = view.offset(lane);
  Shape strides;
  for (auto [d, dimension] : llvm::enumerate(dimensions)) {
    int64_t first = agent.integer(dimension.offset, lane),
            step = agent.integer(dimension.stride, lane),
            last = first + (box[d] - 1) * step,
            extent = view.size(rank, d, lane);
    if (!isEmpty &&
        (std::min(first, last) < 0 || std::max(first, last) >= extent)) {
      agent.fault(op, FaultKind::OutOfBounds,
                  agent.describe(lane) + " takes elements " + Twine(first) +
                      " to " + Twine(last) + " of dimension " + Twine(d) +
                      ", whose extent is " + Twine(extent),
                  agent.placeOf(lane));
      return false;
    }
    start += first * view.stride(rank, d, lane);
    strides.push_back(step * view.stride(rank, d, lane));
  }
  int64_t element = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    bool isInside = !isEmpty;
    for (auto [i, size] : llvm::zip_equal(index, box))
      isInside &= i < size;
    positions[element++ * agent.lanes() + lane] =
        isInside ? start + linearIndex(index, strides) : -1;
  });
  return true;
}

static LogicalResult translateRead(pcf::ReadSliceOp op, Translator &t) {
  ShapedType type = op.getResultType();
  Reg r = t.reg(op.getResult());
  Access access = Access::get(op, t.domain(), r.kind);
  Slice slice(op, type, t);
  if (isa<TensorType>(type)) {
    t.emit(op, [=](Agent &agent) {
      Shape shape = slice.sizes(agent, 0);
      if (!agent.mayAllocate(op, shape, r.cellBytes))
        return;
      Access all = access;
      all.elements = numElements(shape);
      std::vector<int64_t> positions(all.elements);
      Tensor tensor = Tensor::allocate(shape, r.cellBytes);
      // The op that uses the tensor has the fault, not this read.
      std::optional<Fault> &unwritten = agent.workgroup().unwritten;
      std::optional<Fault> before = std::exchange(unwritten, std::nullopt);
      if (!slice.locate(agent, shape, positions.data()) ||
          !agent.load(all, slice.ref, positions.data(), tensor.mutableCells()))
        return;
      std::swap(before, unwritten);
      if (before)
        tensor.unwritten = std::make_shared<Fault>(std::move(*before));
      agent.tensor(r) = std::move(tensor);
    });
    return success();
  }
  access.elements = r.elements;
  Shape shape(type.getShape());
  Reg zero = t.constant(r.kind, 0);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(r.elements * agent.lanes());
    if (!slice.locate(agent, shape, positions))
      return;
    // Elements past the size are zero.
    for (int64_t e = 0; e < r.elements; ++e)
      forEachLane(agent.mask(), [&](int64_t lane) {
        std::memcpy(agent.cellsAs<uint8_t>(r, lane, e), agent.cells(zero),
                    r.cellBytes);
      });
    agent.load(access, slice.ref, positions, r);
  });
  return success();
}

static LogicalResult translateWrite(pcf::WriteSliceOp op, Translator &t) {
  ShapedType type = op.getSourceType();
  Reg source = t.reg(op.getSource());
  Access access = Access::get(op, t.domain(), source.kind);
  Slice slice(op, type, t);
  if (isa<VectorType>(type)) {
    access.elements = source.elements;
    Shape shape(type.getShape());
    t.emit(op, [=](Agent &agent) {
      int64_t *positions = agent.positions(source.elements * agent.lanes());
      if (slice.locate(agent, shape, positions))
        agent.store(access, slice.ref, positions, agent.cells(source));
    });
    return success();
  }
  if (t.lanes() > 1)
    return t.notModelled(op, "a slice written from each lane's memory");
  t.emit(op, [=](Agent &agent) {
    DenseOperand from;
    if (!from.read(agent, access, source))
      return;
    Access all = access;
    all.elements = numElements(from.shape);
    std::vector<int64_t> positions(all.elements);
    if (slice.locate(agent, from.shape, positions.data()))
      agent.store(all, slice.ref, positions.data(), from.cells);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static LogicalResult translateGetMemref(pcf::GetMemrefOp op, Translator &t) {
  Reg source = t.reg(op.getSource());
  llvm::SmallBitVector none(source.memRefRank());
  emitSliceView(op, source, t.reg(op.getResult()),
                viewedDimensions(op, none, t), t);
  return success();
}

static LogicalResult translateSubview(pcf::SubviewOp op, Translator &t) {
  emitSliceView(op, t.reg(op.getSource()), t.reg(op.getResult()),
                viewedDimensions(op, op.getDroppedDims(), t), t);
  return success();
}

static LogicalResult translateExpandRef(pcf::ExpandShapeOp op, Translator &t) {
  emitExpandView(op, t.reg(op.getSource()), t.reg(op.getResult()),
                 op.getMixedOutputShape(), op.getReassociationIndices(), t);
  return success();
}

void distaff::simt::registerPcfMemory(OpRegistry &registry) {
  registry.add<pcf::AllocOp>(translateRefAlloc);
  registry.add<pcf::ReadSliceOp>(translateRead);
  registry.add<pcf::WriteSliceOp>(translateWrite);
  registry.add<pcf::GetMemrefOp>(translateGetMemref);
  registry.add<pcf::SubviewOp>(translateSubview);
  registry.add<pcf::ExpandShapeOp>(translateExpandRef);
}
