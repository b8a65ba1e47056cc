//===- SliceRules.cpp - Slices of each op ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Covers ops that compute element by element, read memory, or move elements. A
// rule defines which slices of the operands a slice of the result needs.
//
//===----------------------------------------------------------------------===//
#include "ContractionView.h"
#include "SliceIntrinsics.h"
#include "Slicer.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vectortiles;

static SmallVector<int64_t> longExtents(Type type) {
  SmallVector<int64_t> extents;
  if (auto vector = dyn_cast<VectorType>(type))
    for (int64_t extent : vector.getShape())
      if (extent != 1)
        extents.push_back(extent);
  return extents;
}

static bool isOfMemory(Value memory) {
  return isa<MemRefType>(memory.getType());
}

static bool hasFixedSizes(Operation *op) {
  return llvm::all_of(
      llvm::concat<Type>(op->getOperandTypes(), op->getResultTypes()),
      [](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return !vector || !vector.isScalable();
      });
}

bool vectortiles::isSliceable(Operation *op) {
  // A masked op belongs to its mask.
  if (!op || op->getNumResults() == 0 || !hasFixedSizes(op) ||
      isa<vector::MaskOp>(op->getParentOp()))
    return false;
  if (OpTrait::hasElementwiseMappableTraits(op))
    return op->getNumRegions() == 0 && isMemoryEffectFree(op);
  if (groupsOf(op) || elementwiseIntrinsicOf(op))
    return true;
  if (op->getNumResults() != 1)
    return false;
  if (isContraction(op))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<vector::TransferReadOp, vector::LoadOp, vector::MaskedLoadOp,
            vector::GatherOp, vector_ext::TransferGatherOp>(
          [](auto read) { return isOfMemory(read.getBase()); })
      .Case([](vector::ShapeCastOp cast) {
        return longExtents(cast.getSource().getType()) ==
               longExtents(cast.getType());
      })
      .Case([](vector::ExtractOp extract) {
        return isa<VectorType>(extract.getSource().getType());
      })
      .Case([](arith::ConstantOp constant) {
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        return dense && dense.isSplat();
      })
      .Case([](vector::OuterProductOp product) {
        return isa<VectorType>(product.getOperandTypeRHS());
      })
      .Case<ub::PoisonOp, vector::BroadcastOp, vector::TransposeOp,
            vector::ExtractStridedSliceOp, vector::CreateMaskOp,
            vector::ConstantMaskOp, vector::StepOp, vector::MultiDimReductionOp,
            vector::ReductionOp>([](auto) { return true; })
      .Default(false);
}

Value Slicer::computeByRule(Operation *op, Value vector, const Slice &part) {
  if (OpTrait::hasElementwiseMappableTraits(op))
    return elementwise(op, vector, part);
  if (groupsOf(op))
    return computeGroups(op, vector, part);
  if (elementwiseIntrinsicOf(op))
    return intrinsic(op, part);
  if (isContraction(op))
    return contract(op, part);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](vector::TransferReadOp op) { return transferRead(op, part); })
      .Case([&](vector::LoadOp op) { return load(op, part); })
      .Case([&](vector::MaskedLoadOp op) { return maskedLoad(op, part); })
      .Case([&](vector::GatherOp op) { return gather(op, part); })
      .Case([&](vector_ext::TransferGatherOp op) {
        return transferGather(op, part);
      })
      .Case([&](vector::BroadcastOp op) { return broadcast(op, part); })
      .Case([&](vector::TransposeOp op) { return transpose(op, part); })
      .Case([&](vector::ShapeCastOp op) { return shapeCast(op, part); })
      .Case([&](vector::ExtractOp op) { return extract(op, part); })
      .Case([&](vector::ExtractStridedSliceOp op) {
        return stridedSlice(op, part);
      })
      .Case([&](vector::CreateMaskOp op) { return createMask(op, part); })
      .Case([&](vector::ConstantMaskOp op) { return constantMask(op, part); })
      .Case([&](vector::StepOp op) { return step(op, part); })
      .Case([&](vector::OuterProductOp op) { return outerProduct(op, part); })
      .Case([&](vector::MultiDimReductionOp op) {
        return multiReduction(op, part);
      })
      .Case([&](vector::ReductionOp op) { return reduction(op); })
      .Case([&](vector::ScanOp op) {
        return vector == op.getDest() ? scan(op, part) : scanTotal(op, part);
      })
      .Default([&](Operation *op) { return constantOf(op, part); });
}

bool vectortiles::dividesIntegers(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Computes a slice of a result by the same op on slices of its operands.
Value Slicer::recreate(Operation *op, Value vector, ValueRange operands,
                       const Slice &part) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(typeOf(result, part));
  return builder
      .insert(Operation::create(op->getLoc(), op->getName(), types, operands,
                                op->getDiscardableAttrDictionary(),
                                op->getPropertiesStorage(), /*successors=*/{},
                                /*numRegions=*/0))
      ->getResult(cast<OpResult>(vector).getResultNumber());
}

Value Slicer::elementwise(Operation *op, Value vector, const Slice &part) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(slice(operand, part));
  if (dividesIntegers(op)) // elements outside may be zero
    operands[1] =
        padded(op->getLoc(), operands[1], part,
               SmallVector<bool>(part.sizes.size(), true),
               builder.getIntegerAttr(getElementTypeOrSelf(vector), 1));
  return recreate(op, vector, operands, part);
}

Value Slicer::constantOf(Operation *op, const Slice &part) {
  VectorType type = typeOf(op->getResult(0), part);
  if (isa<ub::PoisonOp>(op))
    return ub::PoisonOp::create(builder, op->getLoc(), type);
  auto splat = cast<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  return arith::ConstantOp::create(builder, op->getLoc(),
                                   splat.resizeSplat(type));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Slice vectortiles::sliceOfMask(AffineMap permutationMap, const Slice &part) {
  AffineMap ofMemory = inversePermutation(compressUnusedDims(permutationMap));
  Slice result;
  for (AffineExpr expr : ofMemory.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    result.offsets.push_back(part.offsets[dim]);
    result.sizes.push_back(part.sizes[dim]);
  }
  return result;
}

Value Slicer::zero(Location loc, Type element) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
}

Value Slicer::transferRead(vector::TransferReadOp op, const Slice &part) {
  AffineMap map = op.getPermutationMap();
  Slice ofMask = sliceOfMask(map, part);
  Value own = op.getMask() ? slice(op.getMask(), ofMask) : Value();
  Value mask = maskedInside(op.getLoc(), own, ofMask);
  Value padding = op.getPadding();
  if (mask && !own && !op.hasOutOfBoundsDim())
    padding = zero(op.getLoc(), op.getType().getElementType());
  return vector::TransferReadOp::create(
      builder, op.getLoc(), Type(typeOf(op, part)), op.getBase(),
      moved(op.getIndices(), map, part.offsets), op.getPermutationMapAttr(),
      padding, mask, op.getInBoundsAttr());
}

static AffineMap innermostDims(ValueRange indices, size_t rank,
                               MLIRContext *context) {
  return AffineMap::getMinorIdentityMap(indices.size(), rank, context);
}

Value Slicer::load(vector::LoadOp op, const Slice &part) {
  AffineMap map =
      innermostDims(op.getIndices(), part.sizes.size(), op.getContext());
  SmallVector<Value> indices = moved(op.getIndices(), map, part.offsets);
  Value inside = insideMask(op.getLoc(), part);
  if (!inside)
    return vector::LoadOp::create(builder, op.getLoc(), typeOf(op, part),
                                  op.getBase(), indices);
  return vector::TransferReadOp::create(
      builder, op.getLoc(), Type(typeOf(op, part)), op.getBase(), indices,
      AffineMapAttr::get(map),
      zero(op.getLoc(), op.getVectorType().getElementType()), inside,
      builder.getBoolArrayAttr(SmallVector<bool>(part.sizes.size(), true)));
}

Value Slicer::maskedLoad(vector::MaskedLoadOp op, const Slice &part) {
  AffineMap map =
      innermostDims(op.getIndices(), part.sizes.size(), op.getContext());
  Value mask = maskedInside(op.getLoc(), slice(op.getMask(), part), part);
  Value other = slice(op.getPassThru(), part);
  return vector::MaskedLoadOp::create(
      builder, op.getLoc(), typeOf(op, part), op.getBase(),
      moved(op.getIndices(), map, part.offsets), mask, other);
}

Value Slicer::gather(vector::GatherOp op, const Slice &part) {
  Value indices = slice(op.getIndices(), part);
  Value mask = maskedInside(op.getLoc(), slice(op.getMask(), part), part);
  Value other = slice(op.getPassThru(), part);
  return vector::GatherOp::create(builder, op.getLoc(), typeOf(op, part),
                                  op.getBase(), op.getOffsets(), indices, mask,
                                  other);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

Value Slicer::broadcast(vector::BroadcastOp op, const Slice &part) {
  Value source = op.getSource();
  if (auto type = dyn_cast<VectorType>(source.getType())) {
    Slice of;
    size_t added = part.sizes.size() - type.getRank();
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      bool isStretched = extent == 1;
      of.offsets.push_back(isStretched ? Offset() : part.offsets[added + dim]);
      of.sizes.push_back(isStretched ? 1 : part.sizes[added + dim]);
    }
    source = slice(source, of);
  }
  return vector::BroadcastOp::create(builder, op.getLoc(), typeOf(op, part),
                                     source);
}

Value Slicer::transpose(vector::TransposeOp op, const Slice &part) {
  Slice of = Slice::whole(part.sizes);
  for (auto [to, from] : llvm::enumerate(op.getPermutation())) {
    of.offsets[from] = part.offsets[to];
    of.sizes[from] = part.sizes[to];
  }
  return vector::TransposeOp::create(
      builder, op.getLoc(), slice(op.getVector(), of), op.getPermutation());
}

Value Slicer::shapeCast(vector::ShapeCastOp op, const Slice &part) {
  auto source = cast<VectorType>(op.getSource().getType());
  SmallVector<unsigned> longDims;
  for (auto [dim, extent] : llvm::enumerate(op.getType().getShape()))
    if (extent != 1)
      longDims.push_back(dim);
  Slice of = Slice::whole(source.getShape());
  size_t next = 0;
  for (auto [dim, extent] : llvm::enumerate(source.getShape())) {
    if (extent == 1)
      continue;
    unsigned same = longDims[next++];
    of.offsets[dim] = part.offsets[same];
    of.sizes[dim] = part.sizes[same];
  }
  return vector::ShapeCastOp::create(builder, op.getLoc(), typeOf(op, part),
                                     slice(op.getSource(), of));
}

Value Slicer::extract(vector::ExtractOp op, const Slice &part) {
  Slice of;
  for (OpFoldResult position : op.getMixedPosition()) {
    std::optional<int64_t> constant = getConstantIntValue(position);
    of.offsets.push_back(constant ? Offset{Value(), *constant}
                                  : Offset{cast<Value>(position)});
    of.sizes.push_back(1);
  }
  llvm::append_range(of.offsets, part.offsets);
  llvm::append_range(of.sizes, part.sizes);
  SmallVector<int64_t> zeros(op.getNumIndices(), 0);
  return vector::ExtractOp::create(builder, op.getLoc(),
                                   slice(op.getSource(), of), zeros);
}

Value Slicer::stridedSlice(vector::ExtractStridedSliceOp op,
                           const Slice &part) {
  Slice of = part;
  for (auto [offset, by] : llvm::zip(of.offsets, op.getOffsets()))
    offset = offset + cast<IntegerAttr>(by).getInt();
  return slice(op.getSource(), of);
}

//===----------------------------------------------------------------------===//
// Values computed from their position
//===----------------------------------------------------------------------===//

Value Slicer::createMask(vector::CreateMaskOp op, const Slice &part) {
  SmallVector<Value> bounds;
  for (auto [bound, offset] : llvm::zip_equal(op.getOperands(), part.offsets))
    bounds.push_back(offset.isZero()
                         ? bound
                         : arith::SubIOp::create(builder, op.getLoc(), bound,
                                                 valueOf(offset)));
  return vector::CreateMaskOp::create(builder, op.getLoc(),
                                      Type(typeOf(op, part)), bounds);
}

Value Slicer::constantMask(vector::ConstantMaskOp op, const Slice &part) {
  // The mask is empty if one dim has no elements.
  bool isEmpty = llvm::is_contained(op.getMaskDimSizes(), 0);
  SmallVector<Value> bounds;
  for (auto [bound, offset] :
       llvm::zip_equal(op.getMaskDimSizes(), part.offsets)) {
    Value most = valueOf({Value(), isEmpty ? 0 : bound});
    bounds.push_back(offset.isZero()
                         ? most
                         : arith::SubIOp::create(builder, op.getLoc(), most,
                                                 valueOf(offset)));
  }
  return vector::CreateMaskOp::create(builder, op.getLoc(),
                                      Type(typeOf(op, part)), bounds);
}

Value Slicer::step(vector::StepOp op, const Slice &part) {
  VectorType type = typeOf(op, part);
  Value first = vector::StepOp::create(builder, op.getLoc(), type);
  if (part.offsets.front().isZero())
    return first;
  Value by = vector::BroadcastOp::create(builder, op.getLoc(), type,
                                         valueOf(part.offsets.front()));
  return arith::AddIOp::create(builder, op.getLoc(), first, by);
}
