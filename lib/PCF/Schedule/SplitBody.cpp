//===- SplitBody.cpp - Splitting a phase's body among clusters ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are copied in order, so accesses keep their order; a value that is needed
// in several cuts is copied once for each.
//
//===----------------------------------------------------------------------===//
#include "SplitBody.h"

#include "../Fusion/MixedSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether a value has elements of its own, of which there are parts; a
/// ref only refers to memory.
static bool isData(Type type) {
  return isa<ShapedType>(type) && !isa<SRefType>(type);
}

namespace {
class PartFiller {
public:
  PartFiller(RunClusterOp part, int64_t number, const SplitCuts &cuts,
             const IRMapping &outside, OpBuilder &builder)
      : part(part), number(number), cuts(cuts), numbers(outside),
        builder(builder) {}

  void fill(RunClusterOp phase);

private:
  void fillBlock(Block &block);
  void copy(Operation *op);
  void copyFor(Operation *op, Cut cut);
  Value makePart(Operation *op, Cut cut);
  Value makePad(tensor::PadOp pad, Cut cut);
  void copyLinalg(linalg::LinalgOp op, Cut iterator);
  void shiftIndices(Operation *part, Cut iterator);
  void shiftIndex(Value index, Cut cut);
  void copyWrite(WriteSliceOp write);
  void cutSize(OpFoldResult &size, Cut cut, Location loc);
  MixedSlice cutSlice(MixedSlice slice, Cut cut, Location loc);
  void setInsertionPointFor(ArrayRef<OpFoldResult> values);
  void replaceNumbers(MutableArrayRef<OpFoldResult> values);
  Value get(Value value, Cut cut);
  Value makeOutside(Value value, Cut cut);

  RunClusterOp part;
  int64_t number;
  const SplitCuts &cuts;
  /// Values that are no tensors.
  IRMapping numbers;
  llvm::DenseMap<std::pair<Value, Cut>, Value> tensors;
  OpBuilder &builder;
};
} // namespace

/// Copies a constant or empty tensor from outside the phase to the start of the
/// part.
Value PartFiller::makeOutside(Value value, Cut cut) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&part.getBody().front());
  copyFor(value.getDefiningOp(), cut);
  return tensors.lookup({value, cut});
}

Value PartFiller::get(Value value, Cut cut) {
  if (!isData(value.getType()))
    return numbers.lookupOrDefault(value);
  if (Value known = tensors.lookup({value, cut}))
    return known;
  return makeOutside(value, cut);
}

void PartFiller::replaceNumbers(MutableArrayRef<OpFoldResult> entries) {
  for (OpFoldResult &entry : entries)
    if (auto value = dyn_cast<Value>(entry))
      entry = numbers.lookupOrDefault(value);
}

/// Inserts ops before the phase if all their operands are defined outside of
/// it.
void PartFiller::setInsertionPointFor(ArrayRef<OpFoldResult> entries) {
  if (llvm::all_of(entries, [&](OpFoldResult entry) {
        auto value = dyn_cast<Value>(entry);
        return !value ||
               !part->isAncestor(value.getParentRegion()->getParentOp());
      }))
    builder.setInsertionPoint(part);
}

/// Computes how many of `size` elements this cluster's part has.
void PartFiller::cutSize(OpFoldResult &size, Cut cut, Location loc) {
  if (auto known = getConstantIntValue(size)) {
    size = builder.getIndexAttr(getPartSize(*known, cut, number));
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  setInsertionPointFor(size);
  AffineExpr all = builder.getAffineSymbolExpr(0);
  auto makeMap = [&](AffineExpr term, int64_t limit) {
    return AffineMap::get(0, 1, {term, builder.getAffineConstantExpr(limit)},
                          builder.getContext());
  };
  if (number != 0)
    size = affine::makeComposedFoldedAffineMax(
        builder, loc, makeMap(all - number * cut.extent, 0), {size});
  size = affine::makeComposedFoldedAffineMin(builder, loc,
                                             makeMap(all, cut.extent), {size});
}

/// Returns the part of a slice of memory that this cluster accesses.
MixedSlice PartFiller::cutSlice(MixedSlice slice, Cut cut, Location loc) {
  for (auto *list : {&slice.offsets, &slice.sizes, &slice.strides})
    replaceNumbers(*list);
  if (cut.isWhole())
    return slice;
  cutSize(slice.sizes[cut.dim], cut, loc);
  if (number == 0)
    return slice;
  OpFoldResult &offset = slice.offsets[cut.dim];
  OpFoldResult stride = slice.strides[cut.dim];
  int64_t elements = number * cut.extent;
  std::optional<int64_t> knownOffset = getConstantIntValue(offset),
                         knownStride = getConstantIntValue(stride);
  if (knownOffset && knownStride) {
    offset = builder.getIndexAttr(*knownOffset + elements * *knownStride);
    return slice;
  }
  OpBuilder::InsertionGuard guard(builder);
  setInsertionPointFor({offset, stride});
  auto asValue = [&](OpFoldResult entry) {
    return getValueOrCreateConstantIndexOp(builder, loc, entry);
  };
  Value distance =
      knownStride
          ? asValue(builder.getIndexAttr(elements * *knownStride))
          : builder.createOrFold<arith::MulIOp>(
                loc, asValue(stride), asValue(builder.getIndexAttr(elements)));
  offset = builder.createOrFold<arith::AddIOp>(loc, asValue(offset), distance);
  return slice;
}

void PartFiller::copyWrite(WriteSliceOp write) {
  Cut cut = cuts.ofWrite(write);
  MixedSlice slice = cutSlice(MixedSlice::of(write), cut, write.getLoc());
  IRMapping mapping(numbers);
  auto copy = cast<WriteSliceOp>(builder.clone(*write, mapping));
  builder.setInsertionPoint(copy);
  WriteSliceOp::create(builder, write.getLoc(), get(write.getSource(), cut),
                       numbers.lookupOrDefault(write.getDest()), slice.offsets,
                       slice.sizes, slice.strides);
  builder.setInsertionPointAfter(copy);
  copy.erase();
}

/// Adds the offset of the part to an index in it.
void PartFiller::shiftIndex(Value index, Cut cut) {
  if (index.use_empty())
    return;
  Value start = arith::ConstantIndexOp::create(builder, index.getLoc(),
                                               number * cut.extent);
  auto moved = arith::AddIOp::create(builder, index.getLoc(), index, start);
  index.replaceAllUsesExcept(moved, moved);
}

/// Shifts indices along the iterator to those of the whole.
void PartFiller::shiftIndices(Operation *part, Cut iterator) {
  if (number == 0)
    return;
  SmallVector<linalg::IndexOp> indices;
  part->walk([&](linalg::IndexOp index) {
    if (static_cast<int64_t>(index.getDim()) == iterator.dim)
      indices.push_back(index);
  });
  OpBuilder::InsertionGuard guard(builder);
  for (linalg::IndexOp index : indices) {
    builder.setInsertionPointAfter(index);
    shiftIndex(index, iterator);
  }
}

void PartFiller::copyLinalg(linalg::LinalgOp op, Cut iterator) {
  if (tensors.contains(
          {op->getResult(0),
           *SplitCuts::getCut(op, *op.getDpsInitOperand(0), iterator)}))
    return;
  IRMapping mapping(numbers);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(
        get(operand.get(), *SplitCuts::getCut(op, operand, iterator)));
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(operands);
  if (!iterator.isWhole())
    shiftIndices(copy, iterator);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Cut cut = *SplitCuts::getCut(op, *op.getDpsInitOperand(i), iterator);
    copy->getResult(i).setType(cuts.getPartType(result.getType(), cut, number));
    tensors[{result, cut}] = copy->getResult(i);
  }
}

/// Creates a pad of the part, up to the part's extent.
Value PartFiller::makePad(tensor::PadOp pad, Cut cut) {
  Value source = get(pad.getSource(), cut);
  auto type =
      cast<RankedTensorType>(cuts.getPartType(pad.getType(), cut, number));
  SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                            high = pad.getMixedHighPad();
  replaceNumbers(low);
  replaceNumbers(high);
  if (!cut.isWhole()) {
    AffineExpr s0 = builder.getAffineSymbolExpr(0);
    auto subtractFrom = [&](int64_t extent, OpFoldResult size) {
      return affine::makeComposedFoldedAffineApply(builder, pad.getLoc(),
                                                   extent - s0, {size});
    };
    OpFoldResult size =
        subtractFrom(pad.getType().getDimSize(cut.dim), high[cut.dim]);
    cutSize(size, cut, pad.getLoc());
    high[cut.dim] = subtractFrom(type.getDimSize(cut.dim), size);
  }
  auto copy = tensor::PadOp::create(builder, pad.getLoc(), type, source, low,
                                    high, pad.getNofold());
  builder.cloneRegionBefore(pad.getRegion(), copy.getRegion(),
                            copy.getRegion().end(), numbers);
  if (!cut.isWhole() && number != 0) {
    // Indices are those of the whole.
    OpBuilder::InsertionGuard guard(builder);
    Block &body = copy.getRegion().front();
    builder.setInsertionPointToStart(&body);
    shiftIndex(body.getArgument(cut.dim), cut);
  }
  return copy;
}

/// Creates the part of the result of an op with one result.
Value PartFiller::makePart(Operation *op, Cut cut) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  Type type = cuts.getPartType(result.getType(), cut, number);
  if (auto read = dyn_cast<ReadSliceOp>(op)) {
    MixedSlice slice = cutSlice(MixedSlice::of(read), cut, loc);
    return ReadSliceOp::create(builder, loc, type,
                               numbers.lookupOrDefault(read.getSource()),
                               slice.offsets, slice.sizes, slice.strides);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return makePad(pad, cut);
  IRMapping mapping(numbers);
  for (Value operand : op->getOperands())
    if (isData(operand.getType()))
      mapping.map(operand, get(operand, cut));
  DenseElementsAttr constant;
  if (!cut.isWhole() && matchPattern(result, m_Constant(&constant)))
    return arith::ConstantOp::create(
        builder, loc, constant.resizeSplat(cast<RankedTensorType>(type)));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && !cut.isWhole()) {
    MixedSlice part = cutSlice(MixedSlice::of(slice), cut, loc);
    part.offsets[cut.dim] = builder.getIndexAttr(0);
    return tensor::ExtractSliceOp::create(
        builder, loc, cast<RankedTensorType>(type),
        mapping.lookup(slice.getSource()), part.offsets, part.sizes,
        part.strides);
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op); empty && !cut.isWhole()) {
    SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
    replaceNumbers(sizes);
    cutSize(sizes[cut.dim], cut, loc);
    return tensor::EmptyOp::create(builder, loc, sizes,
                                   empty.getType().getElementType(),
                                   empty.getType().getEncoding());
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

/// Creates the op's result in one of the cuts in which it is needed.
void PartFiller::copyFor(Operation *op, Cut cut) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) {
    tensors[{op->getResult(0), cut}] = makePart(op, cut);
    return;
  }
  for (unsigned result : llvm::seq(op->getNumResults()))
    if (llvm::is_contained(cuts.of(op->getResult(result)), cut))
      copyLinalg(linalgOp, *SplitCuts::getIteratorCut(linalgOp, result, cut));
}

void PartFiller::copy(Operation *op) {
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return copyWrite(write);
  if (isa<scf::IfOp, scf::ForOp>(op)) {
    IRMapping mapping(numbers);
    Operation *copy = builder.cloneWithoutRegions(*op, mapping);
    OpBuilder::InsertionGuard guard(builder);
    for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions())) {
      if (from.empty())
        continue;
      Block &source = from.front();
      SmallVector<Location> locs(source.getNumArguments(), op->getLoc());
      Block *target =
          builder.createBlock(&to, to.end(), source.getArgumentTypes(), locs);
      numbers.map(source.getArguments(), target->getArguments());
      fillBlock(source);
    }
    return;
  }
  bool isShaped = llvm::any_of(op->getResultTypes(), isData);
  if (isShaped) {
    SmallVector<Cut> needed;
    for (Value result : op->getResults())
      for (Cut cut : cuts.of(result))
        if (!llvm::is_contained(needed, cut))
          needed.push_back(cut);
    for (Cut cut : needed)
      copyFor(op, cut);
    return;
  }
  IRMapping mapping(numbers);
  for (Value operand : op->getOperands())
    if (isData(operand.getType()))
      mapping.map(operand, get(operand, whole));
  Operation *copy = builder.clone(*op, mapping);
  numbers.map(op->getResults(), copy->getResults());
}

void PartFiller::fillBlock(Block &block) {
  for (Operation &op : block)
    if (!isa<ClusterYieldOp>(op))
      copy(&op);
}

void PartFiller::fill(RunClusterOp phase) {
  OpBuilder::InsertionGuard guard(builder);
  Block &from = phase.getBody().front(), &to = part.getBody().front();
  builder.setInsertionPointToStart(&to);
  for (auto [old, argument] : llvm::zip(from.getArguments(), to.getArguments()))
    if (isData(old.getType()))
      tensors[{old, cuts.ofArgument(old)}] = argument;
    else
      numbers.map(old, argument);
  fillBlock(from);
  SmallVector<Value> yields;
  for (OpOperand &operand : phase.getYield()->getOpOperands())
    yields.push_back(get(operand.get(), cuts.ofYield(operand)));
  builder.setInsertionPointToEnd(&to);
  ClusterYieldOp::create(builder, phase.getYield().getLoc(), yields);
}

void pcf::fillPart(RunClusterOp phase, RunClusterOp part, int64_t number,
                   const SplitCuts &cuts, const IRMapping &outside,
                   OpBuilder &builder) {
  PartFiller(part, number, cuts, outside, builder).fill(phase);
}
