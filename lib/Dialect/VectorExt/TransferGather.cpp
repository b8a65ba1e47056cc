//===- TransferGather.cpp - Reads through index vectors -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// transfer_gather: text of both forms, verifier, effects and canonicalization.
//
//===----------------------------------------------------------------------===//
#include "ClassicForm.h"
#include "IndexedAccess.h"

#include "distaff/Dialect/AttributeDictionary.h"
#include "distaff/Dialect/VectorExt/ClassicGathers.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vector_ext;

//===----------------------------------------------------------------------===//
// The two forms
//===----------------------------------------------------------------------===//

static bool isClassic(TransferGatherOp op) { return !op.getIndexingMaps(); }

static SmallVector<AffineMap> getMaps(std::optional<ArrayAttr> attr) {
  return attr ? llvm::to_vector(attr->getAsValueRange<AffineMapAttr>())
              : SmallVector<AffineMap>();
}

static AffineMap getPermutation(std::optional<AffineMap> map, ShapedType base,
                                VectorType vector) {
  if (map)
    return *map;
  // Too high a rank has no minor identity; verify reports it.
  unsigned rank = std::min(base.getRank(), vector.getRank());
  return AffineMap::getMinorIdentityMap(base.getRank(), rank,
                                        vector.getContext());
}

static ClassicForm getClassicForm(TransferGatherOp op) {
  ClassicForm form;
  if (std::optional<ArrayAttr> indexed = op.getIndexed())
    for (auto [dim, value] :
         llvm::enumerate(indexed->getAsValueRange<BoolAttr>()))
      if (value)
        form.gatheredDims.push_back(dim);
  form.indexedMaps = getMaps(op.getIndexedMaps());
  form.permutation = getPermutation(op.getPermutationMap(), op.getBaseType(),
                                    op.getVectorType());
  return form;
}

SmallVector<AffineMap> TransferGatherOp::getIndexingMapsArray() {
  if (isClassic(*this))
    return getClassicForm(*this).getUnifiedMaps(bool(getMask()));
  return getMaps(getIndexingMaps());
}

SmallVector<bool> TransferGatherOp::getInBoundsArray() {
  int64_t rank = getVectorType().getRank();
  if (isClassic(*this) && !getInBounds())
    return SmallVector<bool>(rank, false);
  return vector_ext::getInBounds(getInBounds(), rank);
}

void vector_ext::setMaps(TransferGatherOp op, const IndexedAccess &access) {
  Builder builder(op.getContext());
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(access.maps));
  op.setInBoundsAttr(getInBoundsAttr(builder, access.inBounds));
  op.removeIndexedAttr();
  op.removeIndexedMapsAttr();
  op.removePermutationMapAttr();
}

LogicalResult TransferGatherOp::verify() {
  if (getPadding().getType() != getBaseType().getElementType())
    return emitOpError() << "padding has type " << getPadding().getType()
                         << ", the base has elements of type "
                         << getBaseType().getElementType();
  if (isClassic(*this)) {
    int64_t numEntries = getIndexed() ? getIndexed()->size() : 0;
    if (numEntries != getBaseType().getRank())
      return emitOpError() << "has " << numEntries
                           << " indexed entries for a base of rank "
                           << getBaseType().getRank();
    if (auto why = getClassicForm(*this).verify(getBaseType(), getVectorType(),
                                                getIndexVecs().getTypes()))
      return emitOpError() << *why;
  } else if (getIndexed() || getIndexedMaps() || getPermutationMap()) {
    return emitOpError() << "mixes indexing_maps with the attributes of the "
                            "classic form";
  }
  return verifyAccess(*this, getAccess(*this));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// The parsed text, before operands have types.
struct GatherText {
  OpAsmParser::UnresolvedOperand base, padding;
  SmallVector<OpAsmParser::UnresolvedOperand> offsets, mask;
  SmallVector<TypedOperand> indices;
  SMLoc loc;
  Type baseType, vectorType, maskType;
};
} // namespace

/// Parses `(%i, %j : type)`: index operands in the published syntax, types
/// optional.
static ParseResult parseParenthesized(OpAsmParser &parser,
                                      SmallVectorImpl<TypedOperand> &indices) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
        TypedOperand &entry = indices.emplace_back();
        if (parser.parseOperand(entry.operand.emplace()))
          return failure();
        if (succeeded(parser.parseOptionalColon()))
          return parser.parseType(entry.type);
        return success();
      });
}

/// The attributes that the dictionary may hold, including those of the
/// published syntax of the classic form.
static constexpr StringRef gatherAttributes[] = {
    "indexing_maps", "in_bounds",       "indexed",    "indexed_maps",
    "index_maps",    "permutation_map", "gather_dims"};

static ParseResult parseText(OpAsmParser &parser, GatherText &text,
                             NamedAttrList &attributes) {
  text.loc = parser.getCurrentLocation();
  if (parser.parseOperand(text.base) ||
      parser.parseOperandList(text.offsets, AsmParser::Delimiter::Square) ||
      parseIndexList(parser, text.indices) ||
      (text.indices.empty() && parseParenthesized(parser, text.indices)) ||
      parser.parseComma() || parser.parseOperand(text.padding))
    return failure();
  if (succeeded(parser.parseOptionalComma()) &&
      parser.parseOperand(text.mask.emplace_back()))
    return failure();
  if (parseAttributeDictionary(parser, attributes,
                               TransferGatherOp::getOperationName(),
                               gatherAttributes) ||
      parser.parseColonType(text.baseType))
    return failure();
  // The published syntax has an arrow here.
  if (failed(parser.parseOptionalArrow()) && parser.parseComma())
    return failure();
  if (parser.parseType(text.vectorType))
    return failure();
  if (!text.mask.empty() && succeeded(parser.parseOptionalComma()))
    return parser.parseType(text.maskType);
  return success();
}

/// Removes an array attribute of the classic form from the dictionary.
template <typename AttrTy>
static FailureOr<AttrTy> take(OpAsmParser &parser, NamedAttrList &attributes,
                              StringRef name, SMLoc loc) {
  Attribute attr = attributes.erase(name);
  if (!attr || isa<AttrTy>(attr))
    return cast_or_null<AttrTy>(attr);
  return parser.emitError(loc) << "attribute '" << name << "' is " << attr;
}

static ParseResult parseIntegers(OpAsmParser &parser, ArrayAttr attr, SMLoc loc,
                                 SmallVectorImpl<int64_t> &values) {
  for (Attribute element : attr) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer)
      return parser.emitError(loc)
             << "gather_dims must be integers, got " << attr;
    values.push_back(integer.getInt());
  }
  return success();
}

/// Parses the base dims that index values gather: those of `gather_dims`, else
/// those whose entry is not `None`.
static ParseResult parseGatheredDims(OpAsmParser &parser,
                                     const GatherText &text,
                                     NamedAttrList &attributes,
                                     SmallVectorImpl<int64_t> &dims) {
  FailureOr<ArrayAttr> written =
      take<ArrayAttr>(parser, attributes, "gather_dims", text.loc);
  if (failed(written))
    return failure();
  if (*written)
    return parseIntegers(parser, *written, text.loc, dims);
  int64_t rank = cast<ShapedType>(text.baseType).getRank();
  if (int64_t(text.indices.size()) != rank && !text.indices.empty())
    return parser.emitError(text.loc)
           << "has " << text.indices.size()
           << " indexed entries for a base of rank " << rank;
  for (auto [dim, entry] : llvm::enumerate(text.indices))
    if (entry.operand)
      dims.push_back(dim);
  return success();
}

/// Replaces the attributes of the classic form by those of the unified one.
static ParseResult convertClassic(OpAsmParser &parser, GatherText &text,
                                  NamedAttrList &attributes) {
  auto base = dyn_cast<ShapedType>(text.baseType);
  auto vector = dyn_cast<VectorType>(text.vectorType);
  if (!base || !base.hasRank() || !vector)
    return parser.emitError(text.loc)
           << "reads a vector from a ranked memref "
              "or tensor, got "
           << text.vectorType << " from " << text.baseType;
  ClassicForm form;
  if (parseGatheredDims(parser, text, attributes, form.gatheredDims))
    return failure();
  llvm::erase_if(text.indices,
                 [](const TypedOperand &entry) { return !entry.operand; });
  StringRef mapsName =
      attributes.get("index_maps") ? "index_maps" : "indexed_maps";
  auto maps = take<ArrayAttr>(parser, attributes, mapsName, text.loc);
  auto permutation =
      take<AffineMapAttr>(parser, attributes, "permutation_map", text.loc);
  if (failed(maps) || failed(permutation))
    return failure();
  if (*maps)
    form.indexedMaps = getMaps(*maps);
  form.permutation = getPermutation(
      *permutation ? std::optional(permutation->getValue()) : std::nullopt,
      base, vector);
  auto types = llvm::map_to_vector(
      text.indices, [](const TypedOperand &entry) { return entry.type; });
  if (auto why = form.verify(base, vector, types))
    return parser.emitError(text.loc) << *why;

  // Index values without a written type are index vectors that fit.
  Builder &builder = parser.getBuilder();
  SmallVector<int64_t> slice = form.getSliceShape(vector.getShape());
  for (auto [entry, map] : llvm::zip_equal(text.indices, form.indexedMaps))
    if (!entry.type)
      entry.type =
          VectorType::get(applyToShape(map, slice), builder.getIndexType());
  attributes.set("indexing_maps", builder.getAffineMapArrayAttr(
                                      form.getUnifiedMaps(!text.mask.empty())));
  if (!attributes.get("in_bounds"))
    attributes.set("in_bounds", builder.getBoolArrayAttr(SmallVector<bool>(
                                    vector.getRank(), false)));
  return success();
}

/// Gives a mask without a written type the shape that its map requires.
static void inferMaskType(OpAsmParser &parser, GatherText &text,
                          const NamedAttrList &attributes) {
  auto vector = dyn_cast<VectorType>(text.vectorType);
  auto maps = dyn_cast_or_null<ArrayAttr>(attributes.get("indexing_maps"));
  if (text.mask.empty() || text.maskType || !vector || !maps || maps.empty())
    return;
  auto map = dyn_cast<AffineMapAttr>(*std::prev(maps.end()));
  if (map && map.getValue().getNumDims() == vector.getRank())
    text.maskType =
        VectorType::get(applyToShape(map.getValue(), vector.getShape()),
                        parser.getBuilder().getI1Type());
}

ParseResult TransferGatherOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  GatherText text;
  NamedAttrList &attributes = result.attributes;
  if (parseText(parser, text, attributes))
    return failure();
  if (!attributes.get("indexing_maps") &&
      convertClassic(parser, text, attributes))
    return failure();
  inferMaskType(parser, text, attributes);
  dropTrueInBounds(attributes, text.vectorType);

  auto base = dyn_cast<ShapedType>(text.baseType);
  if (!base)
    return parser.emitError(text.loc) << "base has type " << text.baseType
                                      << ", expected a memref or a tensor";
  Type indexType = parser.getBuilder().getIndexType();
  if (parser.resolveOperand(text.base, base, result.operands) ||
      parser.resolveOperands(text.offsets, indexType, result.operands))
    return failure();
  for (const TypedOperand &entry : text.indices) {
    if (!entry.operand || !entry.type)
      return parser.emitError(text.loc)
             << "only the classic form has entries without operand or type";
    if (parser.resolveOperand(*entry.operand, entry.type, result.operands))
      return failure();
  }
  if (parser.resolveOperand(text.padding, base.getElementType(),
                            result.operands))
    return failure();
  if (!text.mask.empty()) {
    if (!text.maskType)
      return parser.emitError(text.loc)
             << "the mask has no type; write it behind the vector's";
    if (parser.resolveOperand(text.mask[0], text.maskType, result.operands))
      return failure();
  }
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, int32_t(text.offsets.size()), int32_t(text.indices.size()), 1,
      int32_t(text.mask.size())};
  return parser.addTypeToList(text.vectorType, result.types);
}

/// Prints `[None, %i : vector<16xindex>]`, one entry per base dim.
static void printEntries(OpAsmPrinter &printer, TransferGatherOp op,
                         const ClassicForm &form) {
  printer << '[';
  unsigned next = 0;
  llvm::interleaveComma(llvm::seq<int64_t>(0, op.getBaseType().getRank()),
                        printer, [&](int64_t dim) {
                          if (!llvm::is_contained(form.gatheredDims, dim)) {
                            printer << "None";
                            return;
                          }
                          Value index = op.getIndexVecs()[next++];
                          printer << index << " : " << index.getType();
                        });
  printer << ']';
}

static void printClassicAttributes(OpAsmPrinter &printer, TransferGatherOp op,
                                   const ClassicForm &form) {
  Builder builder(op.getContext());
  NamedAttrList attributes;
  attributes.append("indexed_maps",
                    builder.getAffineMapArrayAttr(form.indexedMaps));
  attributes.append("permutation_map", AffineMapAttr::get(form.permutation));
  attributes.append("in_bounds",
                    builder.getBoolArrayAttr(op.getInBoundsArray()));
  attributes.append(op->getDiscardableAttrs());
  printAttributeDictionary(printer, op, attributes);
}

/// Returns the classic form if it is to be printed.
static std::optional<ClassicForm> getPrintedForm(TransferGatherOp op) {
  auto *dialect = op->getDialect();
  if (!dialect || !dialect->getRegisteredInterface<ClassicGathers>())
    return std::nullopt;
  return ClassicForm::of(op.getIndexingMapsArray(), bool(op.getMask()));
}

void TransferGatherOp::print(OpAsmPrinter &printer) {
  std::optional<ClassicForm> classic = getPrintedForm(*this);
  printer << ' ' << getBase() << '[' << getOffsets() << ']';
  if (classic)
    printEntries(printer, *this, *classic);
  else
    printIndexList(printer, getIndexVecs());
  printer << ", " << getPadding();
  if (getMask())
    printer << ", " << getMask();
  if (classic)
    printClassicAttributes(printer, *this, *classic);
  else
    printAccessAttributes(printer, *this, getAccess(*this));
  printer << " : " << getBase().getType() << ", " << getVectorType();
  if (getMask())
    printer << ", " << getMask().getType();
}

//===----------------------------------------------------------------------===//
// Effects and canonicalization
//===----------------------------------------------------------------------===//

void TransferGatherOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBaseEffect(getBaseMutable(), MemoryEffects::Read::get(), effects);
}

/// Returns the same as for vector.transfer_read: a tensor can be read anywhere.
Speculation::Speculatability TransferGatherOp::getSpeculatability() {
  return isa<RankedTensorType>(getBase().getType())
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

/// G2: replaces the op by the padding.
void vector_ext::replaceMasked(TransferGatherOp op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, op.getVectorType(),
                                                   op.getPadding());
}

LogicalResult vector_ext::replaceByTransfer(TransferGatherOp op, AffineMap map,
                                            ArrayAttr inBounds,
                                            PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<vector::TransferReadOp>(
      op, op.getVectorType(), op.getBase(), op.getOffsets(),
      AffineMapAttr::get(map), op.getPadding(), op.getMask(), inBounds);
  return success();
}

void vector_ext::replaceByAccess(TransferGatherOp op,
                                 const IndexedAccess &access,
                                 PatternRewriter &rewriter) {
  auto gather = TransferGatherOp::create(
      rewriter, op.getLoc(), access.vector, op.getBase(), access.offsets,
      access.indices, op.getPadding(), access.mask,
      rewriter.getAffineMapArrayAttr(access.maps),
      getInBoundsAttr(rewriter, access.inBounds), /*indexed=*/nullptr,
      /*indexed_maps=*/nullptr, /*permutation_map=*/nullptr);
  rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, op.getVectorType(),
                                                   gather.getVector());
}

namespace {
/// Replaces the attributes of the classic form by those of the unified one.
struct UnifyForm final : OpRewritePattern<TransferGatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransferGatherOp op,
                                PatternRewriter &rewriter) const override {
    if (!isClassic(op))
      return rewriter.notifyMatchFailure(op, "is in unified form");
    update(op, getAccess(op), rewriter);
    return success();
  }
};
} // namespace

void TransferGatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<UnifyForm>(context);
  populateAccessFolds(patterns, TransferGatherOp());
}
