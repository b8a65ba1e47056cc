//===- NestedLayoutAttr.cpp - Layouts as tiles ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and laws of #iree_vector_ext.nested_layout. The laws NV1 to NV6 and
// the algebra are the layout library's; this file speaks MLIR for it.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/LayoutOf.h"

using namespace distaff;
using namespace distaff::vector_ext;

namespace {
struct Field {
  StringLiteral key;
  SmallVector<int64_t> NestedLayout::*values;
};
} // namespace

/// The keys in the order in which they are written.
static constexpr Field fields[] = {
    {"subgroup_tile", &NestedLayout::subgroupTile},
    {"batch_tile", &NestedLayout::batchTile},
    {"outer_tile", &NestedLayout::outerTile},
    {"thread_tile", &NestedLayout::threadTile},
    {"element_tile", &NestedLayout::elementTile},
    {"subgroup_strides", &NestedLayout::subgroupStrides},
    {"thread_strides", &NestedLayout::threadStrides},
};

static ParseResult parseField(AsmParser &parser, const Field &field,
                              NestedLayout &layout) {
  SmallVector<int64_t> &values = layout.*field.values;
  if (parser.parseKeyword(field.key) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

Attribute NestedLayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  NestedLayout layout;
  if (parser.parseLess())
    return {};
  for (const Field &field : fields) {
    if (&field != fields && parser.parseComma())
      return {};
    if (parseField(parser, field, layout))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<NestedLayoutAttr>(loc, parser.getContext(), layout);
}

void NestedLayoutAttr::print(AsmPrinter &printer) const {
  NestedLayout layout = getNested();
  printer << '<';
  llvm::interleaveComma(fields, printer, [&](const Field &field) {
    printer << field.key << " = [";
    llvm::interleaveComma(layout.*field.values, printer);
    printer << ']';
  });
  printer << '>';
}

static NestedLayout
makeNested(ArrayRef<int64_t> subgroupTile, ArrayRef<int64_t> batchTile,
           ArrayRef<int64_t> outerTile, ArrayRef<int64_t> threadTile,
           ArrayRef<int64_t> elementTile, ArrayRef<int64_t> subgroupStrides,
           ArrayRef<int64_t> threadStrides) {
  NestedLayout layout;
  layout.subgroupTile.assign(subgroupTile.begin(), subgroupTile.end());
  layout.batchTile.assign(batchTile.begin(), batchTile.end());
  layout.outerTile.assign(outerTile.begin(), outerTile.end());
  layout.threadTile.assign(threadTile.begin(), threadTile.end());
  layout.elementTile.assign(elementTile.begin(), elementTile.end());
  layout.subgroupStrides.assign(subgroupStrides.begin(), subgroupStrides.end());
  layout.threadStrides.assign(threadStrides.begin(), threadStrides.end());
  return layout;
}

LogicalResult NestedLayoutAttr::verify(
    function_ref<InFlightDiagnostic()> emitError,
    ArrayRef<int64_t> subgroupTile, ArrayRef<int64_t> batchTile,
    ArrayRef<int64_t> outerTile, ArrayRef<int64_t> threadTile,
    ArrayRef<int64_t> elementTile, ArrayRef<int64_t> subgroupStrides,
    ArrayRef<int64_t> threadStrides) {
  NestedLayout layout =
      makeNested(subgroupTile, batchTile, outerTile, threadTile, elementTile,
                 subgroupStrides, threadStrides);
  if (std::optional<std::string> why = layout.verify())
    return emitError() << *why;
  return success();
}

NestedLayout NestedLayoutAttr::getNested() const {
  return makeNested(getSubgroupTile(), getBatchTile(), getOuterTile(),
                    getThreadTile(), getElementTile(), getSubgroupStrides(),
                    getThreadStrides());
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
