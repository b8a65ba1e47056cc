//===- ClusterBounds.cpp - Affine ends of a range of workers --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ClusterBounds.h"

using namespace distaff;
using namespace distaff::pcf;

static constexpr StringLiteral boundForms =
    "cluster bound must be an integer, 'dN' or 'sN', or an affine expression "
    "of them that is not negative";

//===----------------------------------------------------------------------===//
// Text: terms of factors, as in an affine map
//===----------------------------------------------------------------------===//

static ParseResult parseSum(AsmParser &parser, AffineExpr &sum);

/// Parses an integer, `dN`, `sN`, `-factor` or `(sum)`.
static ParseResult parseFactor(AsmParser &parser, AffineExpr &factor) {
  SMLoc loc = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  if (succeeded(parser.parseOptionalMinus())) {
    if (parseFactor(parser, factor))
      return failure();
    factor = -factor;
    return success();
  }
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parseSum(parser, factor) || parser.parseRParen());
  int64_t value;
  OptionalParseResult integer = parser.parseOptionalInteger(value);
  if (integer.has_value()) {
    factor = getAffineConstantExpr(succeeded(*integer) ? value : 0, context);
    return *integer;
  }
  StringRef name;
  unsigned position;
  if (failed(parser.parseOptionalKeyword(&name)) ||
      name.drop_front().getAsInteger(10, position) || position >= 1u << 16 ||
      (name.front() != 'd' && name.front() != 's'))
    return parser.emitError(loc, boundForms);
  factor = name.front() == 'd' ? getAffineDimExpr(position, context)
                               : getAffineSymbolExpr(position, context);
  return success();
}

/// Parses the operator between two factors; nullopt at the end of a term.
static std::optional<AffineExprKind> parseOperator(AsmParser &parser) {
  if (succeeded(parser.parseOptionalStar()))
    return AffineExprKind::Mul;
  if (succeeded(parser.parseOptionalKeyword("floordiv")))
    return AffineExprKind::FloorDiv;
  if (succeeded(parser.parseOptionalKeyword("ceildiv")))
    return AffineExprKind::CeilDiv;
  if (succeeded(parser.parseOptionalKeyword("mod")))
    return AffineExprKind::Mod;
  return std::nullopt;
}

static ParseResult parseTerm(AsmParser &parser, AffineExpr &term) {
  if (parseFactor(parser, term))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  while (std::optional<AffineExprKind> kind = parseOperator(parser)) {
    AffineExpr factor;
    if (parseFactor(parser, factor))
      return failure();
    auto constant = dyn_cast<AffineConstantExpr>(factor);
    bool isProduct = *kind == AffineExprKind::Mul;
    if (isProduct && !constant && !isa<AffineConstantExpr>(term))
      return parser.emitError(loc, "a cluster bound is a product with an "
                                   "integer only");
    if (!isProduct && (!constant || constant.getValue() <= 0))
      return parser.emitError(loc, "a divisor in a cluster bound must be a "
                                   "positive integer");
    term = getAffineBinaryOpExpr(*kind, term, factor);
    loc = parser.getCurrentLocation();
  }
  return success();
}

static ParseResult parseSum(AsmParser &parser, AffineExpr &sum) {
  if (parseTerm(parser, sum))
    return failure();
  while (true) {
    bool isPlus = succeeded(parser.parseOptionalPlus());
    if (!isPlus && failed(parser.parseOptionalMinus()))
      return success();
    AffineExpr term;
    if (parseTerm(parser, term))
      return failure();
    sum = isPlus ? sum + term : sum - term;
  }
}

ParseResult pcf::parseClusterBound(AsmParser &parser, AffineExpr &bound) {
  return parseSum(parser, bound);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult
pcf::verifyClusterBound(function_ref<InFlightDiagnostic()> emitError,
                        AffineExpr bound, int64_t dim) {
  auto constant = dyn_cast<AffineConstantExpr>(bound);
  if (!bound.isPureAffine() || (constant && constant.getValue() < 0))
    return emitError() << boundForms;
  WalkResult result = bound.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (!symbol || symbol.getPosition() == dim)
      return WalkResult::advance();
    emitError() << "'s" << symbol.getPosition() << "' cannot bound dimension "
                << dim;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

unsigned pcf::countRangeOperands(ArrayRef<AffineExpr> bounds) {
  unsigned count = 0;
  for (AffineExpr bound : bounds)
    bound.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        count = std::max(count, dim.getPosition() + 1);
    });
  return count;
}

AffineMap pcf::makeBoundsMap(ArrayRef<AffineExpr> bounds,
                             MLIRContext *context) {
  return AffineMap::get(countRangeOperands(bounds), bounds.size() / 2, bounds,
                        context);
}
