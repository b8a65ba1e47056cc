//===- PackedDotOperands.cpp - Operands packed for dot products -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PackedDotOperands.h"
#include "PanelPlan.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Returns the product of two operands in one loop; null if there is none, or
/// it reduces more than one step at a time.
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

/// Returns whether a loop's steps only read both operands and add their product
/// to the carried value.
static bool doesNothingElse(scf::ForOp loop, vector::ContractionOp product) {
  auto carried = dyn_cast<BlockArgument>(product.getAcc());
  if (product->getBlock() != loop.getBody() || loop.getNumResults() != 1 ||
      carried != loop.getRegionIterArg(0) || !carried.hasOneUse() ||
      loop.getYieldedValues().front() != product.getResult() ||
      !product->hasOneUse())
    return false;
  // Other pure ops can only be their addresses, or dead.
  return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return isa<vector::TransferReadOp>(op) || isPure(&op);
  });
}

/// Returns how an operand's elements become parts of that kind, exactly or with
/// the bias; none if they do not.
static std::optional<WordParts> partsOf(const Panel &panel, ScalarKind kind,
                                        bool mayBeBiased) {
  Multiplicand elements = Multiplicand::get(panel.operandOf(0));
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

/// Packs the same steps into both panels' words for one instruction; returns
/// whether that is possible.
static bool takeParts(PackedDotOperands &words, const Panel &panel,
                      const Panel &left, const PackedDot &dot) {
  for (bool mayBeBiased : {false, true})
    for (auto [ofPanel, ofLeft] :
         {std::pair(dot.lhs, dot.rhs), std::pair(dot.rhs, dot.lhs)}) {
      std::optional<WordParts> parts =
          partsOf(panel, ofPanel, /*mayBeBiased=*/false);
      std::optional<WordParts> lefts = partsOf(left, ofLeft, mayBeBiased);
      if (parts && lefts) {
        words.dot = &dot;
        words.panel = *parts;
        words.left = *lefts;
        return true;
      }
    }
  return false;
}

namespace {
/// The extents of a product of matrices: rows of the left side, and words of
/// the panel.
struct MatrixDims {
  int64_t rows = 1, words = 1;
  int64_t leftStep = 0; // the dim of the left side's parts
};
} // namespace

/// Returns the products of two panels, without an instruction yet.
static std::optional<PackedDotOperands> productsOf(const Panel &panel,
                                                   const Panel &left) {
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
  PackedDotOperands words;
  words.products = products;
  words.panelIsLhs = isPanelLhs(0);
  return words;
}

/// Returns whether an instruction reduces as the products do, in an order that
/// is allowed for them.
static bool sumsUp(const PackedDot &dot, const PackedDotOperands &words,
                   bool strictFp) {
  vector::ContractionOp product = words.products.front();
  Type sum = getElementTypeOrSelf(product.getAccType());
  return sum == elementTypeOf(dot.result, sum.getContext()) &&
         (!strictFp || isInteger(dot.result));
}

std::optional<PackedDotOperands>
distaff::matchPackedDotOperands(const Panel &panel, const Panel &left,
                                const Target &target, bool strictFp) {
  std::optional<PackedDotOperands> words = productsOf(panel, left);
  if (words)
    for (const PackedDot &dot : target.simd.packedDots)
      if (sumsUp(dot, *words, strictFp) && takeParts(*words, panel, left, dot))
        return words;
  return std::nullopt;
}

/// Returns the dims of a product along which its parts lie, if they are
/// matrices.
static std::optional<MatrixDims> matrixDimsOf(const PackedDotOperands &words) {
  vector::ContractionOp product = words.products.front();
  SmallVector<int64_t> bounds;
  product.getIterationBounds(bounds);
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  AffineMap panel = maps[words.panelIsLhs ? 0 : 1],
            left = maps[words.panelIsLhs ? 1 : 0], sums = maps[2];
  MatrixDims dims;
  for (auto [dim, iterator] :
       llvm::enumerate(product.getIteratorTypesArray())) {
    if (iterator == vector::IteratorType::reduction) {
      std::optional<unsigned> step =
          left.getResultPosition(getAffineDimExpr(dim, left.getContext()));
      if (!step)
        return std::nullopt;
      dims.leftStep = *step;
    } else if (bounds[dim] > 1) {
      bool isRow = left.isFunctionOfDim(dim),
           isWord = panel.isFunctionOfDim(dim);
      if (isRow == isWord || (isRow ? dims.rows : dims.words) != 1)
        return std::nullopt;
      (isRow ? dims.rows : dims.words) = bounds[dim];
      if (isWord && sums.getDimPosition(sums.getNumResults() - 1) != dim)
        return std::nullopt;
    }
  }
  return dims;
}

std::optional<PackedDotOperands> distaff::matchMatrixWords(const Panel &panel,
                                                           const Panel &left,
                                                           const Target &target,
                                                           bool strictFp) {
  const MatrixUnit &unit = target.simd.matrices;
  std::optional<PackedDotOperands> words =
      unit.registers > 0 ? productsOf(panel, left) : std::nullopt;
  if (!words || words->products.front().getAccType().isIntOrFloat())
    return std::nullopt;
  std::optional<MatrixDims> dims = matrixDimsOf(*words);
  if (!dims || !unit.holds(dims->rows, dims->words))
    return std::nullopt;
  words->matrices = &unit;
  words->leftStepDim = dims->leftStep;
  for (const PackedDot &dot : unit.dots) {
    std::optional<WordParts> right =
                                 partsOf(panel, dot.rhs, /*mayBeBiased=*/false),
                             rows =
                                 partsOf(left, dot.lhs, /*mayBeBiased=*/false);
    if (right && rows && sumsUp(dot, *words, strictFp)) {
      words->dot = &dot;
      words->panel = *right;
      words->left = *rows;
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

/// Returns words of a type whose bytes are all 128, or -128.
static Value biases(OpBuilder &b, Location loc, Type words) {
  APInt word = APInt::getSplat(32, APInt(8, 0x80));
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(cast<ShapedType>(words), word));
}

/// Adds or subtracts 128, which both flip the highest bit.
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
  assert(shape.back() % perWord() == 0 && "steps fill whole words");
  shape.back() /= perWord();
  return bias(
      b, vector::BitCastOp::create(
             b, part.getLoc(), VectorType::get(shape, b.getI32Type()), parts));
}

Value WordParts::packEach(OpBuilder &b, ArrayRef<Value> steps) const {
  assert(!steps.empty() && int64_t(steps.size()) <= perWord() &&
         "a word has room for its steps");
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

Value PackedDotOperands::excessOf(OpBuilder &b, Value word) const {
  Location loc = word.getLoc();
  return core::PackedDotOp::create(
      b, loc, word.getType(), biases(b, loc, word.getType()), word,
      /*acc=*/Value(), partType(left.kind, b.getContext()),
      partType(panel.kind, b.getContext()));
}

void PackedDotOperands::takeOff(scf::ForOp loop, vector::ContractionOp product,
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

Value PackedDotOperands::countOf(OpBuilder &b, Location loc, Value from,
                                 Value to) const {
  AffineExpr first, end;
  bindDims(b.getContext(), first, end);
  return affine::makeComposedAffineApply(
      b, loc, AffineMap::get(2, 0, (end - first).ceilDiv(steps())), {from, to});
}

void PackedDotOperands::formDots(ArrayRef<scf::ForOp> loops) const {
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
    Value dot = core::PackedDotOp::create(
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
