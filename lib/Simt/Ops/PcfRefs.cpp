//===- PcfRefs.cpp - Memory of the refs of an op --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PcfRefs.h"
#include "../Values/IndexSpace.h"
#include "MemRefViews.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace distaff;
using namespace distaff::simt;
using pcf::RefOwnerOpInterface;
using pcf::RefOwnerParts;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

void simt::emitAllocation(Operation *op, Reg ref,
                          ArrayRef<OpFoldResult> extents, Buffer::Space space,
                          Translator &t) {
  auto sizes = llvm::map_to_vector(
      extents, [&](OpFoldResult extent) { return t.indexRegister(extent); });
  // Memory that lanes share exists in programs of one lane only.
  bool isPerLane = t.lanes() > 1;
  t.emit(op, [=](Agent &agent) {
    int64_t first = llvm::countr_zero(agent.mask());
    Shape shape;
    for (Reg size : sizes)
      shape.push_back(std::max<int64_t>(0, agent.integer(size, first)));
    if (!agent.mayAllocate(op, shape, ref.kind.bytes() * agent.lanes()))
      return;
    Workgroup &group = agent.workgroup();
    int64_t elements = numElements(shape);
    int64_t buffer = isPerLane ? group.privateBuffer(op, agent, ref.kind,
                                                     elements, /*isFresh=*/true)
                               : group.freshBuffer(space, ref.kind, shape);
    forEachLane(agent.mask(), [&](int64_t lane) {
      setRowMajor(agent, ref, shape, lane);
      agent.memRef(ref).buffer(lane) = buffer;
      agent.memRef(ref).offset(lane) = isPerLane ? lane * elements : 0;
    });
  });
}

static void emitFree(Operation *op, Reg ref, Translator &t) {
  if (t.lanes() > 1)
    return; // other lanes may use their buffers
  t.emit(op, [=](Agent &agent) {
    agent.workgroup().freeBuffer(agent.memRef(ref).buffer(0));
  });
}

//===----------------------------------------------------------------------===//
// Between tensors and buffers
//===----------------------------------------------------------------------===//

static std::vector<int64_t> allPositions(int64_t count) {
  std::vector<int64_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

/// Emits a buffer with a tensor's elements for a ref.
static void emitFill(Operation *op, Reg tensor, Reg ref, Translator &t) {
  Store store = t.domain().store(ref.kind);
  t.emit(op, [=](Agent &agent) {
    const Tensor &from = agent.tensor(tensor);
    Workgroup &group = agent.workgroup();
    int64_t number =
        group.freshBuffer(Buffer::Space::Global, ref.kind, from.shape);
    Buffer &buffer = group.buffer(number);
    buffer.written = true;
    std::vector<int64_t> positions = allPositions(buffer.elements);
    store(buffer.elements, buffer.cells.data(), positions.data(), from.cells());
    setRowMajor(agent, ref, from.shape, 0);
    agent.memRef(ref).buffer(0) = number;
    agent.memRef(ref).offset(0) = 0;
  });
}

/// Emits a tensor of the contents of a ref's own buffer.
static void emitSnapshot(Operation *op, Reg ref, Reg tensor, Translator &t) {
  Load load = t.domain().load(ref.kind);
  t.emit(op, [=](Agent &agent) {
    const Buffer &buffer =
        agent.workgroup().buffer(agent.memRef(ref).buffer(0));
    Tensor into = Tensor::allocate(buffer.shape, tensor.cellBytes);
    std::vector<int64_t> positions = allPositions(buffer.elements);
    load(buffer.elements, buffer.cells.data(), positions.data(),
         into.mutableCells());
    agent.tensor(tensor) = std::move(into);
  });
}

//===----------------------------------------------------------------------===//
// Refs of an op
//===----------------------------------------------------------------------===//

LogicalResult simt::emitInitializer(RefOwnerOpInterface op, Translator &t) {
  Region *initializer = op.getInitializerOrNull();
  if (!initializer)
    return success();
  Block &block = initializer->front();
  if (failed(t.translateBody(block)))
    return failure();
  for (auto [value, argument] : llvm::zip_equal(
           block.getTerminator()->getOperands(), op.getLeadingArgs()))
    t.bind(argument, t.reg(value));
  return success();
}

LogicalResult simt::emitRefs(RefOwnerOpInterface op, Translator &t) {
  RefOwnerParts parts = RefOwnerParts::of(op);
  for (auto [ref, argument] : llvm::zip_equal(parts.refs, op.getRefArgs())) {
    Reg r = t.reg(argument);
    if (!ref.source) {
      FailureOr<Buffer::Space> space = allocationSpace(op, parts.scope, t);
      if (failed(space))
        return failure();
      emitAllocation(
          op, r,
          getMixedValues(ref.type.getShape(), ref.dims, op->getContext()),
          *space, t);
    } else if (Reg source = t.reg(ref.source); source.isTensor()) {
      emitFill(op, source, r, t);
    } else {
      t.copy(op, source, r);
    }
  }
  return success();
}

void simt::emitResults(RefOwnerOpInterface op, Translator &t) {
  RefOwnerParts parts = RefOwnerParts::of(op);
  for (auto [i, ref, argument] : llvm::enumerate(parts.refs, op.getRefArgs())) {
    Reg r = t.reg(argument);
    std::optional<unsigned> number = op.getResultOfRef(i);
    Reg result = number ? t.reg(op->getResult(*number)) : r;
    if (number && result.isTensor())
      emitSnapshot(op, r, result, t);
    else if (number)
      t.copy(op, r, result);
    bool isOwn =
        ref.source ? isa<TensorType>(ref.source.getType()) : result.isTensor();
    if (isOwn)
      emitFree(op, r, t);
  }
  if (Region *initializer = op.getInitializerOrNull())
    initializer->walk(
        [&](pcf::AllocOp alloc) { emitFree(op, t.reg(alloc.getResult()), t); });
}
