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
// from what is fixed or asked for; then each op is made anew on boxes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_TENSORTILING_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_TENSORTILING_H

#include "TileMap.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/PCF/Distribution.h"

namespace distaff::pcf {

/// The maps of a body's tensors. A dynamic extent has the tile of the static
/// one that it is padded to, or cut from.
class BodyTiling {
public:
  /// Propagates from the classes that are fixed, then, if that leaves a tensor
  /// open, from what `tiling` or the ops ask for. Failure: `refusal` says it.
  static FailureOr<BodyTiling> compute(RunClusterOp op, TensorTilingAttr tiling,
                                       const WorkerGrid &grid,
                                       const PayloadClasses &classes,
                                       const FixedClasses &fixed,
                                       Refusal &refusal);

  /// The map of a tensor, null if none was found.
  const TileMap *lookup(Value value) const {
    auto it = maps.find(value);
    return it == maps.end() ? nullptr : &it->second;
  }

private:
  friend class TilingPropagation;
  llvm::MapVector<Value, TileMap> maps;
};

/// Makes the ops of `op`'s body anew in `newOp`, on boxes.
void rewriteTiled(RunClusterOp op, RunThreadOp newOp, ValueRange ids,
                  const WorkerGrid &grid, const PayloadClasses &classes,
                  const FixedClasses &fixed, const BodyTiling &tiling,
                  RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_TENSORTILING_H
