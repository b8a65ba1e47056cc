//===- PayloadDims.cpp - Payload dimensions across phases -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PayloadDims.h"

#include "CollectiveOps.h"
#include "MmaTiles.h"

using namespace distaff;
using namespace distaff::pcf;

PayloadDims::PayloadDims(RunClusterOp phase, const WorkerGrid &grid,
                         const PayloadClasses &classes,
                         const FixedClasses &fixed) {
  for (RunClusterOp each :
       collectPhases(phase->getParentOfType<SharedExecutorOp>()))
    each.getBody().walk([&](Operation *op) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      if (!linalgOp || !getMmaKind(linalgOp, grid))
        dims.add(op);
    });
  for (unsigned cls : llvm::seq(classes.numClasses())) {
    SmallVector<Value> values(classes.bodyArgs(cls));
    for (OpOperand *yield : classes.yields(cls))
      values.push_back(yield->get());
    for (Value value : values)
      dims.tie(values.front(), value);
    auto it = fixed.find(cls);
    if (it == fixed.end() || !it->second.mapping)
      continue;
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()))
        known.push_back({value, TileMap::decode(it->second.mapping)});
  }
}

std::optional<TileDim> PayloadDims::findTile(Value tensor, unsigned dim) const {
  for (const auto &[value, map] : known)
    for (auto [number, tile] : llvm::enumerate(map.dims))
      if (dims.areTied(tensor, dim, value, number))
        return tile;
  return std::nullopt;
}

std::optional<TileMap> PayloadDims::findMap(Value tensor) const {
  TileMap map;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    std::optional<TileDim> tile = findTile(tensor, dim);
    if (!tile && isReduced(tensor, dim))
      tile = TileDim::whole(extent);
    if (!tile || tile->getExtent() != extent)
      return std::nullopt;
    map.dims.push_back(*tile);
  }
  return map.isPacked() || map.dims.empty() ? std::nullopt : std::optional(map);
}
