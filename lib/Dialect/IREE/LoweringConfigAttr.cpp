//===- LoweringConfigAttr.cpp - Tiling of an op ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifier and accessors of #iree_gpu.lowering_config. A key that no pass reads
// would be ignored silently, so only known keys are accepted; configure rejects
// those that no pass supports yet, with the reason.
//
//===----------------------------------------------------------------------===//
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"

using namespace distaff;
using namespace distaff::iree;

/// Returns the integers of an array attribute; nullopt if it is not one of
/// integers.
static std::optional<SmallVector<int64_t>> getIntegers(Attribute attr) {
  if (auto dense = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return llvm::to_vector(dense.asArrayRef());
  auto array = dyn_cast_or_null<ArrayAttr>(attr);
  if (!array)
    return std::nullopt;
  SmallVector<int64_t> values;
  for (Attribute element : array) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer || isa<BoolAttr>(element) ||
        !integer.getValue().isSignedIntN(64))
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
                                 StringRef key, Attribute attr) {
  std::optional<LoweringConfigAttr::SubgroupBasis> basis = getBasis(attr);
  if (!basis)
    return emitError() << key << " must be [[counts], [positions]], got "
                       << attr;
  for (int64_t count : basis->counts)
    if (count < 1)
      return emitError() << key << " counts must be positive, got " << count;
  if (!checkedElements(basis->counts, mostIds))
    return emitError() << key << " has more than " << mostIds
                       << (key.starts_with("lane") ? " lanes" : " subgroups")
                       << ", got [" << basis->counts << "]";
  int64_t size = basis->counts.size();
  for (int64_t position : basis->positions)
    if (position < 0 || position >= size)
      return emitError() << key << " position " << position
                         << " is not one of its " << size << " counts";
  return success();
}

/// Keys whose value is a list of integers.
static constexpr StringLiteral listKeys[] = {
    "workgroup",     "reduction", "partial_reduction",
    "subgroup",      "thread",    "promote_operands",
    "native_vector", // tiled by `workgroup` and `reduction`
};
/// Keys with other values.
static constexpr StringLiteral otherKeys[] = {
    "subgroup_basis", "lane_basis", "thread_basis", "mma_kind", "resident"};
/// Keys for pipelines that only IREE has.
static constexpr StringLiteral foreignKeys[] = {
    "padding", "padding_conv",    "convert_acc_gemm",   "serial",
    "expand",  "promotion_types", "dimension_expansion"};

static LogicalResult verifyKey(function_ref<InFlightDiagnostic()> emitError,
                               StringRef key) {
  if (llvm::is_contained(listKeys, key) || llvm::is_contained(otherKeys, key) ||
      llvm::is_contained(foreignKeys, key))
    return success();
  InFlightDiagnostic diagnostic = emitError()
                                  << "lowering_config has the unknown key `"
                                  << key << "`, known are ";
  llvm::interleaveComma(LoweringConfigAttr::getReadKeys(), diagnostic);
  return diagnostic;
}

StringRef LoweringConfigAttr::getForeignKey() const {
  for (StringRef key : foreignKeys)
    if (getAttributes().contains(key))
      return key;
  return "";
}

ArrayRef<StringLiteral> LoweringConfigAttr::getReadKeys() {
  static constexpr StringLiteral keys[] = {
      "workgroup", "reduction",      "partial_reduction",
      "subgroup",  "subgroup_basis", "lane_basis",
      "thread",    "mma_kind",       "promote_operands",
      "resident"};
  return keys;
}

LogicalResult
LoweringConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           DictionaryAttr attributes) {
  for (NamedAttribute entry : attributes)
    if (failed(verifyKey(emitError, entry.getName())))
      return failure();
  for (StringRef key : listKeys) {
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
  for (StringRef key : {"subgroup_basis", "lane_basis", "thread_basis"})
    if (Attribute basis = attributes.get(key))
      if (failed(verifyBasis(emitError, key, basis)))
        return failure();
  if (Attribute resident = attributes.get("resident")) {
    auto count = dyn_cast<IntegerAttr>(resident);
    if (!count || isa<BoolAttr>(resident) ||
        !count.getValue().isSignedIntN(64) || count.getInt() < 1)
      return emitError() << "resident must be a number of workgroups from 1, "
                            "got "
                         << resident;
  }
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

std::optional<int64_t> LoweringConfigAttr::getResident() const {
  auto count = getAttributes().getAs<IntegerAttr>("resident");
  return count ? std::optional(count.getInt()) : std::nullopt;
}

std::optional<LoweringConfigAttr::SubgroupBasis>
LoweringConfigAttr::getSubgroupBasis() const {
  return getBasis(getAttributes().get("subgroup_basis"));
}

std::optional<LoweringConfigAttr::SubgroupBasis>
LoweringConfigAttr::getLaneBasis() const {
  return getBasis(getAttributes().get("lane_basis"));
}

bool LoweringConfigAttr::laysOutLanes() const {
  return getAttributes().contains("thread") ||
         getAttributes().contains("lane_basis");
}

MmaLayoutAttr LoweringConfigAttr::getMmaKind() const {
  return dyn_cast_or_null<MmaLayoutAttr>(getAttributes().get("mma_kind"));
}
