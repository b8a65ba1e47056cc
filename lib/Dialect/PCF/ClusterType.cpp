//===- ClusterType.cpp - A named box of workers ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds are one affine map from (range operands)[worker counts] to lo0, hi0,
// lo1, hi1, ...; its number of dimensions follows from its text, so equal text
// gives equal types.
//
//===----------------------------------------------------------------------===//
#include "ClusterBounds.h"
#include "Handles.h"
#include "ScopeOf.h"

#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// The text of a cluster id and its location.
struct ParsedId {
  StringRef text;
  SMLoc loc;
};
} // namespace

/// Parses `(lo -> hi) x ...`.
static ParseResult parseRanges(AsmParser &parser,
                               SmallVectorImpl<AffineExpr> &bounds) {
  do {
    AffineExpr lower, upper;
    if (parser.parseLParen() || parseClusterBound(parser, lower) ||
        parser.parseArrow() || parseClusterBound(parser, upper) ||
        parser.parseRParen())
      return failure();
    bounds.append({lower, upper});
  } while (succeeded(parser.parseOptionalKeyword("x")));
  return success();
}

/// Parses `[, shared: {types}] [, private: {types}], id`.
static ParseResult parsePayloadAndId(AsmParser &parser, ParsedPayload &payload,
                                     ParsedId &id) {
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalComma()))
      return parser.emitError(loc, "cluster id is missing");
    id.loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&id.text)))
      return parser.emitError(id.loc, "cluster id is missing");
    if (failed(parser.parseOptionalColon()))
      return success();
    if (id.text != "shared" && id.text != "private")
      return parser.emitError(id.loc,
                              "expected 'shared' or 'private' before ':'");
    if (payload.parse(parser, id.loc, id.text == "private"))
      return failure();
  }
}

Type ClusterType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute scope;
  SmallVector<AffineExpr> bounds;
  ParsedPayload payload;
  ParsedId id;
  if (parser.parseLess() || parser.parseAttribute(scope) ||
      parser.parseComma() || parseRanges(parser, bounds) ||
      parsePayloadAndId(parser, payload, id) || parser.parseGreater())
    return {};
  NsSymAttr symbol = NsSymAttr::parseFrom(
      [&] { return parser.emitError(id.loc); }, parser.getContext(), id.text);
  if (!symbol)
    return {};
  AffineMap map = makeBoundsMap(bounds, parser.getContext());
  return parser.getChecked<ClusterType>(loc, scope, map, symbol,
                                        ArrayRef(payload.sharedTypes),
                                        ArrayRef(payload.privateTypes));
}

void ClusterType::print(AsmPrinter &printer) const {
  printer << '<' << getScope() << ", ";
  llvm::interleave(
      llvm::seq<int64_t>(0, getRank()), printer,
      [&](int64_t dim) {
        printer << '(' << getLowerBound(dim) << " -> " << getUpperBound(dim)
                << ')';
      },
      " x ");
  printPayload(printer, getSharedPayload(*this), getPrivatePayload(*this));
  printer << ", " << getId().str() << '>';
}

LogicalResult ClusterType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Attribute scope, AffineMap bounds,
                                  ArrayRef<Type> payload, unsigned numShared,
                                  NsSymAttr id) {
  assert(numShared <= payload.size() && "shared fields are fields");
  if (failed(verifyScope(emitError, scope)))
    return failure();
  int64_t rank = cast<ScopeAttrInterface>(scope).getNativeNumProcessorIds();
  if (bounds.getNumResults() != 2 * rank)
    return emitError() << "cluster has " << bounds.getNumResults() / 2
                       << " ranges but " << scope << " has " << rank
                       << " native worker ids";
  for (auto [i, bound] : llvm::enumerate(bounds.getResults()))
    if (failed(verifyClusterBound(emitError, bound, i / 2)))
      return failure();
  assert(bounds.getNumSymbols() == rank &&
         bounds.getNumDims() == countRangeOperands(bounds.getResults()) &&
         "the map's dimensions follow from its results");
  return verifyPayload(emitError, payload);
}

OpAsmAliasResult ClusterType::getAlias(raw_ostream &os) const {
  std::string name = getId().str();
  llvm::replace(name, '.', '_');
  os << name;
  return OpAsmAliasResult::OverridableAlias;
}
