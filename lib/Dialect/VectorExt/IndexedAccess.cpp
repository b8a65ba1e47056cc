//===- IndexedAccess.cpp - Accesses of gather and scatter -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The struct's operations, its verifier (one function per clause of the
// specification, section 2.6) and the text of its parts.
//
//===----------------------------------------------------------------------===//
#include "IndexedAccess.h"

#include "distaff/Dialect/AttributeDictionary.h"
using namespace distaff;
using namespace distaff::vector_ext;

//===----------------------------------------------------------------------===//
// IndexedAccess
//===----------------------------------------------------------------------===//

llvm::SmallBitVector IndexedAccess::getCheckedDims() const {
  llvm::SmallBitVector checked(maps[0].getNumResults());
  auto feedsOutside = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim && !inBounds[dim.getPosition()];
  };
  for (auto [position, expr] : llvm::enumerate(maps[0].getResults())) {
    if (feedsOutside(expr))
      checked.set(position);
    auto symbol = dyn_cast<AffineSymbolExpr>(expr);
    if (symbol &&
        llvm::any_of(maps[1 + symbol.getPosition()].getResults(), feedsOutside))
      checked.set(position);
  }
  return checked;
}

void IndexedAccess::dropIndex(unsigned index, AffineExpr replacement) {
  MLIRContext *context = getContext();
  unsigned numSymbols = indices.size();
  auto renumber = [&](unsigned symbol) {
    return getAffineSymbolExpr(symbol > index ? symbol - 1 : symbol, context);
  };
  if (auto symbol = dyn_cast<AffineSymbolExpr>(replacement))
    replacement = renumber(symbol.getPosition());
  SmallVector<AffineExpr> symbols;
  for (unsigned symbol = 0; symbol < numSymbols; ++symbol)
    symbols.push_back(symbol == index ? replacement : renumber(symbol));
  indices.erase(indices.begin() + index);
  maps.erase(maps.begin() + 1 + index);
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols({}, symbols, map.getNumDims(),
                                    numSymbols - 1);
}

void IndexedAccess::dropUnitDim(unsigned dim) {
  MLIRContext *context = getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned position = 0; position < inBounds.size(); ++position)
    dims.push_back(position == dim ? getAffineConstantExpr(0, context)
                                   : getAffineDimExpr(
                                         position - (position > dim), context));
  inBounds.erase(inBounds.begin() + dim);
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(dims, {}, inBounds.size(),
                                    map.getNumSymbols());
  SmallVector<int64_t> shape(vector.getShape());
  shape.erase(shape.begin() + dim);
  vector = VectorType::get(shape, vector.getElementType());
}

SmallVector<int64_t> vector_ext::applyToShape(AffineMap map,
                                              ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? shape[dim.getPosition()] : int64_t(1);
  });
}

SmallVector<bool> vector_ext::getInBounds(std::optional<ArrayAttr> attr,
                                          int64_t rank) {
  if (!attr)
    return SmallVector<bool>(rank, true);
  return llvm::to_vector(attr->getAsValueRange<BoolAttr>());
}

ArrayAttr vector_ext::getInBoundsAttr(Builder &builder,
                                      ArrayRef<bool> inBounds) {
  if (llvm::all_of(inBounds, [](bool value) { return value; }))
    return {};
  return builder.getBoolArrayAttr(inBounds);
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

static LogicalResult verifyCounts(Operation *op, const IndexedAccess &access) {
  size_t expected = 1 + access.indices.size() + (access.mask ? 1 : 0);
  if (access.maps.size() != expected)
    return op->emitOpError()
           << "has " << access.maps.size() << " indexing maps, expected "
           << expected << ": one for the base, " << access.indices.size()
           << " for index values, " << (access.mask ? 1 : 0) << " for the mask";
  if (int64_t(access.offsets.size()) != access.base.getRank())
    return op->emitOpError()
           << "has " << access.offsets.size() << " offsets for a base of rank "
           << access.base.getRank();
  if (int64_t(access.inBounds.size()) != access.vector.getRank())
    return op->emitOpError() << "has " << access.inBounds.size()
                             << " in_bounds entries for a vector of rank "
                             << access.vector.getRank();
  return success();
}

static LogicalResult verifyTypes(Operation *op, const IndexedAccess &access) {
  Type element = access.base.getElementType();
  if (access.mask && isa<VectorType>(element))
    return op->emitOpError()
           << "a mask needs scalar elements, the base has " << element;
  if (access.vector.getElementType() != element)
    return op->emitOpError()
           << "vector has elements of type " << access.vector.getElementType()
           << ", the base of type " << element;
  if (access.vector.isScalable())
    return op->emitOpError()
           << "does not take scalable vectors, got " << access.vector;
  return success();
}

static LogicalResult verifyBaseMap(Operation *op, const IndexedAccess &access) {
  AffineMap map = access.maps[0];
  if (int64_t(map.getNumResults()) != access.base.getRank())
    return op->emitOpError()
           << "map of the base has " << map.getNumResults()
           << " results, the base has rank " << access.base.getRank();
  llvm::SmallBitVector used(access.indices.size());
  for (AffineExpr expr : map.getResults()) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      used.set(symbol.getPosition());
    else if (!isa<AffineDimExpr>(expr) && expr != 0)
      return op->emitOpError()
             << "map of the base has a result that is no dim, no symbol and "
                "not 0: "
             << AffineMapAttr::get(map);
  }
  if (int index = used.find_first_unset(); index >= 0)
    return op->emitOpError()
           << "index value " << index << " is not used by the map of the base";
  return success();
}

/// Verifies the map of an index value or of the mask, and the operand's shape.
static LogicalResult verifyOperandMap(Operation *op, AffineMap map, Type type,
                                      ArrayRef<int64_t> shape,
                                      const Twine &name) {
  auto vector = dyn_cast<VectorType>(type);
  llvm::SmallBitVector used(map.getNumDims());
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && expr != 0)
      return op->emitOpError()
             << "map of " << name
             << " has a result that is no dim: " << AffineMapAttr::get(map);
    if (dim && used.test(dim.getPosition()))
      return op->emitOpError() << "map of " << name << " uses dim "
                               << dim.getPosition() << " twice";
    if (dim)
      used.set(dim.getPosition());
  }
  SmallVector<int64_t> expected = applyToShape(map, shape);
  if (vector && vector.getShape() == ArrayRef(expected))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << name << " has type " << type
                                  << ", its map asks for ";
  if (!vector)
    return diagnostic << "a vector of " << expected.size() << " dims";
  diagnostic << "shape [";
  llvm::interleaveComma(expected, diagnostic);
  return diagnostic << "]";
}

static LogicalResult verifyIndex(Operation *op, const IndexedAccess &access,
                                 unsigned index) {
  std::string name = ("index value " + Twine(index)).str();
  Type type = access.indices[index].getType();
  AffineMap map = access.maps[1 + index];
  // Only a scalar has the empty map.
  if (map.getNumResults() == 0 && !isa<VectorType>(type))
    return success();
  if (map.getNumResults() == 0)
    return op->emitOpError() << name << " has type " << type
                             << ", its map has no results: expected a scalar";
  return verifyOperandMap(op, map, type, access.vector.getShape(), name);
}

LogicalResult vector_ext::verifyAccess(Operation *op,
                                       const IndexedAccess &access) {
  if (failed(verifyCounts(op, access)))
    return failure();
  unsigned rank = access.vector.getRank(), numSymbols = access.indices.size();
  for (auto [position, map] : llvm::enumerate(access.maps))
    if (map.getNumDims() != rank || map.getNumSymbols() != numSymbols)
      return op->emitOpError()
             << "indexing map " << position << " has " << map.getNumDims()
             << " dims and " << map.getNumSymbols() << " symbols, expected "
             << rank << " dims of the vector and " << numSymbols
             << " index values";
  if (failed(verifyTypes(op, access)) || failed(verifyBaseMap(op, access)))
    return failure();
  for (unsigned index = 0; index < numSymbols; ++index)
    if (failed(verifyIndex(op, access, index)))
      return failure();
  if (!access.mask)
    return success();
  return verifyOperandMap(op, access.maps.back(), access.mask.getType(),
                          access.vector.getShape(), "mask");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses the types after `[%a, %b :` for the entries without a type.
static ParseResult parseTypesOf(OpAsmParser &parser,
                                MutableArrayRef<TypedOperand> indices) {
  bool isFirst = true;
  for (TypedOperand &entry : indices) {
    if (!entry.operand || entry.type)
      continue;
    if ((!isFirst && parser.parseComma()) || parser.parseType(entry.type))
      return failure();
    isFirst = false;
  }
  return success();
}

ParseResult vector_ext::parseIndexList(OpAsmParser &parser,
                                       SmallVectorImpl<TypedOperand> &indices) {
  auto parseEntry = [&]() -> ParseResult {
    TypedOperand &entry = indices.emplace_back();
    if (succeeded(parser.parseOptionalKeyword("None")))
      return success();
    if (parser.parseOperand(entry.operand.emplace()))
      return failure();
    return succeeded(parser.parseOptionalColon())
               ? parseTypesOf(parser, indices)
               : success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare,
                                     parseEntry))
    return failure();
  if (llvm::any_of(indices, [](const TypedOperand &entry) {
        return entry.operand && !entry.type;
      }))
    return parser.emitError(loc)
           << "an index operand has no type; write `[%a : type, %b : type]` or "
              "`[%a, %b : type, type]`";
  return success();
}

void vector_ext::printIndexList(OpAsmPrinter &printer, ValueRange indices) {
  if (indices.empty())
    return;
  printer << " [";
  llvm::interleaveComma(indices, printer, [&](Value index) {
    printer << index << " : " << index.getType();
  });
  printer << ']';
}

void vector_ext::dropTrueInBounds(NamedAttrList &attributes, Type vector) {
  auto inBounds = dyn_cast_or_null<ArrayAttr>(attributes.get("in_bounds"));
  auto type = dyn_cast<VectorType>(vector);
  if (inBounds && type && int64_t(inBounds.size()) == type.getRank() &&
      llvm::all_of(inBounds, [](Attribute value) {
        return value == BoolAttr::get(value.getContext(), true);
      }))
    attributes.erase("in_bounds");
}

void vector_ext::printAccessAttributes(OpAsmPrinter &printer, Operation *op,
                                       const IndexedAccess &access) {
  Builder builder(op->getContext());
  NamedAttrList attributes;
  attributes.append("indexing_maps",
                    builder.getAffineMapArrayAttr(access.maps));
  if (ArrayAttr inBounds = getInBoundsAttr(builder, access.inBounds))
    attributes.append("in_bounds", inBounds);
  attributes.append(op->getDiscardableAttrs());
  printAttributeDictionary(printer, op, attributes);
}

void vector_ext::addBaseEffect(
    OpOperand &base, MemoryEffects::Effect *effect,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa<MemRefType>(base.get().getType()))
    effects.emplace_back(effect, &base, SideEffects::DefaultResource::get());
}
