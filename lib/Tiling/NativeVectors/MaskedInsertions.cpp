//===- MaskedInsertions.cpp - Insertions as selects -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inserted part is widened op by op, at the place of each op, so that a
// read sees the same memory as the original one.
//
//===----------------------------------------------------------------------===//
#include "MaskedInsertions.h"
#include "Slicer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace distaff;
using namespace distaff::vectortiles;

Insertion vectortiles::insertionOf(Operation *op) {
  Builder b(op->getContext());
  if (auto slice = dyn_cast<vector::InsertStridedSliceOp>(op)) {
    SmallVector<OpFoldResult> offsets;
    for (Attribute offset : slice.getOffsets())
      offsets.push_back(b.getIndexAttr(cast<IntegerAttr>(offset).getInt()));
    return {slice.getValueToStore(), offsets};
  }
  auto insert = cast<vector::InsertOp>(op);
  SmallVector<OpFoldResult> position;
  for (OpFoldResult index : insert.getMixedPosition()) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    position.push_back(constant ? OpFoldResult(b.getIndexAttr(*constant))
                                : index);
  }
  return {insert.getValueToStore(), position};
}

namespace {
/// A part range is the range of the part along one dim of the whole.
struct PartRange {
  OpFoldResult offset;
  int64_t size, extent;
};

/// Maps each dim of a value to a dim of the part; none for a dim that stays as
/// it is.
using DimsOfPart = SmallVector<std::optional<unsigned>, 4>;

/// Computes the values that a part depends on at the size of the whole.
class WidePart {
public:
  explicit WidePart(ArrayRef<PartRange> ranges) : ranges(ranges) {}

  Value widen(Value value, const DimsOfPart &dims);

private:
  Value compute(Operation *op, const DimsOfPart &dims);
  Value read(vector::TransferReadOp op, const DimsOfPart &dims);
  Value broadcast(vector::BroadcastOp op, const DimsOfPart &dims);
  Value transpose(vector::TransposeOp op, const DimsOfPart &dims);
  Value createMask(vector::CreateMaskOp op, const DimsOfPart &dims);
  Value elementwise(Operation *op, const DimsOfPart &dims);
  /// Returns the range of a dim of an op's result.
  PartRange rangeOf(Operation *op, const DimsOfPart &dims, unsigned dim) const;
  VectorType typeOf(Operation *op, const DimsOfPart &dims) const;

  ArrayRef<PartRange> ranges;
  std::map<std::pair<void *, DimsOfPart>, Value> known;
};
} // namespace

/// Returns the mask of the elements in some ranges.
static Value maskOf(OpBuilder &b, Location loc, ArrayRef<PartRange> ranges) {
  SmallVector<Value> whole, ends;
  SmallVector<int64_t> shape;
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  for (const PartRange &range : ranges) {
    shape.push_back(range.extent);
    whole.push_back(arith::ConstantIndexOp::create(b, loc, range.extent));
    ends.push_back(getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(b, loc, s0 + range.size,
                                              {range.offset})));
  }
  auto type = VectorType::get(shape, b.getI1Type());
  Value mask = vector::CreateMaskOp::create(b, loc, type, ends);
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (auto [dim, range] : llvm::enumerate(ranges)) {
    if (isZeroInteger(range.offset))
      continue;
    SmallVector<Value> bounds = whole;
    bounds[dim] = getValueOrCreateConstantIndexOp(b, loc, range.offset);
    Value before = vector::CreateMaskOp::create(b, loc, type, bounds);
    mask = arith::SelectOp::create(b, loc, before, none, mask);
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// Legality of widening
//===----------------------------------------------------------------------===//

static bool canWiden(Value value, Operation *insertion, Hazards &hazards) {
  if (!isa<VectorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || isa<vector::MaskOp>(op->getParentOp()))
    return false;
  auto canWidenAll = [&] {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return canWiden(operand, insertion, hazards);
    });
  };
  // Elements outside of the part may be zero divisors.
  if (OpTrait::hasElementwiseMappableTraits(op))
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           !dividesIntegers(op) && canWidenAll();
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](vector::TransferReadOp read) {
        return isa<MemRefType>(read.getBase().getType()) && canWidenAll() &&
               !hazards.isWrittenBetween(read, insertion, read.getBase());
      })
      .Case([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case<vector::BroadcastOp, vector::TransposeOp>(
          [&](auto) { return canWidenAll(); })
      .Case<vector::CreateMaskOp, ub::PoisonOp>([](auto) { return true; })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Wide values
//===----------------------------------------------------------------------===//

PartRange WidePart::rangeOf(Operation *op, const DimsOfPart &dims,
                            unsigned dim) const {
  if (std::optional<unsigned> ofPart = dims[dim])
    return ranges[*ofPart];
  int64_t extent = cast<VectorType>(op->getResult(0).getType()).getDimSize(dim);
  return {Builder(op->getContext()).getIndexAttr(0), extent, extent};
}

VectorType WidePart::typeOf(Operation *op, const DimsOfPart &dims) const {
  SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    shape.push_back(rangeOf(op, dims, dim).extent);
  return VectorType::get(shape, getElementTypeOrSelf(op->getResult(0)));
}

Value WidePart::widen(Value value, const DimsOfPart &dims) {
  if (!isa<VectorType>(value.getType()) ||
      llvm::all_of(dims, [&](std::optional<unsigned> dim) { return !dim; }))
    return value;
  Value &wide = known[{value.getAsOpaquePointer(), dims}];
  if (!wide) {
    Value computed = compute(value.getDefiningOp(), dims);
    wide = computed;
  }
  return wide;
}

Value WidePart::compute(Operation *op, const DimsOfPart &dims) {
  OpBuilder b(op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](vector::TransferReadOp op) { return read(op, dims); })
      .Case([&](vector::BroadcastOp op) { return broadcast(op, dims); })
      .Case([&](vector::TransposeOp op) { return transpose(op, dims); })
      .Case([&](vector::CreateMaskOp op) { return createMask(op, dims); })
      .Case([&](ub::PoisonOp op) {
        return ub::PoisonOp::create(b, op.getLoc(), typeOf(op, dims));
      })
      .Case([&](arith::ConstantOp op) {
        auto splat = cast<SplatElementsAttr>(op.getValue());
        return arith::ConstantOp::create(b, op.getLoc(),
                                         splat.resizeSplat(typeOf(op, dims)));
      })
      .Default([&](Operation *op) { return elementwise(op, dims); });
}

Value WidePart::read(vector::TransferReadOp op, const DimsOfPart &dims) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  AffineMap map = op.getPermutationMap();
  SmallVector<Value> indices(op.getIndices());
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto ofMemory = dyn_cast<AffineDimExpr>(expr)) {
      Value &index = indices[ofMemory.getPosition()];
      index = getValueOrCreateConstantIndexOp(
          b, loc,
          affine::makeComposedFoldedAffineApply(
              b, loc, s0 - s1,
              {getAsOpFoldResult(index), rangeOf(op, dims, dim).offset}));
    }
  // A mask has the dims of memory.
  SmallVector<PartRange> ofMask;
  DimsOfPart dimsOfMask;
  for (AffineExpr expr :
       inversePermutation(compressUnusedDims(map)).getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    ofMask.push_back(rangeOf(op, dims, dim));
    dimsOfMask.push_back(dims[dim]);
  }
  Value mask = maskOf(b, loc, ofMask);
  if (op.getMask())
    mask = arith::AndIOp::create(b, loc, mask, widen(op.getMask(), dimsOfMask));
  return vector::TransferReadOp::create(
      b, loc, Type(typeOf(op, dims)), op.getBase(), indices,
      op.getPermutationMapAttr(), op.getPadding(), mask, op.getInBoundsAttr());
}

Value WidePart::broadcast(vector::BroadcastOp op, const DimsOfPart &dims) {
  Value source = op.getSource();
  if (auto type = dyn_cast<VectorType>(source.getType())) {
    DimsOfPart ofSource(
        ArrayRef(dims).take_back(type.getRank())); // innermost dims
    for (auto [dim, extent] : llvm::zip_equal(ofSource, type.getShape()))
      if (extent == 1)
        dim.reset();
    source = widen(source, ofSource);
  }
  OpBuilder b(op);
  return vector::BroadcastOp::create(b, op.getLoc(), typeOf(op, dims), source);
}

Value WidePart::transpose(vector::TransposeOp op, const DimsOfPart &dims) {
  DimsOfPart ofSource(dims.size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    ofSource[from] = dims[to];
  OpBuilder b(op);
  return vector::TransposeOp::create(
      b, op.getLoc(), widen(op.getVector(), ofSource), op.getPermutation());
}

Value WidePart::createMask(vector::CreateMaskOp op, const DimsOfPart &dims) {
  OpBuilder b(op);
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  SmallVector<Value> bounds;
  for (auto [dim, bound] : llvm::enumerate(op.getOperands()))
    bounds.push_back(getValueOrCreateConstantIndexOp(
        b, op.getLoc(),
        affine::makeComposedFoldedAffineApply(
            b, op.getLoc(), s0 + s1,
            {getAsOpFoldResult(bound), rangeOf(op, dims, dim).offset})));
  return vector::CreateMaskOp::create(b, op.getLoc(), Type(typeOf(op, dims)),
                                      bounds);
}

Value WidePart::elementwise(Operation *op, const DimsOfPart &dims) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(widen(operand, dims));
  OpBuilder b(op);
  return b
      .insert(Operation::create(op->getLoc(), op->getName(), {typeOf(op, dims)},
                                operands, op->getDiscardableAttrDictionary(),
                                op->getPropertiesStorage(),
                                /*successors=*/{}, /*numRegions=*/0))
      ->getResult(0);
}

//===----------------------------------------------------------------------===//
// Insertions
//===----------------------------------------------------------------------===//

/// Returns the range of the part along each dim of the whole.
static SmallVector<PartRange> rangesOf(Operation *op,
                                       const Insertion &insertion) {
  auto whole = cast<VectorType>(op->getResult(0).getType());
  auto part = dyn_cast<VectorType>(insertion.part.getType());
  int64_t outer = whole.getRank() - (part ? part.getRank() : 0);
  SmallVector<PartRange> ranges;
  for (auto [dim, extent] : llvm::enumerate(whole.getShape())) {
    bool isOuter = int64_t(dim) < outer;
    ranges.push_back({dim < insertion.offsets.size()
                          ? insertion.offsets[dim]
                          : Builder(op->getContext()).getIndexAttr(0),
                      isOuter ? 1 : part.getDimSize(dim - outer), extent});
  }
  return ranges;
}

/// Returns the ranges of the part's own dims.
static ArrayRef<PartRange> innerRanges(ArrayRef<PartRange> ranges, Value part) {
  auto type = dyn_cast<VectorType>(part.getType());
  return ranges.take_back(type ? type.getRank() : 0);
}

static bool isWhole(const PartRange &range) {
  return range.size == range.extent;
}

bool vectortiles::canSelectInserted(Operation *op, Hazards &hazards) {
  Insertion insertion = insertionOf(op);
  SmallVector<PartRange> ranges = rangesOf(op, insertion);
  ArrayRef<PartRange> inner = innerRanges(ranges, insertion.part);
  return !isa<vector::MaskOp>(op->getParentOp()) &&
         (llvm::all_of(inner, isWhole) ||
          canWiden(insertion.part, op, hazards));
}

void vectortiles::selectInserted(Operation *op) {
  Insertion insertion = insertionOf(op);
  SmallVector<PartRange> ranges = rangesOf(op, insertion);
  ArrayRef<PartRange> inner = innerRanges(ranges, insertion.part);
  DimsOfPart dims;
  for (auto [dim, range] : llvm::enumerate(inner))
    dims.push_back(isWhole(range) ? std::nullopt
                                  : std::optional<unsigned>(dim));
  Value wide = WidePart(inner).widen(insertion.part, dims);
  OpBuilder b(op);
  Type type = op->getResult(0).getType();
  if (wide.getType() != type)
    wide = vector::BroadcastOp::create(b, op->getLoc(), type, wide);
  Value mask = maskOf(b, op->getLoc(), ranges);
  Value result =
      arith::SelectOp::create(b, op->getLoc(), mask, wide, op->getOperand(1));
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}
