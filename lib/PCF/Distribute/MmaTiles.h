//===- MmaTiles.h - Distributing contractions to MMA fragments --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction whose configuration names an MMA is cut into the instruction's
// tiles along its last m, n and k loop, and into single steps along other
// loops. The instruction's row in Target defines which elements of a tile a
// lane holds: an index is (block, outer, lane, element). What a lane holds of
// an operand is its fragments along the dimensions of the operand, then one
// fragment in the order of the instruction's registers, as
// `iree_codegen.inner_tiled` takes it:
//
//   accumulators of 64x64, mma.sync m16n8k16: rows [4, 2, 8/4, 1],
//   columns [8, 4/1, 2], packed as 4x8x2x2
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_MMATILES_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_MMATILES_H

#include "TileMap.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/Distribution.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff::pcf {

struct MmaTiles {
  iree::MmaLayoutAttr kind;
  TileMap lhs, rhs, acc;
};

/// Returns the MMA that the members of `grid` compute `op` with, null if the
/// members are not lanes or the op names none.
iree::MmaLayoutAttr getMmaKind(Operation *op, const WorkerGrid &grid);

/// Plans the tiles of the MMA. Failure: `why` receives the reason.
/// \pre getMmaKind is not null
FailureOr<MmaTiles> planMmaTiles(linalg::LinalgOp op, const WorkerGrid &grid,
                                 std::string &why);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_MMATILES_H
