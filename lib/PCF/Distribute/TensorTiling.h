//===- TensorTiling.h - Distributing phases by tiling -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implementation A of the distribution of phases (6.6 of the pcf
// specification): every value of a body gets a TileMap, found by propagation
// from maps that are fixed or preferred; then each op is rebuilt on boxes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_TENSORTILING_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_TENSORTILING_H

#include "TileMap.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/PCF/Distribution.h"

namespace distaff::pcf {

/// Holds the maps of a body's tensors. A dynamic extent has the tile of the
/// static extent that it is padded to, or cut from.
class BodyTiling {
public:
  /// Propagates from the classes that are fixed, then, if that leaves a tensor
  /// without a map, from the preferences of `tiling` or of the ops. Failure:
  /// `refusal` has the reason.
  static FailureOr<BodyTiling> compute(RunClusterOp op, TensorTilingAttr tiling,
                                       const WorkerGrid &grid,
                                       const PayloadClasses &classes,
                                       const FixedClasses &fixed,
                                       Refusal &refusal);

  /// Returns the map of a tensor, null if none was found.
  const TileMap *lookup(Value value) const {
    auto it = maps.find(value);
    return it == maps.end() ? nullptr : &it->second;
  }

private:
  friend class TilingPropagation;
  llvm::MapVector<Value, TileMap> maps;
};

/// Rebuilds the ops of `op`'s body in `newOp`, on boxes.
void rewriteTiled(RunClusterOp op, RunThreadOp newOp, ValueRange ids,
                  const WorkerGrid &grid, const PayloadClasses &classes,
                  const FixedClasses &fixed, const BodyTiling &tiling,
                  RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_TENSORTILING_H
