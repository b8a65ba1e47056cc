//===- Bufferization.cpp - Conversions of tensors and memrefs -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "DenseOperand.h"
#include "ElementPlan.h"
#include "TensorBox.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::simt;
using namespace mlir::bufferization;

static LogicalResult translateAllocTensor(AllocTensorOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  if (op.getCopy()) {
    t.copy(op, t.reg(op.getCopy()), r);
    return success();
  }
  SmallVector<OpFoldResult> mixed = getMixedValues(
      op.getType().getShape(), op.getDynamicSizes(), op.getContext());
  const Domain *domain = &t.domain();
  t.emit(op, [=, sizes = indexValues(mixed, t)](Agent &agent) {
    Shape shape = valuesOf(sizes, agent);
    if (agent.mayAllocate(op, shape, r.cellBytes))
      agent.tensor(r) = emptyTensor(*domain, r.kind, shape);
  });
  return success();
}

static LogicalResult translateToTensor(ToTensorOp op, Translator &t) {
  Reg buffer = t.reg(op.getBuffer()), r = t.reg(op.getResult());
  Access access = Access::get(op, t.domain(), r.kind);
  t.emit(op, [=](Agent &agent) {
    DenseOperand from;
    if (!from.read(agent, access, buffer))
      return;
    Tensor tensor = Tensor::allocate(from.shape, r.cellBytes);
    std::memcpy(tensor.mutableCells(), from.cells,
                tensor.numElements() * r.cellBytes);
    agent.tensor(r) = std::move(tensor);
  });
  return success();
}

/// Writes a tensor's elements to a memref of its shape.
static void storeTensor(Agent &agent, const Access &access, Reg tensor,
                        Reg memref) {
  DenseOperand into;
  if (!into.read(agent, access, memref, /*isRead=*/false))
    return;
  if (ArrayRef<int64_t>(into.shape) !=
      ArrayRef<int64_t>(agent.tensor(tensor).shape)) {
    agent.fault(access.op, FaultKind::OutOfBounds,
                "the buffer has another shape than the tensor");
    return;
  }
  into.cells = agent.cells(tensor);
  into.write(agent, access, memref);
}

static LogicalResult translateToBuffer(ToBufferOp op, Translator &t) {
  auto type = dyn_cast<MemRefType>(op.getType());
  if (!type || !type.getLayout().isIdentity())
    return t.notModelled(op, "a buffer of this layout");
  Reg tensor = t.reg(op.getTensor()), r = t.reg(op.getResult());
  Access access = Access::get(op, t.domain(), tensor.kind);
  t.emit(op, [=](Agent &agent) {
    ArrayRef<int64_t> shape = agent.tensor(tensor).shape;
    int64_t count = agent.tensor(tensor).numElements();
    MemRefView view = agent.memRef(r);
    view.buffer(0) = agent.workgroup().privateBuffer(op, agent, tensor.kind,
                                                     count, /*isFresh=*/true);
    view.offset(0) = 0;
    Shape strides = rowMajorStrides(shape);
    for (size_t d = 0; d < shape.size(); ++d) {
      view.size(shape.size(), d, 0) = shape[d];
      view.stride(shape.size(), d, 0) = strides[d];
    }
    storeTensor(agent, access, tensor, r);
  });
  return success();
}

static LogicalResult translateMaterialize(MaterializeInDestinationOp op,
                                          Translator &t) {
  Reg source = t.reg(op.getSource()), dest = t.reg(op.getDest());
  if (dest.isTensor()) {
    t.copy(op, source, t.reg(op.getResult()));
    return success();
  }
  Access access = Access::get(op, t.domain(), source.kind);
  t.emit(op, [=](Agent &agent) { storeTensor(agent, access, source, dest); });
  return success();
}

static LogicalResult translateDealloc(DeallocTensorOp op, Translator &t) {
  return success();
}

void distaff::simt::registerBufferization(OpRegistry &registry) {
  registry.add<AllocTensorOp>(translateAllocTensor);
  registry.add<ToTensorOp>(translateToTensor);
  registry.add<ToBufferOp>(translateToBuffer);
  registry.add<MaterializeInDestinationOp>(translateMaterialize);
  registry.add<DeallocTensorOp>(translateDealloc);
}
