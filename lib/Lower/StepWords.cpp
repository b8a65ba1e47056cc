//===- StepWords.cpp - Several steps of a product in a word ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StepWords.h"
#include "PanelPlan.h"
#include "distaff/Analysis/Multiplicand.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The product of two operands in one loop; null if it is none, or sums up more
/// than one step at a time.
static vector::ContractionOp productOf(Value operand, Value other) {
  if (!operand.hasOneUse() || !other.hasOneUse())
    return nullptr;
  auto product = dyn_cast<vector::ContractionOp>(*operand.getUsers().begin());
  if (!product || product != *other.getUsers().begin() ||
      operand == product.getAcc() || other == product.getAcc() ||
      product.getKind() != vector::CombiningKind::ADD)
    return nullptr;
  SmallVector<int64_t> bounds;
  product.getIterationBounds(bounds);
  for (auto [iterator, extent] :
       llvm::zip_equal(product.getIteratorTypesArray(), bounds))
    if (iterator == vector::IteratorType::reduction && extent != 1)
      return nullptr;
  return product;
}

/// Whether a loop's steps do nothing but to read both operands and to add their
/// product to what the loop carries.
static bool doesNothingElse(scf::ForOp loop, vector::ContractionOp product) {
  auto carried = dyn_cast<BlockArgument>(product.getAcc());
  if (product->getBlock() != loop.getBody() || loop.getNumResults() != 1 ||
      carried != loop.getRegionIterArg(0) || !carried.hasOneUse() ||
      loop.getYieldedValues().front() != product.getResult() ||
      !product->hasOneUse())
    return false;
  // What is pure beside them can only be their addresses, or for nothing.
  return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return isa<vector::TransferReadOp>(op) || isPure(&op);
  });
}

/// How an operand's elements become parts of that kind, if they do exactly, or
/// with the bias.
static std::optional<WordParts> partsOf(Value operand, const Panel &panel,
                                        ScalarKind kind, bool mayBeBiased) {
  Multiplicand elements = Multiplicand::get(operand);
  if (elements.element !=
      getElementTypeOrSelf(panel.reads.front()->getResult(0)))
    return std::nullopt;
  if (elements.as(kind, /*mayDropBits=*/false))
    return WordParts{kind, elements.isUnsigned};
  if (mayBeBiased && elements.element.isInteger(8) && isInteger(kind) &&
      bitWidthOf(kind) == 8)
    return WordParts{kind, elements.isUnsigned, /*isBiased=*/true};
  return std::nullopt;
}

/// The same steps in both panels' words by one instruction.
static std::optional<StepWords> wordsOf(const Panel &panel, const Panel &left,
                                        const WordDot &dot) {
  for (bool mayBeBiased : {false, true})
    for (auto [ofPanel, ofLeft] :
         {std::pair(dot.lhs, dot.rhs), std::pair(dot.rhs, dot.lhs)}) {
      std::optional<WordParts> parts =
          partsOf(panel.operandOf(0), panel, ofPanel, /*mayBeBiased=*/false);
      std::optional<WordParts> lefts =
          partsOf(left.operandOf(0), left, ofLeft, mayBeBiased);
      if (parts && lefts)
        return StepWords{&dot, *parts, *lefts};
    }
  return std::nullopt;
}

std::optional<StepWords> distaff::matchStepWords(const Panel &panel,
                                                 const Panel &left,
                                                 const Target &target,
                                                 bool strictFp) {
  if (panel.reads.size() != left.reads.size() || panel.loops.size() != 1)
    return std::nullopt;
  SmallVector<vector::ContractionOp, 2> products;
  for (unsigned i = 0; i < panel.reads.size(); ++i) {
    auto loop = panel.reads[i]->getParentOfType<scf::ForOp>();
    vector::ContractionOp product =
        productOf(panel.operandOf(i), left.operandOf(i));
    if (!product || !doesNothingElse(loop, product) ||
        getConstantIntValue(loop.getStep()) != 1)
      return std::nullopt;
    products.push_back(product);
  }
  auto isPanelLhs = [&](unsigned i) {
    return products[i].getLhs() == panel.operandOf(i);
  };
  if (!llvm::all_of(llvm::seq<unsigned>(0, products.size()),
                    [&](unsigned i) { return isPanelLhs(i) == isPanelLhs(0); }))
    return std::nullopt;
  Type sum = getElementTypeOrSelf(products.front().getAccType());
  for (const WordDot &dot : target.simd.wordDots) {
    if (sum != elementTypeOf(dot.result, sum.getContext()) ||
        (strictFp && !isInteger(dot.result)))
      continue;
    if (std::optional<StepWords> words = wordsOf(panel, left, dot)) {
      words->products = products;
      words->panelIsLhs = isPanelLhs(0);
      return words;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static Type withElement(Value like, Type element) {
  auto vector = dyn_cast<VectorType>(like.getType());
  return vector ? Type(vector.clone(element)) : element;
}

Value WordParts::extend(OpBuilder &b, Value part) const {
  Location loc = part.getLoc();
  Type type = withElement(part, elementTypeOf(kind, b.getContext()));
  if (type == part.getType())
    return part;
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return arith::ExtFOp::create(b, loc, type, part);
  return isUnsigned ? arith::ExtUIOp::create(b, loc, type, part).getResult()
                    : arith::ExtSIOp::create(b, loc, type, part).getResult();
}

/// Words of a type whose bytes are all 128, or -128.
static Value biases(OpBuilder &b, Location loc, Type words) {
  APInt word = APInt::getSplat(32, APInt(8, 0x80));
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(cast<ShapedType>(words), word));
}

/// Adding and taking away 128 both turn the highest bit over.
Value WordParts::bias(OpBuilder &b, Value words) const {
  if (!isBiased)
    return words;
  Location loc = words.getLoc();
  return arith::XOrIOp::create(b, loc, words, biases(b, loc, words.getType()));
}

Value WordParts::packSteps(OpBuilder &b, Value part) const {
  Value parts = extend(b, part);
  auto type = cast<VectorType>(parts.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= perWord();
  return bias(
      b, vector::BitCastOp::create(
             b, part.getLoc(), VectorType::get(shape, b.getI32Type()), parts));
}

Value WordParts::packEach(OpBuilder &b, ArrayRef<Value> steps) const {
  int64_t bits = bitWidthOf(kind);
  Value words;
  for (auto [i, step] : llvm::enumerate(steps)) {
    Location loc = step.getLoc();
    Value part = extend(b, step);
    Type ofBits = withElement(part, b.getIntegerType(bits));
    Type ofWords = withElement(part, b.getI32Type());
    if (part.getType() != ofBits)
      part = arith::BitcastOp::create(b, loc, ofBits, part);
    Value word = arith::ExtUIOp::create(b, loc, ofWords, part);
    if (i == 0) {
      words = word;
      continue;
    }
    Value places = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<ShapedType>(ofWords),
                               b.getI32IntegerAttr(i * bits)));
    Value moved = arith::ShLIOp::create(b, loc, word, places);
    words = arith::OrIOp::create(b, loc, words, moved);
  }
  return bias(b, words);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Type partType(ScalarKind kind, MLIRContext *context) {
  if (!isInteger(kind))
    return elementTypeOf(kind, context);
  return IntegerType::get(context, bitWidthOf(kind),
                          isUnsigned(kind) ? IntegerType::Unsigned
                                           : IntegerType::Signed);
}

Value StepWords::excessOf(OpBuilder &b, Value word) const {
  Location loc = word.getLoc();
  return core::WordDotOp::create(
      b, loc, word.getType(), biases(b, loc, word.getType()), word,
      /*acc=*/Value(), partType(left.kind, b.getContext()),
      partType(panel.kind, b.getContext()));
}

void StepWords::takeOff(scf::ForOp loop, vector::ContractionOp product,
                        Value excess) const {
  OpBuilder b(loop);
  Location loc = product.getLoc();
  Value other = panelIsLhs ? product.getRhs() : product.getLhs();
  Value none =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(other.getType()));
  auto less = core::ContractOp::create(
      b, loc, panelIsLhs ? excess : none, panelIsLhs ? none : excess,
      loop.getInitArgs().front(), /*mask=*/Value(), core::CombineKind::Add,
      product.getIndexingMaps(), product.getIteratorTypes());
  loop.getInitArgsMutable().assign(less.getResult());
  Block *body = b.createBlock(&less.getProduct(), {},
                              {b.getI32Type(), b.getI32Type()}, {loc, loc});
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value taken = arith::SubIOp::create(b, loc, zero,
                                      body->getArgument(panelIsLhs ? 0 : 1));
  core::YieldOp::create(b, loc, taken);
}

Value StepWords::countOf(OpBuilder &b, Location loc, Value from,
                         Value to) const {
  AffineExpr first, end;
  bindDims(b.getContext(), first, end);
  return affine::makeComposedAffineApply(
      b, loc, AffineMap::get(2, 0, (end - first).ceilDiv(steps())), {from, to});
}

void StepWords::formDots(ArrayRef<scf::ForOp> loops) const {
  for (vector::ContractionOp product : products) {
    OpBuilder b(product);
    Location loc = product.getLoc();
    auto dots = core::ContractOp::create(
        b, loc, product.getLhs(), product.getRhs(), product.getAcc(),
        /*mask=*/Value(), core::CombineKind::Add, product.getIndexingMaps(),
        product.getIteratorTypes());
    Block *body = b.createBlock(&dots.getProduct(), {},
                                {b.getI32Type(), b.getI32Type()}, {loc, loc});
    ScalarKind lhs = panelIsLhs ? panel.kind : left.kind,
               rhs = panelIsLhs ? left.kind : panel.kind;
    Value dot = core::WordDotOp::create(
        b, loc, elementTypeOf(this->dot->result, b.getContext()),
        body->getArgument(0), body->getArgument(1), /*acc=*/Value(),
        partType(lhs, b.getContext()), partType(rhs, b.getContext()));
    core::YieldOp::create(b, loc, dot);
    product.getResult().replaceAllUsesWith(dots.getResult());
    product->erase();
  }
  for (scf::ForOp loop : loops) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Value count = countOf(b, loc, loop.getLowerBound(), loop.getUpperBound());
    loop.setLowerBound(arith::ConstantIndexOp::create(b, loc, 0));
    loop.setUpperBound(count);
  }
}
