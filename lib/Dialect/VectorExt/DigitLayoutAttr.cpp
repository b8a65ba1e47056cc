//===- DigitLayoutAttr.cpp - Layouts as digits ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verifier of #iree_vector_ext.digit_layout.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/LayoutOf.h"

using namespace distaff;
using namespace distaff::vector_ext;

static constexpr Axis axes[] = {Axis::Subgroup, Axis::Lane, Axis::Register};

// digit ::= (`sg` | `lane` | `reg`) `(` size `,` stride `)`
static ParseResult parseDigit(AsmParser &parser, Digit &digit) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  auto axis = llvm::find_if(
      axes, [&](Axis axis) { return stringifyAxis(axis) == name; });
  if (axis == std::end(axes))
    return parser.emitError(loc, "expected 'sg', 'lane' or 'reg', got '")
           << name << "'";
  digit.axis = *axis;
  return failure(parser.parseLParen() || parser.parseInteger(digit.size) ||
                 parser.parseComma() || parser.parseInteger(digit.stride) ||
                 parser.parseRParen());
}

/// Flattens the digits for the attribute's storage.
static std::pair<SmallVector<int64_t>, SmallVector<Digit>>
joinDims(ArrayRef<SmallVector<Digit>> dims) {
  SmallVector<int64_t> counts;
  SmallVector<Digit> digits;
  for (const SmallVector<Digit> &dim : dims) {
    counts.push_back(dim.size());
    llvm::append_range(digits, dim);
  }
  return {counts, digits};
}

Attribute DigitLayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<SmallVector<Digit>> dims;
  auto parseDim = [&] {
    SmallVector<Digit> &dim = dims.emplace_back();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parseDigit(parser, dim.emplace_back());
    });
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parser.parseGreater())
    return {};
  auto [counts, digits] = joinDims(dims);
  return parser.getChecked<DigitLayoutAttr>(loc, parser.getContext(),
                                            ArrayRef<int64_t>(counts),
                                            ArrayRef<Digit>(digits));
}

DigitLayoutAttr
vector_ext::getDigitLayoutAttr(MLIRContext *context,
                               ArrayRef<SmallVector<Digit>> dims) {
  auto [counts, digits] = joinDims(dims);
  return DigitLayoutAttr::get(context, counts, digits);
}

/// Reverts joinDims.
static SmallVector<SmallVector<Digit>> splitDims(ArrayRef<int64_t> counts,
                                                 ArrayRef<Digit> digits) {
  SmallVector<SmallVector<Digit>> dims;
  for (int64_t count : counts) {
    dims.emplace_back(digits.take_front(count));
    digits = digits.drop_front(count);
  }
  return dims;
}

void DigitLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  auto printDim = [&](const SmallVector<Digit> &dim) {
    printer << '[';
    llvm::interleaveComma(dim, printer, [&](const Digit &digit) {
      printer << stringifyAxis(digit.axis) << '(' << digit.size << ", "
              << digit.stride << ')';
    });
    printer << ']';
  };
  llvm::interleaveComma(splitDims(getCounts(), getFlatDigits()), printer,
                        printDim);
  printer << "]>";
}

LogicalResult
DigitLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<int64_t> counts, ArrayRef<Digit> digits) {
  // The library drops digits of size 1; here they would be a second spelling.
  for (const Digit &digit : digits) {
    if (digit.size < 2)
      return emitError() << "digit sizes must be at least 2, got "
                         << stringifyAxis(digit.axis) << "(" << digit.size
                         << ", " << digit.stride << ")";
    if (digit.stride < 1)
      return emitError() << "digit strides must be positive, got "
                         << stringifyAxis(digit.axis) << "(" << digit.size
                         << ", " << digit.stride << ")";
  }
  std::string why;
  if (!Layout::get(splitDims(counts, digits), &why))
    return emitError() << why;
  return success();
}

//===----------------------------------------------------------------------===//
// VectorLayoutInterface
//===----------------------------------------------------------------------===//

Layout DigitLayoutAttr::getLayout() const {
  return *Layout::get(splitDims(getCounts(), getFlatDigits()));
}

void DigitLayoutAttr::assignLayout(std::optional<Layout> &layout) const {
  layout = getLayout();
}

std::optional<std::string>
DigitLayoutAttr::isValidForTarget(int64_t workgroupSize,
                                  int64_t subgroupSize) const {
  std::string why;
  if (getLayout().forTarget(workgroupSize, subgroupSize, &why))
    return std::nullopt;
  return why;
}

LogicalResult DigitLayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return layout_defaults::verifyEncoding(*this, shape, elementType, emitError);
}
