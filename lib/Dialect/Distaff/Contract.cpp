//===- Contract.cpp - A contraction over any semiring ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product is always a region. A product of one op is printed by its name
// and parsed back to the same region.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::core;
using vector::CombiningKind;

void ContractOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                       Value rhs, Value acc, Value mask, CombineKind combine,
                       ArrayAttr maps, ArrayAttr iterators) {
  build(builder, state, acc.getType(), lhs, rhs, acc, mask, combine, maps,
        iterators);
}

SmallVector<AffineMap> ContractOp::getMaps() {
  return llvm::map_to_vector(getIndexingMaps(), [](Attribute map) {
    return cast<AffineMapAttr>(map).getValue();
  });
}

SmallVector<bool> ContractOp::getReduced() {
  return llvm::map_to_vector(getIteratorTypes(), [](Attribute type) {
    return vector::isReductionIterator(type);
  });
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

SmallVector<int64_t> ContractOp::getBounds() {
  SmallVector<int64_t> bounds(getIteratorTypes().size(), 1);
  for (auto [map, operand] :
       llvm::zip(getMaps(), std::array<Value, 2>{getLhs(), getRhs()}))
    for (auto [expr, extent] : llvm::zip(map.getResults(), shapeOf(operand)))
      bounds[cast<AffineDimExpr>(expr).getPosition()] = extent;
  return bounds;
}

std::optional<CombiningKind> ContractOp::getCombiningKind() {
  return toCombiningKind(getCombine());
}

Type ContractOp::getExpectedMaskType() {
  return VectorType::get(getBounds(), IntegerType::get(getContext(), 1));
}

Value ContractOp::emitProduct(OpBuilder &builder, Value lhs, Value rhs) {
  Block &body = getProduct().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), ValueRange{lhs, rhs});
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Products with names
//===----------------------------------------------------------------------===//

/// Returns whether a kind combines numbers of the type.
static bool combines(CombiningKind kind, Type type) {
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::MUL:
    return type.isIntOrIndexOrFloat();
  case CombiningKind::MINNUMF:
  case CombiningKind::MAXNUMF:
  case CombiningKind::MINIMUMF:
  case CombiningKind::MAXIMUMF:
    return isa<FloatType>(type);
  default:
    return type.isIntOrIndex();
  }
}

bool core::canWiden(Type from, Type to) {
  if (from == to)
    return true;
  auto narrow = dyn_cast<FloatType>(from), wide = dyn_cast<FloatType>(to);
  if (narrow && wide)
    return llvm::APFloat::isRepresentableBy(narrow.getFloatSemantics(),
                                            wide.getFloatSemantics());
  return from.isSignlessInteger() && to.isSignlessInteger() &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

static Value widen(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

void core::buildNamedProduct(Region &region, Location loc, Type lhs, Type rhs,
                             Type element, CombiningKind product) {
  OpBuilder builder(loc.getContext());
  Block *body = builder.createBlock(&region, {}, {lhs, rhs}, {loc, loc});
  Value a = widen(builder, loc, body->getArgument(0), element);
  Value b = widen(builder, loc, body->getArgument(1), element);
  YieldOp::create(builder, loc,
                  vector::makeArithReduction(builder, loc, product, a, b));
}

/// Returns the kind of an op without attributes that a name cannot express.
static std::optional<CombiningKind> kindOf(Operation *op) {
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
    if (fast.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
      return std::nullopt;
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (flags.getOverflowAttr().getValue() != arith::IntegerOverflowFlags::none)
      return std::nullopt;
  using Kind = std::optional<CombiningKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<arith::AddFOp, arith::AddIOp>(
          [](auto) { return CombiningKind::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) { return CombiningKind::MUL; })
      .Case([](arith::MinUIOp) { return CombiningKind::MINUI; })
      .Case([](arith::MinSIOp) { return CombiningKind::MINSI; })
      .Case([](arith::MinNumFOp) { return CombiningKind::MINNUMF; })
      .Case([](arith::MaxUIOp) { return CombiningKind::MAXUI; })
      .Case([](arith::MaxSIOp) { return CombiningKind::MAXSI; })
      .Case([](arith::MaxNumFOp) { return CombiningKind::MAXNUMF; })
      .Case([](arith::AndIOp) { return CombiningKind::AND; })
      .Case([](arith::OrIOp) { return CombiningKind::OR; })
      .Case([](arith::XOrIOp) { return CombiningKind::XOR; })
      .Case([](arith::MinimumFOp) { return CombiningKind::MINIMUMF; })
      .Case([](arith::MaximumFOp) { return CombiningKind::MAXIMUMF; })
      .Default(Kind());
}

/// Returns whether `value` is the argument, or its extension; a kind extends
/// with the sign.
static bool isWidened(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  Operation *extension = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(extension) &&
         extension->getOperand(0) == argument;
}

std::optional<CombiningKind> ContractOp::getProductKind() {
  Block &body = getProduct().front();
  Operation *op = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!op || op->getBlock() != &body || op->getNumOperands() != 2 ||
      !isWidened(op->getOperand(0), body.getArgument(0)) ||
      !isWidened(op->getOperand(1), body.getArgument(1)))
    return std::nullopt;
  // Only the op, the extensions of its operands and the terminator.
  size_t expected = 2;
  for (Value operand : op->getOperands())
    expected += !isa<BlockArgument>(operand);
  if (body.getOperations().size() != expected)
    return std::nullopt;
  return kindOf(op);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kRegion = "region";

/// Converts iterator types from the strings of the text, as in vector.contract.
static ParseResult readIterators(OpAsmParser &parser, SMLoc loc,
                                 NamedAttrList &attributes) {
  auto strings = dyn_cast_or_null<ArrayAttr>(attributes.get("iterator_types"));
  if (!strings)
    return parser.emitError(loc, "expected iterator_types");
  SmallVector<Attribute> types;
  for (Attribute attribute : strings) {
    auto text = dyn_cast<StringAttr>(attribute);
    auto type = text ? vector::symbolizeIteratorType(text.getValue())
                     : std::optional<vector::IteratorType>();
    if (!type)
      return parser.emitError(loc, "expected iterator types \"parallel\" and "
                                   "\"reduction\", got ")
             << attribute;
    types.push_back(vector::IteratorTypeAttr::get(parser.getContext(), *type));
  }
  attributes.set("iterator_types", parser.getBuilder().getArrayAttr(types));
  return success();
}

/// Parses the region, or builds the one of a named product.
static ParseResult readProduct(OpAsmParser &parser, OperationState &result,
                               StringRef name, SMLoc loc, Type lhs, Type rhs,
                               Type element) {
  Region *region = result.addRegion();
  if (name == kRegion)
    return parser.parseRegion(*region);
  std::optional<CombiningKind> kind = vector::symbolizeCombiningKind(name);
  if (!kind)
    return parser.emitError(loc, "expected the kind of a product or `region`, "
                                 "got `")
           << name << "`";
  if (!combines(*kind, element))
    return parser.emitError(loc, "product `")
           << name << "` is none of " << element;
  for (Type type : {lhs, rhs})
    if (!canWiden(type, element))
      return parser.emitError(loc, "product `")
             << name << "` of " << type << " does not widen to " << element
             << "; write the conversion in a region";
  buildNamedProduct(*region, result.location, lhs, rhs, element, *kind);
  return success();
}

/// Parses `%lhs, %rhs, %acc mask %mask : types into type`.
static ParseResult readOperands(OpAsmParser &parser, OperationState &result,
                                SmallVectorImpl<Type> &types) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands(3);
  if (parser.parseOperand(operands[0]) || parser.parseComma() ||
      parser.parseOperand(operands[1]) || parser.parseComma() ||
      parser.parseOperand(operands[2]))
    return failure();
  bool isMasked = succeeded(parser.parseOptionalKeyword("mask"));
  if (isMasked && parser.parseOperand(operands.emplace_back()))
    return failure();
  Type lhs, rhs, acc, mask;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonType(lhs) || parser.parseComma() ||
      parser.parseType(rhs) ||
      (isMasked && (parser.parseComma() || parser.parseType(mask))) ||
      parser.parseKeyword("into") || parser.parseType(acc))
    return failure();
  types.assign({lhs, rhs, acc});
  if (isMasked)
    types.push_back(mask);
  result.addTypes(acc);
  return parser.resolveOperands(operands, types, loc, result.operands);
}

ParseResult ContractOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef combine, product;
  SMLoc combineLoc, productLoc, attributesLoc;
  SmallVector<Type> types;
  if (parser.parseLess() || parser.getCurrentLocation(&combineLoc) ||
      parser.parseKeyword(&combine) || parser.parseComma() ||
      parser.getCurrentLocation(&productLoc) || parser.parseKeyword(&product) ||
      parser.parseGreater() || parser.getCurrentLocation(&attributesLoc) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      readIterators(parser, attributesLoc, result.attributes) ||
      readOperands(parser, result, types))
    return failure();
  std::optional<CombineKind> kind = symbolizeCombineKind(combine);
  if (!kind)
    return parser.emitError(combineLoc,
                            "expected a combining kind or `logsumexp`, got `")
           << combine << "`";
  result.addAttribute("combine",
                      CombineKindAttr::get(parser.getContext(), *kind));
  return readProduct(
      parser, result, product, productLoc, getElementTypeOrSelf(types[0]),
      getElementTypeOrSelf(types[1]), getElementTypeOrSelf(types[2]));
}

void ContractOp::print(OpAsmPrinter &p) {
  std::optional<CombiningKind> product = getProductKind();
  p << " <" << stringifyCombineKind(getCombine()) << ", "
    << (product ? vector::stringifyCombiningKind(*product) : StringRef(kRegion))
    << ">";
  NamedAttrList attributes((*this)->getAttrs());
  attributes.erase("combine");
  attributes.set(
      "iterator_types",
      ArrayAttr::get(
          getContext(),
          llvm::map_to_vector(
              getIteratorTypes(), [&](Attribute type) -> Attribute {
                return StringAttr::get(
                    getContext(),
                    vector::stringifyIteratorType(
                        cast<vector::IteratorTypeAttr>(type).getValue()));
              })));
  p.printOptionalAttrDict(attributes);
  p << " " << getLhs() << ", " << getRhs() << ", " << getAcc();
  if (getMask())
    p << " mask " << getMask();
  p << " : " << getLhs().getType() << ", " << getRhs().getType();
  if (getMask())
    p << ", " << getMask().getType();
  p << " into " << getAcc().getType();
  if (!product) {
    p << " ";
    p.printRegion(getProduct());
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Verifies maps and iterator types by the rules of vector.contract.
static LogicalResult verifyMaps(ContractOp op) {
  int64_t dims = op.getIteratorTypes().size();
  if (op.getIndexingMaps().size() != 3)
    return op.emitOpError() << "has " << op.getIndexingMaps().size()
                            << " indexing maps, for lhs, rhs and acc";
  for (Attribute type : op.getIteratorTypes())
    if (!isa<vector::IteratorTypeAttr>(type))
      return op.emitOpError() << "has the iterator type " << type;
  static constexpr StringLiteral names[] = {"lhs", "rhs", "acc"};
  Value operands[] = {op.getLhs(), op.getRhs(), op.getAcc()};
  for (int at = 0; at < 3; ++at) {
    auto attribute = dyn_cast<AffineMapAttr>(op.getIndexingMaps()[at]);
    if (!attribute || attribute.getValue().getNumDims() != dims ||
        !attribute.getValue().isProjectedPermutation())
      return op.emitOpError()
             << "indexing map of " << names[at] << " must select some of the "
             << dims << " dims, got " << op.getIndexingMaps()[at];
    if (attribute.getValue().getNumResults() != shapeOf(operands[at]).size())
      return op.emitOpError()
             << names[at] << " of type " << operands[at].getType()
             << " has not " << attribute.getValue().getNumResults()
             << " dims, as its indexing map has";
  }
  SmallVector<AffineMap> maps = op.getMaps();
  for (auto [dim, isReduced] : llvm::enumerate(op.getReduced())) {
    if (isReduced && maps[2].isFunctionOfDim(dim))
      return op.emitOpError() << "reduces dim " << dim << ", which acc has";
    if (!isReduced && !maps[2].isFunctionOfDim(dim))
      return op.emitOpError() << "keeps dim " << dim << ", which acc has not";
    if (!maps[0].isFunctionOfDim(dim) && !maps[1].isFunctionOfDim(dim))
      return op.emitOpError()
             << "has dim " << dim << ", which neither lhs nor rhs has";
  }
  return success();
}

static LogicalResult verifyShapes(ContractOp op) {
  for (Type type : op->getOperandTypes())
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return op.emitOpError() << "does not take scalable vectors, got " << type;
  SmallVector<int64_t> bounds = op.getBounds();
  static constexpr StringLiteral names[] = {"lhs", "rhs", "acc"};
  for (auto [name, map, operand] :
       llvm::zip(names, op.getMaps(),
                 std::array<Value, 3>{op.getLhs(), op.getRhs(), op.getAcc()}))
    for (auto [expr, extent] : llvm::zip(map.getResults(), shapeOf(operand))) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (bounds[dim] != extent)
        return op.emitOpError() << name << " has " << extent
                                << " elements along dim " << dim << ", where "
                                << "others have " << bounds[dim];
    }
  if (op.getMask() && shapeOf(op.getMask()) != ArrayRef(bounds)) {
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "mask of type " << op.getMask().getType()
                                    << " is not that of the iteration space, ";
    llvm::interleave(bounds, diagnostic, "x");
    return diagnostic;
  }
  return success();
}

/// Returns whether the type has the identity of logsumexp.
static bool isInfiniteFloat(Type type) {
  auto element = dyn_cast<FloatType>(type);
  return element && element.getWidth() >= 16;
}

/// Verifies that the accumulator is a vector, or a number for a vector without
/// dims.
static LogicalResult verifyAccumulator(ContractOp op) {
  Type type = op.getAcc().getType();
  if (isa<VectorType>(type) || type.isIntOrIndexOrFloat())
    return success();
  return op.emitOpError() << "acc of type " << type
                          << " must be a vector or a number";
}

LogicalResult ContractOp::verify() {
  if (failed(verifyAccumulator(*this)) || failed(verifyMaps(*this)) ||
      failed(verifyShapes(*this)))
    return failure();
  if (getAcc().getType() != getResult().getType())
    return emitOpError() << "result of type " << getResult().getType()
                         << " starts from an acc of type "
                         << getAcc().getType();
  Type element = getElementTypeOrSelf(getAcc().getType());
  std::optional<CombiningKind> kind = getCombiningKind();
  if (kind ? !combines(*kind, element) : !isInfiniteFloat(element))
    return emitOpError() << "combines by `"
                         << stringifyCombineKind(getCombine())
                         << "`, which is none of " << element;
  return success();
}

LogicalResult ContractOp::verifyRegions() {
  Block &body = getProduct().front();
  if (body.getNumArguments() != 2)
    return emitOpError() << "product has " << body.getNumArguments()
                         << " arguments, expected elements of lhs and rhs";
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), std::array<Value, 2>{getLhs(), getRhs()}))
    if (argument.getType() != getElementTypeOrSelf(operand.getType()))
      return emitOpError() << "product's argument " << argument.getArgNumber()
                           << " has type " << argument.getType()
                           << ", elements are "
                           << getElementTypeOrSelf(operand.getType());
  for (Operation &op : body)
    if (!isPure(&op))
      return emitOpError() << "product must be pure, '" << op.getName()
                           << "' is not";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  Type element = getElementTypeOrSelf(getAcc().getType());
  if (!yield || yield.getProduct().getType() != element)
    return emitOpError() << "product must yield " << element
                         << ", the type of what it is combined with";
  return success();
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

/// Returns whether both operands have every reduced dim, and there is one:
/// vector.contract requires this.
static bool reducesCommonDims(ContractOp op) {
  SmallVector<AffineMap> maps = op.getMaps();
  SmallVector<bool> reduced = op.getReduced();
  for (auto [dim, isReduced] : llvm::enumerate(reduced))
    if (isReduced &&
        !(maps[0].isFunctionOfDim(dim) && maps[1].isFunctionOfDim(dim)))
      return false;
  return llvm::is_contained(reduced, true);
}

/// Returns the narrowest type that holds the elements of both operands:
/// vector.contract requires one type for both.
static Type commonElement(ContractOp op) {
  Type lhs = getElementTypeOrSelf(op.getLhs()),
       rhs = getElementTypeOrSelf(op.getRhs());
  if (core::canWiden(lhs, rhs))
    return rhs;
  return core::canWiden(rhs, lhs) ? lhs : getElementTypeOrSelf(op.getAcc());
}

static Value withElements(OpBuilder &builder, Value vector, Type element) {
  auto type = cast<VectorType>(vector.getType());
  return widen(builder, vector.getLoc(), vector,
               type.cloneWith(std::nullopt, element));
}

namespace {
/// Replaces a surrounding vector.mask by the op's own mask.
struct MaskIsOperand final : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    auto outer = dyn_cast<vector::MaskOp>(op->getParentOp());
    if (!outer)
      return rewriter.notifyMatchFailure(op, "is not masked");
    rewriter.moveOpBefore(op, outer);
    rewriter.setInsertionPoint(op);
    Value mask = outer.getMask();
    if (op.getMask())
      mask = arith::AndIOp::create(rewriter, op.getLoc(), mask, op.getMask());
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().assign(mask); });
    rewriter.replaceOp(outer, op);
    return success();
  }
};

/// Replaces a contraction that multiplies by vector.contract.
struct MultiplicationIsUpstreams final : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<CombiningKind> combine = op.getCombiningKind();
    if (op.getProductKind() != CombiningKind::MUL || !combine)
      return rewriter.notifyMatchFailure(op, "is another semiring");
    if (op.isMasked())
      return rewriter.notifyMatchFailure(op, "is masked from outside");
    if (!reducesCommonDims(op))
      return rewriter.notifyMatchFailure(op, "reduces dims of one operand");
    auto scalar = [](Value value) { return !isa<VectorType>(value.getType()); };
    auto rankOf = [](Value value) {
      return cast<VectorType>(value.getType()).getRank();
    };
    if (rankOf(op.getLhs()) == 0 || rankOf(op.getRhs()) == 0 ||
        (!scalar(op.getAcc()) && rankOf(op.getAcc()) == 0))
      return rewriter.notifyMatchFailure(op, "has operands of rank 0");
    Type element = commonElement(op);
    auto contract = vector::ContractionOp::create(
        rewriter, op.getLoc(), withElements(rewriter, op.getLhs(), element),
        withElements(rewriter, op.getRhs(), element), op.getAcc(),
        op.getIndexingMaps(), op.getIteratorTypes(), *combine);
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      contract->setDiscardableAttr(attribute.getName(), attribute.getValue());
    if (!op.getMask()) {
      rewriter.replaceOp(op, contract);
      return success();
    }
    rewriter.setInsertionPointAfter(contract);
    rewriter.replaceOp(op,
                       vector::maskOperation(rewriter, contract, op.getMask()));
    return success();
  }
};
} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<MaskIsOperand, MultiplicationIsUpstreams>(context);
}
