//===- SplitBody.cpp - A phase's body for one of several clusters ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are copied in their order, so accesses keep theirs; a value that is
// needed in several ways is copied once for each.
//
//===----------------------------------------------------------------------===//
#include "SplitBody.h"

#include "MixedSlice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::pcf;

/// Whether a value has elements of its own, of which there are parts; a ref
/// shows memory.
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
  void copyLinalg(linalg::LinalgOp op, int64_t iterator);
  void copyWrite(WriteSliceOp write);
  MixedSlice cutSlice(MixedSlice slice, Cut cut, Type whole, Location loc);
  Value get(Value value, Cut cut);
  Value makeOutside(Value value, Cut cut);

  RunClusterOp part;
  int64_t number;
  const SplitCuts &cuts;
  /// What is no tensor.
  IRMapping numbers;
  llvm::DenseMap<std::pair<Value, Cut>, Value> tensors;
  OpBuilder &builder;
};
} // namespace

/// A constant or empty tensor from around the phase, in front of all else.
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

/// The part of a slice of memory that this cluster accesses.
MixedSlice PartFiller::cutSlice(MixedSlice slice, Cut cut, Type type,
                                Location loc) {
  for (auto *list : {&slice.offsets, &slice.sizes, &slice.strides})
    for (OpFoldResult &entry : *list)
      if (auto value = dyn_cast<Value>(entry))
        entry = numbers.lookupOrDefault(value);
  if (cut == whole)
    return slice;
  auto partType = cast<RankedTensorType>(cuts.getPartType(type, cut));
  int64_t size = partType.getDimSize(cut);
  slice.sizes[cut] = builder.getIndexAttr(size);
  if (number == 0)
    return slice;
  auto asValue = [&](OpFoldResult entry) {
    return getValueOrCreateConstantIndexOp(builder, loc, entry);
  };
  std::optional<int64_t> offset = getConstantIntValue(slice.offsets[cut]),
                         stride = getConstantIntValue(slice.strides[cut]);
  if (offset && stride) {
    slice.offsets[cut] =
        builder.getIndexAttr(*offset + number * size * *stride);
    return slice;
  }
  // Positions that are known in front of the phase stay there.
  OpBuilder::InsertionGuard guard(builder);
  auto isOutside = [&](OpFoldResult entry) {
    auto value = dyn_cast<Value>(entry);
    return !value || !part->isAncestor(value.getParentRegion()->getParentOp());
  };
  if (isOutside(slice.offsets[cut]) && isOutside(slice.strides[cut]))
    builder.setInsertionPoint(part);
  Value distance = stride
                       ? asValue(builder.getIndexAttr(number * size * *stride))
                       : builder.createOrFold<arith::MulIOp>(
                             loc, asValue(slice.strides[cut]),
                             asValue(builder.getIndexAttr(number * size)));
  slice.offsets[cut] = builder.createOrFold<arith::AddIOp>(
      loc, asValue(slice.offsets[cut]), distance);
  return slice;
}

void PartFiller::copyWrite(WriteSliceOp write) {
  Cut cut = cuts.ofWrite(write);
  MixedSlice slice = cutSlice(MixedSlice::of(write), cut,
                              write.getSource().getType(), write.getLoc());
  IRMapping mapping(numbers);
  auto copy = cast<WriteSliceOp>(builder.clone(*write, mapping));
  builder.setInsertionPoint(copy);
  WriteSliceOp::create(builder, write.getLoc(), get(write.getSource(), cut),
                       numbers.lookupOrDefault(write.getDest()), slice.offsets,
                       slice.sizes, slice.strides);
  builder.setInsertionPointAfter(copy);
  copy.erase();
}

void PartFiller::copyLinalg(linalg::LinalgOp op, int64_t iterator) {
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
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Cut cut = *SplitCuts::getCut(op, *op.getDpsInitOperand(i), iterator);
    copy->getResult(i).setType(cuts.getPartType(result.getType(), cut));
    tensors[{result, cut}] = copy->getResult(i);
  }
}

/// Makes the op's result as it is needed in one way.
void PartFiller::copyFor(Operation *op, Cut cut) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (unsigned result : llvm::seq(op->getNumResults()))
      if (llvm::is_contained(cuts.of(op->getResult(result)), cut))
        copyLinalg(linalgOp, *SplitCuts::getIterator(linalgOp, result, cut));
    return;
  }
  Value result = op->getResult(0);
  Location loc = op->getLoc();
  auto type = cuts.getPartType(result.getType(), cut);
  if (auto read = dyn_cast<ReadSliceOp>(op)) {
    MixedSlice slice =
        cutSlice(MixedSlice::of(read), cut, result.getType(), loc);
    tensors[{result, cut}] = ReadSliceOp::create(
        builder, loc, type, numbers.lookupOrDefault(read.getSource()),
        slice.offsets, slice.sizes, slice.strides);
    return;
  }
  DenseElementsAttr constant;
  if (cut != whole && matchPattern(result, m_Constant(&constant))) {
    tensors[{result, cut}] = arith::ConstantOp::create(
        builder, loc, constant.resizeSplat(cast<RankedTensorType>(type)));
    return;
  }
  IRMapping mapping(numbers);
  for (Value operand : op->getOperands())
    if (isData(operand.getType()))
      mapping.map(operand, get(operand, cut));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && cut != whole) {
    MixedSlice sizes =
        cutSlice(MixedSlice::of(slice), cut, result.getType(), loc);
    sizes.offsets[cut] = builder.getIndexAttr(0);
    tensors[{result, cut}] = tensor::ExtractSliceOp::create(
        builder, loc, cast<RankedTensorType>(type),
        mapping.lookup(slice.getSource()), sizes.offsets, sizes.sizes,
        sizes.strides);
    return;
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(type);
  tensors[{result, cut}] = copy->getResult(0);
}

void PartFiller::copy(Operation *op) {
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return copyWrite(write);
  if (op->getNumRegions() > 0 && !isa<linalg::LinalgOp>(op)) {
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
