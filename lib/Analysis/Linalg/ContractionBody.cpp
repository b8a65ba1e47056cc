//===- ContractionBody.cpp - Linalg ops that multiply and add -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's isaContractionOpInterface ignores unary ops of the body, so exp(a)
// * b counts as a contraction of a and b; here the chains are kept.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/LogSumExp.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// Follows ops of one operand from `value` back to a block argument.
static std::optional<unsigned> followChain(Value value, Block *body,
                                           SmallVector<Operation *> &chain) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != body || op->getNumOperands() != 1 ||
        op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
      return std::nullopt;
    chain.push_back(op);
    value = op->getOperand(0);
  }
  std::reverse(chain.begin(), chain.end());
  auto argument = cast<BlockArgument>(value);
  if (argument.getOwner() != body)
    return std::nullopt;
  return argument.getArgNumber();
}

/// Matches the region and records the chains.
static bool matchRegion(linalg::LinalgOp op, ContractionBody &result) {
  Block *body = op.getBlock();
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value accumulator = body->getArgument(2);
  bool accFirst = add->getOperand(0) == accumulator;
  if (!accFirst && add->getOperand(1) != accumulator)
    return false;
  Operation *mul = add->getOperand(accFirst ? 1 : 0).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
    return false;
  SmallVector<Operation *> first, second;
  std::optional<unsigned> a = followChain(mul->getOperand(0), body, first);
  std::optional<unsigned> b = followChain(mul->getOperand(1), body, second);
  if (!a || !b || *a + *b != 1)
    return false;
  result.lhsChain = *a == 0 ? first : second;
  result.rhsChain = *a == 0 ? second : first;
  return true;
}

static bool matchLoops(linalg::LinalgOp op, ContractionBody &result) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool a = maps[0].isFunctionOfDim(loop), b = maps[1].isFunctionOfDim(loop),
         c = maps[2].isFunctionOfDim(loop);
    if (a && b && c)
      result.batch.push_back(loop);
    else if (a && b)
      result.k.push_back(loop);
    else if (a && c)
      result.m.push_back(loop);
    else if (b && c)
      result.n.push_back(loop);
    else
      return false;
  }
  return !result.m.empty() && !result.n.empty() && !result.k.empty();
}

std::optional<ContractionBody> distaff::matchContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInputs() != 2 ||
      linalgOp.getNumDpsInits() != 1 || !linalgOp.hasPureTensorSemantics())
    return std::nullopt;
  ContractionBody result;
  if (!matchRegion(linalgOp, result) || !matchLoops(linalgOp, result))
    return std::nullopt;
  return result;
}

/// Returns whether both inputs lack loops that the other has, and some are
/// reduced.
static bool spreadsBoth(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  bool lhsLacks = false, rhsLacks = false;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool a = maps[0].isFunctionOfDim(loop), b = maps[1].isFunctionOfDim(loop);
    bool isKept = type == utils::IteratorType::parallel;
    if ((!a && !b) || isKept != maps[2].isFunctionOfDim(loop))
      return false;
    lhsLacks |= !a;
    rhsLacks |= !b;
  }
  return lhsLacks && rhsLacks && op.getNumReductionLoops() > 0;
}

std::optional<SemiringBody> distaff::matchSemiring(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics() || !spreadsBoth(op))
    return std::nullopt;
  SmallVector<Operation *> combiners;
  Value product = matchReduction(op.getRegionOutputArgs(), 0, combiners);
  if (product && combiners.size() == 1) {
    if (!linalg::getCombinerOpKind(combiners.front()))
      return std::nullopt;
  } else {
    std::optional<LogSumExpStep> step =
        matchLogSumExp(op.getBlock()->getTerminator()->getOperand(0),
                       op.getBlock()->getArgument(2));
    if (!step)
      return std::nullopt;
    product = step->term;
    combiners = step->ops;
  }
  SemiringBody body{
      combiners.size() == 1 ? combiners.front() : nullptr, product, {}};
  Block *block = op.getBlock();
  llvm::SetVector<Operation *> ops;
  for (Operation &inner : block->without_terminator()) {
    if (llvm::is_contained(combiners, &inner))
      continue;
    // The region uses only constants from outside, and elements.
    for (Value operand : inner.getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->hasTrait<OpTrait::ConstantLike>())
        ops.insert(maker);
    bool isOurs =
        isPure(&inner) && inner.getNumRegions() == 0 &&
        !isa<linalg::IndexOp>(inner) &&
        llvm::all_of(inner.getOperands(), [&](Value operand) {
          return operand != block->getArgument(2) &&
                 !llvm::is_contained(combiners, operand.getDefiningOp()) &&
                 (operand.getParentBlock() == block ||
                  ops.contains(operand.getDefiningOp()));
        });
    if (!isOurs)
      return std::nullopt;
    ops.insert(&inner);
  }
  body.ops = ops.takeVector();
  if (product.getParentBlock() != block || product == block->getArgument(2))
    return std::nullopt;
  return body;
}

std::optional<TypedAttr> distaff::neutralOfCombiner(Operation *combiner) {
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  auto number = neutral ? dyn_cast<FloatAttr>(*neutral) : FloatAttr();
  if (number && isa<arith::AddFOp>(combiner))
    return FloatAttr::get(
        number.getType(),
        llvm::APFloat::getZero(number.getValue().getSemantics(),
                               /*Negative=*/true));
  if (!number || !isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
                      arith::MinNumFOp>(combiner))
    return neutral;
  const llvm::fltSemantics &format = number.getValue().getSemantics();
  if (llvm::APFloat::semanticsHasInf(format))
    return neutral;
  bool isOfMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
  return FloatAttr::get(number.getType(),
                        llvm::APFloat::getLargest(format, isOfMaximum));
}

std::optional<TypedAttr> SemiringBody::neutral() const {
  if (combiner)
    return neutralOfCombiner(combiner);
  auto type = cast<FloatType>(product.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (!llvm::APFloat::semanticsHasInf(semantics))
    return std::nullopt;
  return FloatAttr::get(type, llvm::APFloat::getInf(semantics, true));
}

std::optional<ContractionBody> distaff::matchProduct(Operation *op) {
  if (std::optional<ContractionBody> body = matchContraction(op))
    return body;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  ContractionBody result;
  if (!linalgOp || !matchSemiring(linalgOp) || !matchLoops(linalgOp, result))
    return std::nullopt;
  return result;
}

/// Returns the constant to which an op was folded, or that of the operand.
static Attribute constantOf(OpFoldResult folded, Operation *op,
                            ArrayRef<Attribute> operands) {
  auto value = dyn_cast<Value>(folded);
  if (!value)
    return cast<Attribute>(folded);
  for (auto [operand, constant] : llvm::zip_equal(op->getOperands(), operands))
    if (operand == value)
      return constant;
  return nullptr;
}

/// Returns the product of two constants, null if it does not fold to one.
static Attribute foldProduct(linalg::LinalgOp op, const SemiringBody &body,
                             TypedAttr lhs, TypedAttr rhs) {
  DenseMap<Value, Attribute> known;
  known[op.getBlock()->getArgument(0)] = lhs;
  known[op.getBlock()->getArgument(1)] = rhs;
  for (Operation *inner : body.ops) {
    SmallVector<Attribute> operands = llvm::map_to_vector(
        inner->getOperands(), [&](Value value) { return known.lookup(value); });
    SmallVector<OpFoldResult> folded;
    // Folding in place would change the op.
    Operation *copy = inner->clone();
    if (succeeded(copy->fold(operands, folded)) && folded.size() == 1)
      known[inner->getResult(0)] = constantOf(folded.front(), copy, operands);
    copy->erase();
  }
  return known.lookup(body.product);
}

/// Returns numbers that are likely to be neutral or absorbing elements.
static SmallVector<TypedAttr> likelyNumbers(Type type) {
  SmallVector<TypedAttr> numbers;
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    SmallVector<llvm::APFloat> values = {llvm::APFloat::getZero(semantics),
                                         llvm::APFloat::getOne(semantics)};
    for (bool negative : {false, true})
      values.push_back(llvm::APFloat::semanticsHasInf(semantics)
                           ? llvm::APFloat::getInf(semantics, negative)
                           : llvm::APFloat::getLargest(semantics, negative));
    for (const llvm::APFloat &value : values)
      numbers.push_back(FloatAttr::get(type, value));
  } else if (auto integers = dyn_cast<IntegerType>(type)) {
    unsigned width = integers.getWidth();
    for (const llvm::APInt &value :
         {llvm::APInt::getZero(width), llvm::APInt(width, 1),
          llvm::APInt::getAllOnes(width), llvm::APInt::getSignedMinValue(width),
          llvm::APInt::getSignedMaxValue(width)})
      numbers.push_back(IntegerAttr::get(type, value));
  }
  return numbers;
}

/// Returns whether a product is neutral: +0 counts too, as few products are -0.
static bool isNeutralProduct(Attribute product, TypedAttr neutral) {
  auto number = dyn_cast_if_present<FloatAttr>(product);
  auto wanted = dyn_cast<FloatAttr>(neutral);
  return product == neutral ||
         (number && wanted && number.getValue().isZero() &&
          wanted.getValue().isZero());
}

std::optional<std::pair<TypedAttr, TypedAttr>>
distaff::neutralFactors(linalg::LinalgOp op, const SemiringBody &body,
                        TypedAttr neutral) {
  for (TypedAttr lhs : likelyNumbers(op.getBlock()->getArgument(0).getType()))
    for (TypedAttr rhs : likelyNumbers(op.getBlock()->getArgument(1).getType()))
      if (isNeutralProduct(foldProduct(op, body, lhs, rhs), neutral))
        return std::pair(lhs, rhs);
  return std::nullopt;
}

bool distaff::keepsZero(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::NegFOp>(op);
}
