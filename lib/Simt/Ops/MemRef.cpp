//===- MemRef.cpp - memref operations on descriptors ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, views and casts. A descriptor holds, per lane, the number of the
// buffer, the offset of the first element in it, sizes and strides.
//
// Workgroup memory is one buffer per op and workgroup; everything else that a
// kernel allocates is private to each lane: one buffer with a part per lane.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "../Machine/Pointer.h"
#include "MemRefViews.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

static SmallVector<Reg> indexRegisters(ArrayRef<OpFoldResult> values,
                                       Translator &t) {
  return llvm::map_to_vector(
      values, [&](OpFoldResult v) { return t.indexRegister(v); });
}

static SmallVector<Reg> sizesOf(MemRefType type, ValueRange dynamicSizes,
                                Translator &t) {
  SmallVector<Reg> sizes;
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      sizes.push_back(t.indexConstant(extent));
      continue;
    }
    sizes.push_back(t.reg(dynamicSizes.front()));
    dynamicSizes = dynamicSizes.drop_front();
  }
  return sizes;
}

/// Returns the start of the lane's part of a buffer, in elements of `kind`.
static int64_t baseOf(Agent &agent, int64_t buffer, Kind kind, int64_t lane) {
  const Buffer &memory = agent.workgroup().buffer(buffer);
  if (memory.space != Buffer::Space::Private)
    return 0;
  int64_t bytes = memory.elements / agent.lanes() * memory.kind.bytes();
  return lane * bytes / kind.bytes();
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static bool isWorkgroupMemory(MemRefType type) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

/// Writes sizes and row-major strides; returns the number of elements.
int64_t simt::setRowMajor(Agent &agent, Reg r, ArrayRef<int64_t> shape,
                          int64_t lane) {
  MemRefView view = agent.memRef(r);
  int64_t rank = shape.size(), stride = 1;
  for (int64_t d = rank; d-- > 0;) {
    view.size(rank, d, lane) = shape[d];
    view.stride(rank, d, lane) = stride;
    stride *= shape[d];
  }
  return stride;
}

template <typename Op>
static LogicalResult translateAlloc(Op op, Translator &t) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity() || !op.getSymbolOperands().empty())
    return t.notModelled(op, "an allocation with a layout");
  Reg r = t.reg(op.getResult());
  SmallVector<Reg> sizes = sizesOf(type, op.getDynamicSizes(), t);
  bool inWorkgroup = isWorkgroupMemory(type),
       isFresh = std::is_same_v<Op, memref::AllocOp>;
  t.emit(op, [=](Agent &agent) {
    SmallVector<int64_t, 4> shape;
    int64_t first = llvm::countr_zero(agent.mask()), elements = 1;
    for (Reg size : sizes)
      shape.push_back(std::max<int64_t>(0, agent.integer(size, first)));
    // Private memory has a part for each lane.
    if (!agent.mayAllocate(op, shape, r.kind.bytes() * agent.lanes()))
      return;
    for (int64_t l = 0; l < agent.lanes(); ++l)
      elements = setRowMajor(agent, r, shape, l);
    Workgroup &group = agent.workgroup();
    int64_t buffer =
        inWorkgroup ? group.sharedBuffer(op, agent, r.kind, elements)
                    : group.privateBuffer(op, agent, r.kind, elements, isFresh);
    group.buffer(buffer).shape.assign(shape.begin(), shape.end());
    MemRefView view = agent.memRef(r);
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      view.buffer(l) = buffer;
      view.offset(l) = inWorkgroup ? 0 : l * elements;
    }
  });
  return success();
}

static LogicalResult translateDealloc(memref::DeallocOp op, Translator &t) {
  Reg memref = t.reg(op.getMemref());
  t.emit(op, [=](Agent &agent) {
    int64_t buffer =
        agent.memRef(memref).buffer(llvm::countr_zero(agent.mask()));
    Workgroup &group = agent.workgroup();
    // Workgroup memory lasts as long as the workgroup.
    if (group.buffer(buffer).space == Buffer::Space::Private &&
        agent.allActive())
      group.freeBuffer(buffer);
  });
  return success();
}

static LogicalResult translateGetGlobal(memref::GetGlobalOp op, Translator &t) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  if (!global)
    return t.notModelled(op, "a global array that is not in the module");
  Reg r = t.reg(op.getResult());
  MemRefType type = global.getType();
  if (!isWorkgroupMemory(type)) {
    t.useGlobal(global, r);
    return success();
  }
  SmallVector<int64_t> shape(type.getShape());
  t.emit(op, [=](Agent &agent) {
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      int64_t elements = setRowMajor(agent, r, shape, l);
      agent.memRef(r).buffer(l) =
          agent.workgroup().sharedBuffer(global, agent, r.kind, elements);
      agent.memRef(r).offset(l) = 0;
    }
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static void takeSlices(Operation *op, Agent &agent, Reg source, Reg r,
                       ArrayRef<ViewedDimension> slices) {
  MemRefView from = agent.memRef(source), to = agent.memRef(r);
  int64_t rank = source.memRefRank(), newRank = r.memRefRank();
  for (int64_t l = 0; l < agent.lanes(); ++l) {
    int64_t offset = from.offset(l), kept = 0;
    // An empty view may begin anywhere.
    bool isChecked = agent.mask() >> l & 1;
    for (const ViewedDimension &slice : slices)
      isChecked &= agent.integer(slice.size, l) > 0;
    for (auto [d, slice] : llvm::enumerate(slices)) {
      int64_t start = agent.integer(slice.offset, l),
              size = agent.integer(slice.size, l);
      int64_t step = agent.integer(slice.stride, l),
              extent = from.size(rank, d, l);
      int64_t last = start + (size - 1) * step;
      if (isChecked &&
          (std::min(start, last) < 0 || std::max(start, last) >= extent))
        return agent.fault(op, FaultKind::OutOfBounds,
                           agent.describe(l) + " takes elements " +
                               Twine(start) + " to " + Twine(last) +
                               " of dimension " + Twine(d) +
                               ", whose extent is " + Twine(extent),
                           agent.placeOf(l));
      offset += start * from.stride(rank, d, l);
      if (slice.isDropped)
        continue;
      to.size(newRank, kept, l) = size;
      to.stride(newRank, kept, l) = step * from.stride(rank, d, l);
      ++kept;
    }
    to.buffer(l) = from.buffer(l);
    to.offset(l) = offset;
  }
}

SmallVector<ViewedDimension>
simt::viewedDimensions(OffsetSizeAndStrideOpInterface op,
                       llvm::SmallBitVector dropped, Translator &t) {
  SmallVector<Reg> offsets = indexRegisters(op.getMixedOffsets(), t),
                   sizes = indexRegisters(op.getMixedSizes(), t),
                   strides = indexRegisters(op.getMixedStrides(), t);
  SmallVector<ViewedDimension> dimensions;
  for (size_t d = 0; d < offsets.size(); ++d)
    dimensions.push_back({offsets[d], sizes[d], strides[d], dropped.test(d)});
  return dimensions;
}

void simt::emitSliceView(Operation *op, Reg source, Reg r,
                         SmallVector<ViewedDimension> dimensions,
                         Translator &t) {
  t.emit(op,
         [=](Agent &agent) { takeSlices(op, agent, source, r, dimensions); });
}

/// Returns the static unit dimensions that a view's type drops. MLIR 22.1.8
/// compares strides, and fails for dynamic ones.
static llvm::SmallBitVector droppedUnits(memref::SubViewOp op) {
  ArrayRef<int64_t> sizes = op.getStaticSizes(), kept = op.getType().getShape();
  llvm::SmallBitVector dropped(sizes.size());
  for (size_t d = 0, next = 0; d < sizes.size(); ++d) {
    bool stays = next < kept.size() && kept[next] == sizes[d];
    dropped[d] = !stays;
    next += stays;
  }
  return dropped;
}

static LogicalResult translateSubView(memref::SubViewOp op, Translator &t) {
  emitSliceView(op, t.reg(op.getSource()), t.reg(op.getResult()),
                viewedDimensions(op, droppedUnits(op), t), t);
  return success();
}

static LogicalResult translateReinterpretCast(memref::ReinterpretCastOp op,
                                              Translator &t) {
  Reg source = t.reg(op.getSource()), r = t.reg(op.getResult());
  Reg offset = t.indexRegister(op.getMixedOffsets().front());
  SmallVector<Reg> sizes = indexRegisters(op.getMixedSizes(), t),
                   strides = indexRegisters(op.getMixedStrides(), t);
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source), to = agent.memRef(r);
    int64_t rank = r.memRefRank();
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      int64_t buffer = from.buffer(l);
      to.buffer(l) = buffer;
      to.offset(l) =
          baseOf(agent, buffer, r.kind, l) + agent.integer(offset, l);
      for (int64_t d = 0; d < rank; ++d) {
        to.size(rank, d, l) = agent.integer(sizes[d], l);
        to.stride(rank, d, l) = agent.integer(strides[d], l);
      }
    }
  });
  return success();
}

/// Translates a view of a memref of bytes as another type.
static LogicalResult translateView(memref::ViewOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), r = t.reg(op.getResult());
  Reg shift = t.reg(op.getByteShift());
  if (!t.domain().mayReinterpretMemory())
    return t.notModelled(op, "bytes seen as another type in this domain");
  SmallVector<Reg> sizes = sizesOf(op.getType(), op.getSizes(), t);
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source), to = agent.memRef(r);
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      SmallVector<int64_t, 4> shape;
      for (Reg size : sizes)
        shape.push_back(agent.integer(size, l));
      setRowMajor(agent, r, shape, l);
      int64_t byte = from.offset(l) + agent.integer(shift, l);
      to.buffer(l) = from.buffer(l);
      to.offset(l) = byte / r.kind.bytes();
      if ((agent.mask() >> l & 1) && byte % r.kind.bytes() != 0)
        return agent.fault(op, FaultKind::Misaligned,
                           agent.describe(l) + " views byte " + Twine(byte) +
                               " as an element of " + Twine(r.kind.bytes()) +
                               " bytes",
                           agent.placeOf(l));
    }
  });
  return success();
}

static LogicalResult translateTranspose(memref::TransposeOp op, Translator &t) {
  Reg source = t.reg(op.getIn()), r = t.reg(op.getResult());
  SmallVector<unsigned> order;
  for (AffineExpr expression : op.getPermutation().getResults())
    order.push_back(cast<AffineDimExpr>(expression).getPosition());
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source), to = agent.memRef(r);
    int64_t rank = r.memRefRank();
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      to.buffer(l) = from.buffer(l);
      to.offset(l) = from.offset(l);
      for (int64_t d = 0; d < rank; ++d) {
        to.size(rank, d, l) = from.size(rank, order[d], l);
        to.stride(rank, d, l) = from.stride(rank, order[d], l);
      }
    }
  });
  return success();
}

void simt::emitExpandView(Operation *op, Reg source, Reg r,
                          ArrayRef<OpFoldResult> outputShape,
                          SmallVector<ReassociationIndices> groups,
                          Translator &t) {
  SmallVector<Reg> sizes = indexRegisters(outputShape, t);
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source), to = agent.memRef(r);
    int64_t rank = source.memRefRank(), newRank = r.memRefRank();
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      to.buffer(l) = from.buffer(l);
      to.offset(l) = from.offset(l);
      for (int64_t d = 0; d < newRank; ++d) // the source has rank 0
        to.size(newRank, d, l) = to.stride(newRank, d, l) = 1;
      for (auto [g, group] : llvm::enumerate(groups)) {
        int64_t stride = from.stride(rank, g, l);
        for (int64_t d : llvm::reverse(group)) {
          to.size(newRank, d, l) = agent.integer(sizes[d], l);
          to.stride(newRank, d, l) = stride;
          stride *= to.size(newRank, d, l);
        }
      }
    }
  });
}

static LogicalResult translateExpandMemRef(memref::ExpandShapeOp op,
                                           Translator &t) {
  emitExpandView(op, t.reg(op.getSrc()), t.reg(op.getResult()),
                 op.getMixedOutputShape(), op.getReassociationIndices(), t);
  return success();
}

static LogicalResult translateCollapseMemRef(memref::CollapseShapeOp op,
                                             Translator &t) {
  Reg source = t.reg(op.getSrc()), r = t.reg(op.getResult());
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source), to = agent.memRef(r);
    int64_t rank = source.memRefRank(), newRank = r.memRefRank();
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      to.buffer(l) = from.buffer(l);
      to.offset(l) = from.offset(l);
      for (auto [g, group] : llvm::enumerate(groups)) {
        // The stride of a dimension of extent 1 is arbitrary.
        int64_t size = 1, stride = 1;
        for (int64_t d : llvm::reverse(group)) {
          if (size == 1)
            stride = from.stride(rank, d, l);
          size *= from.size(rank, d, l);
        }
        to.size(newRank, g, l) = size;
        to.stride(newRank, g, l) = stride;
      }
    }
  });
  return success();
}

static LogicalResult translateAssumeAlignment(memref::AssumeAlignmentOp op,
                                              Translator &t) {
  Reg source = t.reg(op.getMemref()), r = t.reg(op.getResult());
  int64_t alignment = op.getAlignment();
  t.emit(op, [=](Agent &agent) {
    MemRefView view = agent.memRef(source);
    forEachLane(agent.mask(), [&](int64_t l) {
      if (agent.status() != Agent::Status::Faulted)
        agent.checkAddress(op, agent.workgroup().buffer(view.buffer(l)), l,
                           view.offset(l) * source.kind.bytes(), alignment);
    });
    agent.copy(source, r);
  });
  return success();
}

/// Casts change the type, not the descriptor.
template <typename Op>
static LogicalResult translateMemRefCast(Op op, Translator &t) {
  t.copy(op, t.reg(op->getOperand(0)), t.reg(op->getResult(0)));
  return success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

static LogicalResult translateDim(memref::DimOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), index = t.reg(op.getIndex()),
      r = t.reg(op.getResult());
  int64_t rank = source.memRefRank();
  t.emit(op, [=](Agent &agent) {
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      int64_t d = agent.integer(index, l);
      agent.setInteger(
          r, d >= 0 && d < rank ? agent.memRef(source).size(rank, d, l) : 0, l);
    }
  });
  return success();
}

static LogicalResult translateRank(memref::RankOp op, Translator &t) {
  t.setConstant(t.reg(op.getResult()), 0, t.reg(op.getMemref()).memRefRank());
  return success();
}

static LogicalResult translateMetadata(memref::ExtractStridedMetadataOp op,
                                       Translator &t) {
  Reg source = t.reg(op.getSource()), base = t.reg(op.getBaseBuffer()),
      offset = t.reg(op.getOffset());
  auto registers = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return t.reg(v); });
  };
  SmallVector<Reg> sizes = registers(op.getSizes()),
                   strides = registers(op.getStrides());
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source), to = agent.memRef(base);
    int64_t rank = source.memRefRank();
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      int64_t start = baseOf(agent, from.buffer(l), base.kind, l);
      to.buffer(l) = from.buffer(l);
      to.offset(l) = start;
      agent.setInteger(offset, from.offset(l) - start, l);
      for (int64_t d = 0; d < rank; ++d) {
        agent.setInteger(sizes[d], from.size(rank, d, l), l);
        agent.setInteger(strides[d], from.stride(rank, d, l), l);
      }
    }
  });
  return success();
}

/// Translates the address that the descriptor's offset is relative to.
static LogicalResult
translateAlignedPointer(memref::ExtractAlignedPointerAsIndexOp op,
                        Translator &t) {
  Reg source = t.reg(op.getSource()), r = t.reg(op.getAlignedPointer());
  t.emit(op, [=](Agent &agent) {
    MemRefView from = agent.memRef(source);
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      int64_t start = baseOf(agent, from.buffer(l), source.kind, l);
      agent.setInteger(
          r, Pointer::encode(from.buffer(l), start * source.kind.bytes()), l);
    }
  });
  return success();
}

void distaff::simt::registerMemRef(OpRegistry &registry) {
  registry.add(translateAlloc<memref::AllocOp>);
  registry.add(translateAlloc<memref::AllocaOp>);
  registry.add<memref::DeallocOp>(translateDealloc);
  registry.add<memref::GetGlobalOp>(translateGetGlobal);
  registry.add<memref::SubViewOp>(translateSubView);
  registry.add<memref::ReinterpretCastOp>(translateReinterpretCast);
  registry.add<memref::ViewOp>(translateView);
  registry.add<memref::TransposeOp>(translateTranspose);
  registry.add<memref::ExpandShapeOp>(translateExpandMemRef);
  registry.add<memref::CollapseShapeOp>(translateCollapseMemRef);
  registry.add(translateMemRefCast<memref::CastOp>);
  registry.add(translateMemRefCast<memref::MemorySpaceCastOp>);
  registry.add<memref::AssumeAlignmentOp>(translateAssumeAlignment);
  registry.add<memref::DimOp>(translateDim);
  registry.add<memref::RankOp>(translateRank);
  registry.add<memref::ExtractStridedMetadataOp>(translateMetadata);
  registry.add<memref::ExtractAlignedPointerAsIndexOp>(translateAlignedPointer);
}
