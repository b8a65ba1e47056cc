//===- SRefType.cpp - Memory shared by a scope ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "ScopeOf.h"

using namespace distaff;
using namespace distaff::pcf;

Type SRefType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  Attribute scope, sync;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("sync"))) {
    if (parser.parseLParen() || parser.parseAttribute(scope) ||
        parser.parseRParen())
      return {};
    sync = SyncOnReturnAttr::get(parser.getContext());
  } else {
    if (parser.parseAttribute(scope))
      return {};
    if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(sync))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SRefType>(loc, parser.getContext(), ArrayRef(shape),
                                     elementType, scope, sync);
}

void SRefType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    if (ShapedType::isDynamic(extent))
      printer << "?x";
    else
      printer << extent << 'x';
  printer << getElementType() << ", ";
  if (isReturnOnlySync()) {
    printer << "sync(" << getScope() << ")>";
    return;
  }
  printer << getScope();
  if (getSyncScope())
    printer << ", " << getSyncScope();
  printer << '>';
}

LogicalResult SRefType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               Attribute scope, Attribute) {
  if (failed(verifyScope(emitError, scope)))
    return failure();
  if (!BaseMemRefType::isValidElementType(elementType))
    return emitError() << "invalid sref element type " << elementType;
  return success();
}

bool SRefType::hasRank() const { return true; }

ShapedType SRefType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                               Type elementType) const {
  return SRefType::get(shape.value_or(getShape()), elementType, getScope(),
                       getSyncScope());
}

bool SRefType::isReturnOnlySync() const {
  return isa_and_nonnull<SyncOnReturnAttr>(getSyncScope());
}

SRefType SRefType::withoutSync() const {
  return SRefType::get(getShape(), getElementType(), getScope());
}

OpAsmAliasResult SRefType::getAlias(raw_ostream &os) const {
  os << "sref_";
  for (int64_t extent : getShape())
    if (ShapedType::isDynamic(extent))
      os << "Dx";
    else
      os << extent << 'x';
  // The printed names of element types are short.
  os << getElementType();
  if (getSyncScope())
    os << "_sync";
  // The printer appends a number to an alias, which must not end in a digit.
  os << '_' << getScopeName(getScope());
  return OpAsmAliasResult::OverridableAlias;
}
