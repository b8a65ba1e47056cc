//===- PhaseSlices.cpp - Slices that phases read and write ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseSlices.h"

#include "MovedOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Records the accesses of an op on vectors to memrefs; returns false if it may
/// have other effects.
static bool noteMemrefs(Operation *op, PhaseSlices &memory) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (Value value = effect.getValue();
        !value || !isa<MemRefType>(value.getType()) ||
        !isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
      return false;
  for (const MemoryEffects::EffectInstance &effect : effects)
    (isa<MemoryEffects::Read>(effect.getEffect()) ? memory.readMemrefs
                                                  : memory.writtenMemrefs)
        .insert(effect.getValue());
  return true;
}

PhaseSlices PhaseSlices::of(RunClusterOp phase) {
  PhaseSlices memory;
  phase.getBody().walk([&](Operation *op) {
    auto write = dyn_cast<WriteSliceOp>(op);
    if (write && !isa<MemRefType>(write.getSource().getType()))
      memory.writes.push_back(write);
    else if (auto read = dyn_cast<ReadSliceOp>(op))
      memory.reads.push_back(read);
    else if (isa<GetMemrefOp>(op))
      memory.unknown = memory.unknown ? memory.unknown : op;
    else if (bool isItsRegions =
                 op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>() &&
                 !isa<MemoryEffectOpInterface>(op);
             !isItsRegions && !isMemoryEffectFree(op) &&
             !noteMemrefs(op, memory))
      memory.unknown = memory.unknown ? memory.unknown : op;
  });
  return memory;
}

SmallVector<WriteSliceOp> PhaseSlices::writesTo(Value ref) const {
  return llvm::filter_to_vector(writes, [&](WriteSliceOp write) {
    return getViewedRef(write.getDest()) == ref;
  });
}

SmallVector<ReadSliceOp> PhaseSlices::readsOf(Value ref) const {
  return llvm::filter_to_vector(reads, [&](ReadSliceOp read) {
    return getViewedRef(read.getSource()) == ref;
  });
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
/// Describes a dimension of a box, and its dynamic position if it is one
/// element at a position that is no constant.
struct BoxDim {
  int64_t offset = 0, size = 0;
  bool isExact = true;
  Value position;
};
using BoxDims = SmallVector<BoxDim>;
} // namespace

/// Returns an extent, or a number above all extents for a dynamic one.
static int64_t boundExtent(int64_t extent) {
  return ShapedType::isDynamic(extent) ? std::numeric_limits<int64_t>::max() / 2
                                       : extent;
}

/// Returns the elements that a slice has in one dimension of `extent` elements.
static BoxDim sliceDim(OpFoldResult offset, OpFoldResult size,
                       OpFoldResult stride, int64_t extent) {
  std::optional<int64_t> at = getConstantIntValue(offset),
                         count = getConstantIntValue(size),
                         step = getConstantIntValue(stride);
  // With a negative stride the offset is that of the last element in memory.
  if (at && count && step && *step > 0)
    return {*at, *count > 0 ? (*count - 1) * *step + 1 : 0, *step == 1,
            Value()};
  BoxDim all{0, boundExtent(extent), false, Value()};
  if (count && *count == 1)
    all.position = dyn_cast<Value>(offset);
  return all;
}

/// Composes two slices in one dimension: `inner` is a part of `outer`.
static BoxDim compose(const BoxDim &outer, const BoxDim &inner) {
  // One element has no smaller part.
  if (outer.position)
    return outer;
  if (!outer.isExact)
    return {outer.offset, outer.size, false, Value()};
  if (inner.position && outer.offset == 0)
    return {0, outer.size, false, inner.position};
  return {outer.offset + inner.offset, inner.size, inner.isExact, Value()};
}

/// Returns the whole of a ref.
static BoxDims wholeOf(SRefType type, bool isExact) {
  return llvm::map_to_vector(type.getShape(), [&](int64_t extent) {
    return BoxDim{0, boundExtent(extent), isExact, Value()};
  });
}

static BoxDims sliceOf(OffsetSizeAndStrideOpInterface slice, SRefType of) {
  BoxDims dims;
  for (auto [offset, size, stride, extent] :
       llvm::zip_equal(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides(), of.getShape()))
    dims.push_back(sliceDim(offset, size, stride, extent));
  return dims;
}

/// Returns a box of a view as a box of the viewed memory.
static BoxDims throughView(SubviewOp view, const BoxDims &box) {
  BoxDims dims = sliceOf(view, view.getSource().getType());
  llvm::SmallBitVector dropped = view.getDroppedDims();
  unsigned next = 0;
  for (auto [number, dim] : llvm::enumerate(dims))
    if (!dropped.test(number))
      dim = compose(dim, box[next++]);
  return dims;
}

static BoxDims getDims(OffsetSizeAndStrideOpInterface slice, Value ref) {
  BoxDims dims = sliceOf(slice, cast<SRefType>(ref.getType()));
  while (Operation *definition = ref.getDefiningOp()) {
    if (auto view = dyn_cast<SubviewOp>(definition)) {
      dims = throughView(view, dims);
      ref = view.getSource();
    } else if (auto view = dyn_cast<ExpandShapeOp>(definition)) {
      bool isWhole = llvm::all_of(
          llvm::zip_equal(dims, view.getResult().getType().getShape()),
          [](auto pair) {
            auto [dim, extent] = pair;
            return dim.isExact && dim.offset == 0 && dim.size == extent;
          });
      ref = view.getSource();
      dims = wholeOf(cast<SRefType>(ref.getType()), isWhole);
    } else {
      break;
    }
  }
  return dims;
}

static ElementBox makeBox(const BoxDims &dims) {
  ElementBox box;
  for (const BoxDim &dim : dims) {
    box.offsets.push_back(dim.offset);
    box.sizes.push_back(dim.size);
    box.isExact &= dim.isExact;
  }
  return box;
}

ElementBox ElementBox::of(ReadSliceOp read) {
  return makeBox(getDims(read, read.getSource()));
}

ElementBox ElementBox::of(WriteSliceOp write) {
  return makeBox(getDims(write, write.getDest()));
}

bool pcf::isCovered(const ElementBox &box, ArrayRef<ElementBox> by) {
  if (box.isEmpty())
    return true;
  if (by.empty())
    return false;
  const ElementBox &first = by.front();
  ArrayRef<ElementBox> others = by.drop_front();
  if (!first.isExact)
    return isCovered(box, others);
  // Elements past the first box, on one side of one dimension, must be in the
  // others; continue with the rest.
  ElementBox rest = box;
  for (unsigned dim : llvm::seq<unsigned>(0, rest.sizes.size())) {
    int64_t begin = rest.offsets[dim], end = begin + rest.sizes[dim];
    int64_t from = std::clamp(first.offsets[dim], begin, end);
    int64_t to = std::clamp(first.offsets[dim] + first.sizes[dim], from, end);
    for (auto [low, high] : {std::pair(begin, from), std::pair(to, end)}) {
      ElementBox outside = rest;
      outside.offsets[dim] = low;
      outside.sizes[dim] = high - low;
      if (!isCovered(outside, others))
        return false;
    }
    rest.offsets[dim] = from;
    rest.sizes[dim] = to - from;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Returns a position as `base + offset`; without a base it is a constant.
static std::pair<Value, int64_t> splitOffset(Value position) {
  int64_t offset = 0;
  while (auto add = position.getDefiningOp<arith::AddIOp>()) {
    APInt constant;
    Value rest = add.getLhs();
    if (!matchPattern(add.getRhs(), m_ConstantInt(&constant))) {
      rest = add.getRhs();
      if (!matchPattern(add.getLhs(), m_ConstantInt(&constant)))
        break;
    }
    // A result below 0 would wrap around.
    if (constant.isNegative())
      break;
    position = rest;
    offset += constant.getSExtValue();
  }
  return {position, offset};
}

/// Returns whether two positions are `(i + a) mod d` and `(i + b) mod d`, with
/// a and b different mod d.
static bool areDifferentSlots(Value a, Value b) {
  auto remA = a.getDefiningOp<arith::RemUIOp>(),
       remB = b.getDefiningOp<arith::RemUIOp>();
  APInt slots, others;
  if (!remA || !remB || !matchPattern(remA.getRhs(), m_ConstantInt(&slots)) ||
      !matchPattern(remB.getRhs(), m_ConstantInt(&others)) || slots != others ||
      slots.isZero())
    return false;
  auto [baseA, offsetA] = splitOffset(remA.getLhs());
  auto [baseB, offsetB] = splitOffset(remB.getLhs());
  return areEqual(baseA, baseB) &&
         (offsetA - offsetB) % slots.getSExtValue() != 0;
}

bool pcf::areDisjoint(ReadSliceOp read, WriteSliceOp write) {
  return areDisjoint(read, read.getSource(), write, write.getDest());
}

bool pcf::areDisjoint(OffsetSizeAndStrideOpInterface sliceA, Value refA,
                      OffsetSizeAndStrideOpInterface sliceB, Value refB) {
  for (auto [a, b] :
       llvm::zip_equal(getDims(sliceA, refA), getDims(sliceB, refB))) {
    if (a.position && b.position && areDifferentSlots(a.position, b.position))
      return true;
    if (a.offset + a.size <= b.offset || b.offset + b.size <= a.offset)
      return true;
  }
  return false;
}
