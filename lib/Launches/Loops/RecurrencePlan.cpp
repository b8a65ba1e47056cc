//===- RecurrencePlan.cpp - Legality of recurrences -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Recurrences.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

SmallVector<unsigned> distaff::dimsOfChannels(ShapedType type) {
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (extent != 1)
      dims.push_back(dim);
  return dims;
}

SmallVector<unsigned>
distaff::dimsOfChannels(OffsetSizeAndStrideOpInterface piece) {
  SmallVector<unsigned> dims;
  for (auto [dim, size] : llvm::enumerate(piece.getMixedSizes()))
    if (!isConstantIntValue(size, 1))
      dims.push_back(dim);
  return dims;
}

namespace {
class RecurrencePlanner {
public:
  RecurrencePlanner(scf::ForOp loop, const ExtentFormulas &formulas,
                    NoRecurrence &why)
      : formulas(formulas), why(why) {
    plan.loop = loop;
  }

  std::optional<Recurrence> make();

private:
  LogicalResult refuse(Operation *op, const Twine &reason) {
    why = {op, reason.str()};
    return failure();
  }
  bool isOutside(Value value) {
    return plan.loop.isDefinedOutsideOfLoop(value);
  }
  /// Returns the carried memory that a value is at this point of the step; none
  /// for other values.
  std::optional<unsigned> memoryOf(Value value) {
    for (auto [number, version] : llvm::enumerate(versions))
      if (version == value && plan.carried[number].kind == CarriedKind::Memory)
        return number;
    return std::nullopt;
  }
  Value outsideOf(Value whole) {
    std::optional<unsigned> memory = memoryOf(whole);
    return memory ? plan.loop.getInitArgs()[*memory] : whole;
  }
  AffineExpr extentOf(Value value, unsigned dim);
  void classify();
  LogicalResult checkCarried();
  LogicalResult checkOp(Operation *op);
  LogicalResult checkRegister(Operation *op, Value value);
  LogicalResult checkChannels(Operation *op, ArrayRef<AffineExpr> extents);
  LogicalResult checkPiece(Operation *op, OffsetSizeAndStrideOpInterface piece,
                           Value whole);
  LogicalResult checkElement(Operation *op, Value whole);
  LogicalResult checkWrite(Operation *op, Value dest);
  LogicalResult checkElementwise(linalg::LinalgOp op);
  LogicalResult checkPayload(linalg::LinalgOp op);
  LogicalResult checkResults();

  Recurrence plan;
  const ExtentFormulas &formulas;
  NoRecurrence &why;
  bool knowsChannels = false;
  SmallVector<Value> versions; // of carried values, at this point of the step
};
} // namespace

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

AffineExpr RecurrencePlanner::extentOf(Value value, unsigned dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), type.getContext());
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == plan.loop.getBody())
    return extentOf(plan.loop.getInitArgs()[argument.getArgNumber() - 1], dim);
  return formulas.extentOf(value, dim);
}

/// Checks the channels, which the first tensor of more than one element
/// defines.
LogicalResult RecurrencePlanner::checkChannels(Operation *op,
                                               ArrayRef<AffineExpr> extents) {
  if (extents.empty())
    return success();
  if (llvm::is_contained(extents, AffineExpr()))
    return refuse(op, "has an extent that is no formula of the arguments'");
  if (!knowsChannels) {
    plan.channels = llvm::to_vector(extents);
    plan.channelSources.resize(extents.size());
    knowsChannels = true;
  }
  return ArrayRef(plan.channels) == extents
             ? success()
             : refuse(op, "is of another shape than other pieces of a step");
}

/// Checks that a tensor is one element, or has one for each channel.
LogicalResult RecurrencePlanner::checkRegister(Operation *op, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return success();
  if (memoryOf(value))
    return refuse(op, "reads all of a tensor of which other ops write pieces");
  SmallVector<AffineExpr> extents;
  for (unsigned dim : dimsOfChannels(type))
    extents.push_back(extentOf(value, dim));
  return checkChannels(op, extents);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

LogicalResult RecurrencePlanner::checkPiece(
    Operation *op, OffsetSizeAndStrideOpInterface piece, Value whole) {
  std::optional<unsigned> memory = memoryOf(whole);
  if (!memory && !isOutside(whole))
    return refuse(op, "takes a piece of what the step computes");
  if (!llvm::all_of(piece.getMixedStrides(), [](OpFoldResult stride) {
        return isConstantIntValue(stride, 1);
      }))
    return refuse(op, "leaves elements out");
  SmallVector<unsigned> dims = dimsOfChannels(piece);
  SmallVector<AffineExpr> extents;
  for (unsigned dim : dims) {
    AffineExpr size = formulas.indexOf(piece.getMixedSizes()[dim]);
    extents.push_back(size);
    bool isAll = isConstantIntValue(piece.getMixedOffsets()[dim], 0) && size &&
                 size == extentOf(outsideOf(whole), dim);
    if (memory && !isAll)
      return refuse(op, "is not all of dimension " + Twine(dim) +
                            ", whose elements different lanes hold");
  }
  if (failed(checkChannels(op, extents)))
    return failure();
  for (auto [channel, dim] : llvm::enumerate(dims))
    if (!isa<AffineConstantExpr>(extents[channel]) &&
        extents[channel] == extentOf(outsideOf(whole), dim))
      plan.channelSources[channel] = {outsideOf(whole), dim};
  if (!memory)
    return success();
  std::optional<SmallVector<unsigned>> &known =
      plan.carried[*memory].channelDims;
  if (known && *known != dims)
    return refuse(op, "is a piece along other dimensions than another one of "
                      "the same tensor");
  known = dims;
  return success();
}

LogicalResult RecurrencePlanner::checkElement(Operation *op, Value whole) {
  std::optional<unsigned> memory = memoryOf(whole);
  if (!memory)
    return isOutside(whole) ? success()
           : dimsOfChannels(cast<ShapedType>(whole.getType())).empty()
               ? checkRegister(op, whole)
               : refuse(op, "reads one element of what all lanes hold");
  std::optional<SmallVector<unsigned>> &known =
      plan.carried[*memory].channelDims;
  if (known && !known->empty())
    return refuse(op, "is one element of a tensor of which others are pieces");
  known.emplace();
  return success();
}

LogicalResult RecurrencePlanner::checkWrite(Operation *op, Value dest) {
  std::optional<unsigned> memory = memoryOf(dest);
  if (!memory)
    return refuse(op, "writes into a tensor that the loop does not carry, or "
                      "into what it was before another write");
  versions[*memory] = op->getResult(0);
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Checks that a body has only ops that take vectors as well as scalars.
LogicalResult RecurrencePlanner::checkPayload(linalg::LinalgOp op) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (inner.getNumRegions() > 0 || inner.getNumResults() != 1 ||
        (!OpTrait::hasElementwiseMappableTraits(&inner) &&
         !inner.hasTrait<OpTrait::ConstantLike>() &&
         !isa<linalg::IndexOp>(inner)))
      return refuse(&inner, "is no elementwise op on numbers");
    if (isa<core::CheckOp>(inner))
      return refuse(&inner,
                    "would be checked by lanes beyond the last channel, too");
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
            inner) &&
        !matchPattern(inner.getOperand(1), m_Constant()))
      return refuse(
          &inner,
          "divides by what may be zero in lanes beyond the last channel");
  }
  return success();
}

LogicalResult RecurrencePlanner::checkElementwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      op.getBlock()->getNumArguments() != op->getNumOperands())
    return refuse(op, "is no elementwise op on tensors");
  // The loops of the channels, in their order, as in each operand.
  std::optional<SmallVector<AffineExpr>> loops;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || dimsOfChannels(type).empty())
      continue;
    SmallVector<AffineExpr> own;
    for (unsigned dim : dimsOfChannels(type))
      own.push_back(op.getMatchingIndexingMap(&operand).getResult(dim));
    if (!llvm::all_of(own, llvm::IsaPred<AffineDimExpr>) ||
        (loops && *loops != own))
      return refuse(op, "permutes, or repeats, the channels");
    loops = own;
    if (failed(checkRegister(op, operand.get())))
      return failure();
  }
  return checkPayload(op);
}

LogicalResult RecurrencePlanner::checkOp(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return checkPiece(op, slice, slice.getSource());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return success(succeeded(checkRegister(op, slice.getSource())) &&
                   succeeded(checkPiece(op, slice, slice.getDest())) &&
                   succeeded(checkWrite(op, slice.getDest())));
  if (auto element = dyn_cast<tensor::ExtractOp>(op))
    return checkElement(op, element.getTensor());
  if (auto element = dyn_cast<tensor::InsertOp>(op))
    return success(succeeded(checkElement(op, element.getDest())) &&
                   succeeded(checkWrite(op, element.getDest())));
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return checkElementwise(linalgOp);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> at = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (!at || !type || *at < 0 || *at >= type.getRank())
      return refuse(op, "is the extent along a dimension that is not known");
    return memoryOf(dim.getSource()) || isOutside(dim.getSource())
               ? success()
               : refuse(op, "is the extent of what the step computes");
  }
  if (DenseElementsAttr data;
      matchPattern(op, m_Constant(&data)) && !data.isSplat())
    return refuse(op, "is a constant of different elements; define it outside "
                      "of the loop");
  if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return success();
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
    return success(succeeded(checkRegister(op, op->getOperand(0))) &&
                   succeeded(checkRegister(op, op->getResult(0))));
  if (op->getNumRegions() > 0 || !isPure(op))
    return refuse(op, "is no elementwise op, and takes no piece of a tensor");
  auto isTensor = llvm::IsaPred<TensorType>;
  if (llvm::any_of(op->getOperandTypes(), isTensor) ||
      llvm::any_of(op->getResultTypes(), isTensor)) {
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return refuse(op, "is no elementwise op, and takes no piece of a tensor");
    for (Value value : op->getOperands())
      if (failed(checkRegister(op, value)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Classifies carried values: steps read or write slices of memory.
void RecurrencePlanner::classify() {
  for (BlockArgument argument : plan.loop.getRegionIterArgs()) {
    CarriedValue value;
    auto hasPieces = [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return isa<tensor::ExtractSliceOp, tensor::ExtractOp>(user)
                 ? use.getOperandNumber() == 0
                 : isa<tensor::InsertSliceOp, tensor::InsertOp>(user) &&
                       use.getOperandNumber() == 1;
    };
    if (isa<RankedTensorType>(argument.getType()))
      value.kind = llvm::any_of(argument.getUses(), hasPieces)
                       ? CarriedKind::Memory
                       : CarriedKind::Register;
    plan.carried.push_back(value);
    versions.push_back(argument);
  }
}

LogicalResult RecurrencePlanner::checkResults() {
  Operation *yield = plan.loop.getBody()->getTerminator();
  for (auto [number, carried] : llvm::enumerate(plan.carried)) {
    OpResult result = plan.loop->getResult(number);
    if (carried.kind == CarriedKind::Memory) {
      if (yield->getOperand(number) != versions[number])
        return refuse(yield, "yields another tensor than the one that the "
                             "step has written");
      if (result.use_empty())
        return refuse(plan.loop, "has a result that nobody reads");
      if (carried.channelDims->size() != plan.channels.size())
        return refuse(plan.loop,
                      "carries a tensor that all channels would write");
      continue;
    }
    if (failed(checkRegister(yield, yield->getOperand(number))))
      return failure();
    bool hasChannels =
        carried.kind == CarriedKind::Register &&
        (plan.channels.empty() ||
         !dimsOfChannels(cast<ShapedType>(result.getType())).empty());
    if (!hasChannels && !result.use_empty())
      return refuse(plan.loop, "ends with a number that is read");
  }
  for (auto [extent, source] :
       llvm::zip_equal(plan.channels, plan.channelSources))
    if (!isa<AffineConstantExpr>(extent) && !source.first)
      return refuse(plan.loop, "takes only parts of dynamic tensors");
  return success();
}

std::optional<Recurrence> RecurrencePlanner::make() {
  // The distance of bounds of a narrow type may exceed the type.
  if (!plan.loop.getInductionVar().getType().isIndex()) {
    (void)refuse(plan.loop, "counts in another type than index");
    return std::nullopt;
  }
  classify();
  for (BlockArgument argument : plan.loop.getRegionIterArgs())
    if (isa<RankedTensorType>(argument.getType()) && !memoryOf(argument) &&
        failed(checkRegister(plan.loop, argument)))
      return std::nullopt;
  for (Operation &op : plan.loop.getBody()->without_terminator())
    if (failed(checkOp(&op)))
      return std::nullopt;
  if (failed(checkResults()))
    return std::nullopt;
  return std::move(plan);
}

std::optional<Recurrence>
distaff::planRecurrence(scf::ForOp loop, const ExtentFormulas &formulas,
                        NoRecurrence &why) {
  return RecurrencePlanner(loop, formulas, why).make();
}
