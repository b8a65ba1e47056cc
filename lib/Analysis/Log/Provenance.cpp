//===- Provenance.cpp - Source op of an emitted instruction ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Log/Provenance.h"
#include "mlir/IR/Builders.h"

using namespace distaff;

static constexpr StringLiteral sourceName = "distaff.source";
static constexpr StringLiteral subgroupsName = "distaff.subgroups";
static constexpr StringLiteral lanesName = "distaff.lanes";

/// Returns the fused location that carries a provenance, or null.
static FusedLoc carrierOf(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto fields =
      fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : nullptr;
  return fields && fields.contains(sourceName) ? fused : nullptr;
}

Location distaff::withProvenance(Location location,
                                 const Provenance &provenance) {
  if (FusedLoc carrier = carrierOf(location))
    location = carrier.getLocations().front();
  Builder b(location.getContext());
  NamedAttribute fields[] = {
      {sourceName, b.getI64IntegerAttr(provenance.source)},
      {subgroupsName, b.getI64IntegerAttr(provenance.taken.subgroups)},
      {lanesName, b.getI64IntegerAttr(provenance.taken.lanes)}};
  return FusedLoc::get(b.getContext(), {location}, b.getDictionaryAttr(fields));
}

Provenance distaff::provenanceOf(Location location) {
  FusedLoc carrier = carrierOf(location);
  if (!carrier)
    return {};
  auto fields = cast<DictionaryAttr>(carrier.getMetadata());
  auto field = [&](StringRef name) {
    return fields.getAs<IntegerAttr>(name).getInt();
  };
  return {field(sourceName), {field(subgroupsName), field(lanesName)}};
}

int64_t distaff::lineOf(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  return file ? file.getLine() : 0;
}

/// Returns the fused location with the lines that were read through, or null.
static FusedLoc readerOf(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && isa_and_nonnull<DenseI64ArrayAttr>(fused.getMetadata())
             ? fused
             : nullptr;
}

Location distaff::withReadThrough(Location location, int64_t line) {
  SmallVector<int64_t> lines(readThroughOf(location));
  if (line != 0)
    lines.push_back(line);
  if (FusedLoc reader = readerOf(location))
    location = reader.getLocations().front();
  Builder b(location.getContext());
  return FusedLoc::get(b.getContext(), {location},
                       b.getDenseI64ArrayAttr(lines));
}

ArrayRef<int64_t> distaff::readThroughOf(Location location) {
  FusedLoc reader = readerOf(location);
  return reader ? cast<DenseI64ArrayAttr>(reader.getMetadata()).asArrayRef()
                : ArrayRef<int64_t>();
}
