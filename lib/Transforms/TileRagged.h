//===- TileRagged.h - Tiles that the edge of a tensor cuts ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_TILERAGGED_H
#define DISTAFF_LIB_TRANSFORMS_TILERAGGED_H

#include "TileGrid.h"
#include "distaff/Analysis/RaggedContraction.h"

namespace distaff {

/// What the launch has to see to: dims of different tensors that one loop of
/// `ragged` walks are equal. Fails with a diagnostic where one of them is no
/// formula of the arguments' extents.
FailureOr<SmallVector<ExtentRequirement>>
requirementsOf(const RaggedContraction &ragged, func::FuncOp kernel);

/// Puts a contraction into one loop over workgroups, and into one over steps of
/// K for each loop that it reduces. `tiles` are per loop of it.
void tileRagged(RewriterBase &rewriter, func::FuncOp kernel,
                const RaggedContraction &ragged, ArrayRef<int64_t> tiles);

} // namespace distaff

#endif // DISTAFF_LIB_TRANSFORMS_TILERAGGED_H
