//===- ExtentFormulas.cpp - Extents as functions of arguments -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/ExtentFormulas.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;

FailureOr<ExtentFormulas> ExtentFormulas::get(FunctionOpInterface kernel) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  ExtentFormulas formulas;
  formulas.context = kernel.getContext();
  formulas.kernel = kernel;
  for (auto [number, extent] : llvm::enumerate(signature->dynamicExtents())) {
    auto [argument, dim] = extent;
    formulas.numbers[{signature->arguments[argument].position, dim}] = number;
  }
  return formulas;
}

// A formula is a tree: an index that is used twice at every level would give
// one of exponential size. So operands share the rest of this number of steps,
// which suffices for chains of any usual length.
static constexpr int mostSteps = 4096;

AffineExpr ExtentFormulas::extentOf(Value shaped, int64_t dim) const {
  return extentOf(shaped, dim, mostSteps);
}

AffineExpr ExtentFormulas::indexOf(OpFoldResult index) const {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return getAffineConstantExpr(*constant, context);
  return formulaOf(cast<Value>(index), mostSteps);
}

AffineExpr ExtentFormulas::extentOf(Value shaped, int64_t dim,
                                    int steps) const {
  auto type = cast<ShapedType>(shaped.getType());
  // A dimension that does not exist is undefined behaviour, and no error.
  if (!type.hasRank() || dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), context);
  if (steps == 0)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(shaped)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel) {
      auto found = numbers.find({argument.getArgNumber(), unsigned(dim)});
      return found == numbers.end()
                 ? AffineExpr()
                 : getAffineSymbolExpr(found->second, context);
    }
    auto loop = dyn_cast<LoopLikeOpInterface>(owner);
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? extentOf(init->get(), dim, steps - 1) : AffineExpr();
  }
  auto result = cast<OpResult>(shaped);
  if (auto empty = dyn_cast<tensor::EmptyOp>(result.getOwner()))
    return formulaOf(empty.getDynamicSize(dim), steps - 1);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(result.getOwner())) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    for (auto [at, size] : llvm::enumerate(sizes))
      if (!dropped.test(at) && dim-- == 0)
        return isa<Attribute>(size)
                   ? getAffineConstantExpr(*getConstantIntValue(size), context)
                   : formulaOf(cast<Value>(size), steps - 1);
  }
  if (auto cast = dyn_cast<tensor::CastOp>(result.getOwner()))
    return extentOf(cast.getSource(), dim, steps - 1);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(result.getOwner())) {
    OpFoldResult size = expand.getMixedOutputShape()[dim];
    return formulaOf(cast<Value>(size), steps - 1);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(result.getOwner()))
    return extentOfCollapsed(collapse, dim, steps - 1);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(result.getOwner()))
    if (OpOperand *init = loop.getTiedLoopInit(result))
      return extentOf(init->get(), dim, steps - 1);
  if (auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
    return extentOf(op.getTiedOpOperand(result)->get(), dim, steps - 1);
  if (auto owner = dyn_cast<pcf::RefOwnerOpInterface>(result.getOwner()))
    return extentOfRef(owner, result, dim, steps - 1);
  if (auto call = dyn_cast<func::CallOp>(result.getOwner()))
    return extentOfCall(call, result, dim, steps - 1);
  return {};
}

/// Returns the extent from the called function, in terms of its arguments'
/// extents.
AffineExpr ExtentFormulas::extentOfCall(func::CallOp call, OpResult result,
                                        int64_t dim, int steps) const {
  auto module = call->getParentOfType<ModuleOp>();
  auto callee = module ? module.lookupSymbol<func::FuncOp>(call.getCallee())
                       : func::FuncOp();
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return {};
  FailureOr<ExtentFormulas> inside = get(callee);
  if (failed(inside))
    return {};
  AffineExpr formula =
      inside->extentOf(callee.getBody().front().getTerminator()->getOperand(
                           result.getResultNumber()),
                       dim, steps / 2);
  SmallVector<AffineExpr> extents(inside->size());
  for (auto [place, number] : inside->numbers) {
    extents[number] = extentOf(call.getOperand(place.first), place.second,
                               steps / int(2 * inside->size()));
    if (!extents[number])
      return {};
  }
  return formula ? formula.replaceSymbols(extents) : formula;
}

/// Returns the product of the extents that are collapsed into a dim.
AffineExpr ExtentFormulas::extentOfCollapsed(tensor::CollapseShapeOp collapse,
                                             int64_t dim, int steps) const {
  AffineExpr product = getAffineConstantExpr(1, context);
  ReassociationIndices dims = collapse.getReassociationIndices()[dim];
  for (int64_t from : dims) {
    AffineExpr extent =
        extentOf(collapse.getSrc(), from, steps / int(dims.size()));
    if (!extent)
      return {};
    product = product * extent;
  }
  return product;
}

/// Returns the extent of a result: that of its init, or of its allocation.
AffineExpr ExtentFormulas::extentOfRef(pcf::RefOwnerOpInterface owner,
                                       OpResult result, int64_t dim,
                                       int steps) const {
  unsigned number = result.getResultNumber();
  if (OpOperand *init = owner.getTiedInit(number))
    return extentOf(init->get(), dim, steps);
  ArrayRef<int64_t> shape = cast<ShapedType>(result.getType()).getShape();
  return formulaOf(
      owner.getResultDims(
          number)[llvm::count_if(shape.take_front(dim), ShapedType::isDynamic)],
      steps);
}

bool distaff::isNeverNegative(AffineExpr formula) {
  if (auto constant = dyn_cast<AffineConstantExpr>(formula))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(formula);
  return !binary ||
         (isNeverNegative(binary.getLHS()) && isNeverNegative(binary.getRHS()));
}

/// Returns the formula of an operation on two formulas; null if there is none.
static AffineExpr combine(Operation *op, AffineExpr lhs, AffineExpr rhs) {
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  if (isa<arith::MulIOp>(op))
    return lhs * rhs;
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  if (!divisor || divisor.getValue() <= 0 ||
      (isa<arith::CeilDivUIOp, arith::DivUIOp>(op) && !isNeverNegative(lhs)))
    return {};
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op) ? lhs.ceilDiv(rhs)
                                                         : lhs.floorDiv(rhs);
}

AffineExpr ExtentFormulas::formulaOf(Value index, int steps) const {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return getAffineConstantExpr(*constant, context);
  Operation *op = index.getDefiningOp();
  if (!op || steps == 0)
    return {};
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    if (std::optional<int64_t> number = dim.getConstantIndex())
      return extentOf(dim.getSource(), *number, steps - 1);
  if (auto dim = dyn_cast<memref::DimOp>(op))
    if (std::optional<int64_t> number = dim.getConstantIndex())
      return extentOf(dim.getSource(), *number, steps - 1);
  if (!isa<affine::AffineApplyOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
           arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
           arith::DivUIOp>(op))
    return {};
  SmallVector<AffineExpr> operands;
  int share = (steps - 1) / std::max<int>(op->getNumOperands(), 1);
  for (Value operand : op->getOperands()) {
    operands.push_back(formulaOf(operand, share));
    if (!operands.back())
      return {};
  }
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!apply)
    return combine(op, operands[0], operands[1]);
  AffineMap map = apply.getAffineMap();
  return map.getResult(0).replaceDimsAndSymbols(
      ArrayRef(operands).take_front(map.getNumDims()),
      ArrayRef(operands).drop_front(map.getNumDims()));
}

std::optional<SmallVector<int64_t>>
distaff::evaluate(AffineMap formulas, ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> symbols;
  for (int64_t extent : extents)
    symbols.push_back(getAffineConstantExpr(extent, formulas.getContext()));
  SmallVector<int64_t> values;
  for (AffineExpr formula : formulas.getResults()) {
    auto value = dyn_cast<AffineConstantExpr>(formula.replaceSymbols(symbols));
    if (!value)
      return std::nullopt;
    values.push_back(value.getValue());
  }
  return values;
}
