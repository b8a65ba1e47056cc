//===- NestedLayoutAttr.cpp - Layouts as tiles ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verifier of #iree_vector_ext.nested_layout. The layout library
// implements the laws NV1 to NV6 and the algebra; this file adapts them to
// MLIR.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/LayoutOf.h"

using namespace distaff;
using namespace distaff::vector_ext;

static ParseResult parseList(AsmParser &parser, StringRef key,
                             SmallVectorImpl<int64_t> &values) {
  if (parser.parseKeyword(key) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

Attribute NestedLayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<SmallVector<int64_t>> lists;
  if (parser.parseLess())
    return {};
  for (const NestedLayout::Field &field : NestedLayout::fields) {
    if (!lists.empty() && parser.parseComma())
      return {};
    if (parseList(parser, field.key, lists.emplace_back()))
      return {};
  }
  if (parser.parseGreater())
    return {};
  std::string why;
  std::optional<NestedLayout> layout = NestedLayout::fromLists(lists, why);
  if (!layout)
    return parser.emitError(loc, why), Attribute();
  return parser.getChecked<NestedLayoutAttr>(loc, parser.getContext(), *layout);
}

void NestedLayoutAttr::print(AsmPrinter &printer) const {
  NestedLayout layout = getNested();
  printer << '<';
  llvm::interleaveComma(
      NestedLayout::fields, printer, [&](const NestedLayout::Field &field) {
        printer << field.key << " = [";
        llvm::interleaveComma(layout.list(field.number), printer);
        printer << ']';
      });
  printer << '>';
}

LogicalResult
NestedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<NestedDim> dims) {
  NestedLayout layout{llvm::to_vector(dims)};
  if (std::optional<std::string> why = layout.verify())
    return emitError() << *why;
  return success();
}

NestedLayout NestedLayoutAttr::getNested() const {
  return {llvm::to_vector(getDims())};
}

//===----------------------------------------------------------------------===//
// VectorLayoutInterface
//===----------------------------------------------------------------------===//

Layout NestedLayoutAttr::getLayout() const { return getNested().toLayout(); }

void NestedLayoutAttr::assignLayout(std::optional<Layout> &layout) const {
  layout = getLayout();
}

SmallVector<int64_t> NestedLayoutAttr::getDistributedShape() const {
  return getNested().distributedShape();
}

std::optional<std::string>
NestedLayoutAttr::isValidForTarget(int64_t workgroupSize,
                                   int64_t subgroupSize) const {
  return getNested().verifyForTarget(workgroupSize, subgroupSize);
}

VectorLayoutInterface
NestedLayoutAttr::permute(ArrayRef<int64_t> permutation) const {
  return get(getContext(), getNested().permute(permutation));
}

VectorLayoutInterface
NestedLayoutAttr::project(const llvm::SmallBitVector &dropped) const {
  return get(getContext(), getNested().project(dropped));
}

VectorLayoutInterface NestedLayoutAttr::apply(AffineMap map) const {
  if (int64_t(map.getNumDims()) != getRank())
    return {};
  std::optional<NestedLayout> applied = getNested().apply(toDimMap(map));
  return applied ? get(getContext(), *applied) : VectorLayoutInterface();
}

VectorLayoutInterface NestedLayoutAttr::reshape(ArrayRef<int64_t> shape) const {
  if (std::optional<NestedLayout> nested = getNested().reshape(shape))
    return get(getContext(), *nested);
  return getLayoutAttr(getContext(), getLayout().reshape(shape));
}

LogicalResult NestedLayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return layout_defaults::verifyEncoding(*this, shape, elementType, emitError);
}
