//===- SliceIntrinsics.h - Slices of LLVM intrinsics ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An intrinsic without an op in another dialect stays an LLVM op on a CPU
// (VX-151). Where LLVM computes it element by element, a slice of its result is
// the same intrinsic of slices (VX-215). An intrinsic with several vectors
// returns a struct, of which llvm.extractvalue takes one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_SLICEINTRINSICS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_SLICEINTRINSICS_H

#include "mlir/IR/Operation.h"

namespace distaff::vectortiles {

/// Returns the intrinsic, element by element, that computes the result of `op`:
/// `op` itself, or the one whose struct it takes apart; null for other ops.
mlir::Operation *elementwiseIntrinsicOf(mlir::Operation *op);

/// Returns whether an op is an intrinsic that LLVM computes element by element,
/// of vectors of one shape; it has no effect but its result.
bool isElementwiseIntrinsic(mlir::Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_SLICEINTRINSICS_H
