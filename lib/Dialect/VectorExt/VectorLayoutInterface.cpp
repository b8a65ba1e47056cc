//===- VectorLayoutInterface.cpp - Layout methods -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Methods of a layout attribute that depend only on its map. They hold for
// every implementation of the interface, also for external ones.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Dialect/VectorExt/PromotionAttrInterface.h"

#include "distaff/Layout/Conversion.h"
#include "mlir/IR/Diagnostics.h"

using namespace distaff;
using namespace distaff::vector_ext;

#include "distaff/Dialect/VectorExt/PromotionAttrInterface.cpp.inc"
#include "distaff/Dialect/VectorExt/VectorLayoutInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Layout VectorLayoutInterface::getLayout() const {
  std::optional<Layout> layout;
  assignLayout(layout);
  assert(layout && "assignLayout assigns");
  return *layout;
}

Place VectorLayoutInterface::getCanonicalOwner(ArrayRef<int64_t> index) const {
  return getLayout().canonicalPlace(index);
}

VectorLayoutInterface vector_ext::getLayoutAttr(MLIRContext *context,
                                                const Layout &layout) {
  if (std::optional<NestedLayout> nested = NestedLayout::fromLayout(layout))
    return NestedLayoutAttr::get(context, *nested);
  return getDigitLayoutAttr(context, getDigits(layout));
}

VectorLayoutInterface
vector_ext::getLayoutAttr(MLIRContext *context,
                          const std::optional<Layout> &layout) {
  return layout ? getLayoutAttr(context, *layout) : VectorLayoutInterface();
}

SmallVector<SmallVector<Digit>> vector_ext::getDigits(const Layout &layout) {
  SmallVector<SmallVector<Digit>> dims;
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    dims.emplace_back(layout.digits(dim));
  return dims;
}

DimMap vector_ext::toDimMap(AffineMap map) {
  DimMap dims(map.getNumDims(), {});
  for (AffineExpr result : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    auto constant = dyn_cast<AffineConstantExpr>(result);
    bool isZero = constant && constant.getValue() == 0;
    dims.results.push_back(dim      ? dim.getPosition()
                           : isZero ? DimMap::Zero
                                    : DimMap::Other);
  }
  return dims;
}

/// Returns the layout of an attribute that implements the interface, also by an
/// external model.
static Layout layoutOf(Attribute attr) {
  return cast<VectorLayoutInterface>(attr).getLayout();
}

//===----------------------------------------------------------------------===//
// Validity
//===----------------------------------------------------------------------===//

static LogicalResult
verifyLayoutFitsType(const Layout &layout, ShapedType type,
                     function_ref<InFlightDiagnostic()> emitError) {
  if (!type.hasRank())
    return emitError() << "a layout needs a ranked type, got " << type;
  SmallVector<int64_t> extents = layout.shape();
  if (type.getRank() != int64_t(extents.size()))
    return emitError() << "layout has rank " << extents.size() << ", " << type
                       << " has rank " << type.getRank();
  auto vector = dyn_cast<VectorType>(type);
  if (vector && vector.isScalable())
    return emitError() << "layouts do not cover scalable vectors, got " << type;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    int64_t actual = type.getDimSize(dim);
    if (ShapedType::isDynamic(actual))
      continue;
    // A vector of the layout's extents is read from a smaller tensor under a
    // mask.
    if (vector ? actual == extent : actual <= extent)
      continue;
    return emitError() << "dim " << dim << " of " << type << " has extent "
                       << actual << ", its layout covers " << extent;
  }
  return success();
}

LogicalResult layout_defaults::isValidLayout(Attribute layout, ShapedType type,
                                             Location loc) {
  return verifyLayoutFitsType(layoutOf(layout), type,
                              [&] { return emitError(loc); });
}

LogicalResult
layout_defaults::verifyEncoding(Attribute layout, ArrayRef<int64_t> shape,
                                Type elementType,
                                function_ref<InFlightDiagnostic()> emitError) {
  return verifyLayoutFitsType(
      layoutOf(layout), RankedTensorType::get(shape, elementType), emitError);
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

int64_t layout_defaults::getRank(Attribute layout) {
  return layoutOf(layout).rank();
}

SmallVector<int64_t> layout_defaults::getUndistributedShape(Attribute layout) {
  return layoutOf(layout).shape();
}

SmallVector<int64_t> layout_defaults::getDistributedShape(Attribute layout) {
  return layoutOf(layout).registerShape();
}

VectorLayoutInterface layout_defaults::permute(Attribute layout,
                                               ArrayRef<int64_t> permutation) {
  return getLayoutAttr(layout.getContext(),
                       layoutOf(layout).permute(permutation));
}

VectorLayoutInterface
layout_defaults::project(Attribute layout,
                         const llvm::SmallBitVector &dropped) {
  return getLayoutAttr(layout.getContext(), layoutOf(layout).project(dropped));
}

VectorLayoutInterface layout_defaults::apply(Attribute layout, AffineMap map) {
  return getLayoutAttr(layout.getContext(),
                       layoutOf(layout).apply(toDimMap(map)));
}

VectorLayoutInterface layout_defaults::reshape(Attribute layout,
                                               ArrayRef<int64_t> shape) {
  return getLayoutAttr(layout.getContext(), layoutOf(layout).reshape(shape));
}

SmallVector<SmallVector<int64_t>>
layout_defaults::getOwned(Attribute attr, int64_t subgroup, int64_t lane) {
  Layout layout = layoutOf(attr);
  SmallVector<SmallVector<int64_t>> owned;
  for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
    owned.push_back(layout.indexOf({subgroup, lane, reg}));
  return owned;
}

/// Returns the operands' structs, if all are nested: recombining these compares
/// the seven fields, while digits cannot distinguish a batch from an outer.
static std::optional<std::vector<NestedLayout>>
getAllNested(ArrayRef<VectorLayoutInterface> layouts) {
  std::vector<NestedLayout> nested;
  for (VectorLayoutInterface layout : layouts) {
    auto attr = dyn_cast<NestedLayoutAttr>(layout);
    if (!attr)
      return std::nullopt;
    nested.push_back(attr.getNested());
  }
  return nested;
}

VectorLayoutInterface VectorLayoutInterface::getRecombinedLayout(
    ArrayRef<VectorLayoutInterface> layouts, ArrayRef<AffineMap> maps,
    AffineMap resultMap) {
  MLIRContext *context = resultMap.getContext();
  SmallVector<DimMap> dimMaps = llvm::map_to_vector(maps, toDimMap);
  DimMap result = toDimMap(resultMap);
  if (auto nested = getAllNested(layouts)) {
    auto recombined = NestedLayout::recombine(*nested, dimMaps, result);
    return recombined ? NestedLayoutAttr::get(context, *recombined)
                      : VectorLayoutInterface();
  }
  SmallVector<Layout> plain = llvm::map_to_vector(
      layouts, [](VectorLayoutInterface layout) { return layout.getLayout(); });
  return getLayoutAttr(context, Layout::recombine(plain, dimMaps, result));
}

//===----------------------------------------------------------------------===//
// Hardware
//===----------------------------------------------------------------------===//

bool layout_defaults::needsSharedMemoryForConversion(Attribute sourceAttr,
                                                     Attribute targetAttr) {
  Layout source = layoutOf(sourceAttr), target = layoutOf(targetAttr);
  // There is no conversion between shapes.
  if (source.shape() != target.shape())
    return false;
  HardwareShape hardware;
  hardware.subgroups =
      std::max(source.neededSubgroups(), target.neededSubgroups());
  hardware.lanes = std::max(source.neededLanes(), target.neededLanes());
  return classifyConversion(source, target, hardware) == Tier::SharedMemory;
}

std::optional<int64_t> layout_defaults::getReplication(Attribute layout,
                                                       int64_t workgroupSize,
                                                       int64_t subgroupSize) {
  return layoutOf(layout).replication(
      {workgroupSize / subgroupSize, subgroupSize});
}
