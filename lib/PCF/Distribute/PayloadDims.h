//===- PayloadDims.h - Payload dimensions across phases ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase that distributes payload does so for all phases that have it. One of
// them may reduce it along a dimension, or combine it with other payload, row
// by row: payload that such an op ties together is distributed alike.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_PAYLOADDIMS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_PAYLOADDIMS_H

#include "SharedDims.h"
#include "TensorTiling.h"

namespace distaff::pcf {

class PayloadDims {
public:
  /// \pre  `classes` are those of the executor around `phase`
  PayloadDims(RunClusterOp phase, const WorkerGrid &grid,
              const PayloadClasses &classes, const FixedClasses &fixed);

  /// Returns whether an op of some phase reduces along a dimension.
  bool isReduced(Value tensor, unsigned dim) const {
    return dims.isReduced(tensor, dim);
  }

  /// Returns the map of the payload that a tensor is tied to. None if the map
  /// is not fixed yet, or covers only some of the tensor's dimensions.
  std::optional<TileMap> findMap(Value tensor) const;

private:
  std::optional<TileDim> findTile(Value tensor, unsigned dim) const;

  SharedDims dims;
  /// A value of each class that is fixed, and its map.
  SmallVector<std::pair<Value, TileMap>> known;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_PAYLOADDIMS_H
