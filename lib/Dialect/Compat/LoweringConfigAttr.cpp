//===- LoweringConfigAttr.cpp - How an op is tiled ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifier and accessors of #iree_gpu.lowering_config: keys that Distaff reads
// are checked, others carried along.
//
//===----------------------------------------------------------------------===//
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/Compat/Compat.h"

using namespace distaff;
using namespace distaff::compat;

/// The integers of an array attribute; none if it is not one of integers.
static std::optional<SmallVector<int64_t>> getIntegers(Attribute attr) {
  if (auto dense = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return llvm::to_vector(dense.asArrayRef());
  auto array = dyn_cast_or_null<ArrayAttr>(attr);
  if (!array)
    return std::nullopt;
  SmallVector<int64_t> values;
  for (Attribute element : array) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer || !integer.getValue().isSignedIntN(64))
      return std::nullopt;
    values.push_back(integer.getValue().getSExtValue());
  }
  return values;
}

static std::optional<LoweringConfigAttr::SubgroupBasis>
getBasis(Attribute attr) {
  auto array = dyn_cast_or_null<ArrayAttr>(attr);
  if (!array || array.size() != 2)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> counts = getIntegers(array[0]);
  std::optional<SmallVector<int64_t>> positions = getIntegers(array[1]);
  if (!counts || !positions)
    return std::nullopt;
  return LoweringConfigAttr::SubgroupBasis{*counts, *positions};
}

static LogicalResult verifyBasis(function_ref<InFlightDiagnostic()> emitError,
                                 Attribute attr) {
  std::optional<LoweringConfigAttr::SubgroupBasis> basis = getBasis(attr);
  if (!basis)
    return emitError() << "subgroup_basis must be [[counts], [positions]], got "
                       << attr;
  for (int64_t count : basis->counts)
    if (count < 1)
      return emitError() << "subgroup_basis counts must be positive, got "
                         << count;
  if (!checkedElements(basis->counts, mostIds))
    return emitError() << "subgroup_basis has more than " << mostIds
                       << " subgroups, got [" << basis->counts << "]";
  int64_t size = basis->counts.size();
  for (int64_t position : basis->positions)
    if (position < 0 || position >= size)
      return emitError() << "subgroup_basis position " << position
                         << " is not one of its " << size << " counts";
  return success();
}

LogicalResult
LoweringConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           DictionaryAttr attributes) {
  for (StringRef key :
       {"workgroup", "reduction", "subgroup", "thread", "promote_operands"}) {
    Attribute value = attributes.get(key);
    if (!value)
      continue;
    std::optional<SmallVector<int64_t>> integers = getIntegers(value);
    if (!integers)
      return emitError() << key << " must be a list of integers, got " << value;
    for (int64_t integer : *integers)
      if (integer < 0)
        return emitError() << key << " must not be negative, got " << integer;
      else if (integer > largestArrayBytes)
        return emitError() << key << " is beyond any extent, got " << integer;
  }
  if (Attribute basis = attributes.get("subgroup_basis"))
    if (failed(verifyBasis(emitError, basis)))
      return failure();
  Attribute kind = attributes.get("mma_kind");
  if (kind && !isa<MmaLayoutAttr>(kind))
    return emitError() << "mma_kind must be an #iree_gpu.mma_layout, got "
                       << kind;
  return success();
}

SmallVector<int64_t> LoweringConfigAttr::getInts(StringRef key) const {
  return getIntegers(getAttributes().get(key)).value_or(SmallVector<int64_t>());
}

SmallVector<int64_t> LoweringConfigAttr::getWorkgroupTiles() const {
  return getInts("workgroup");
}

SmallVector<int64_t> LoweringConfigAttr::getReductionTiles() const {
  return getInts("reduction");
}

SmallVector<int64_t> LoweringConfigAttr::getPromotedOperands() const {
  return getInts("promote_operands");
}

std::optional<LoweringConfigAttr::SubgroupBasis>
LoweringConfigAttr::getSubgroupBasis() const {
  return getBasis(getAttributes().get("subgroup_basis"));
}

MmaLayoutAttr LoweringConfigAttr::getMmaKind() const {
  return dyn_cast_or_null<MmaLayoutAttr>(getAttributes().get("mma_kind"));
}
