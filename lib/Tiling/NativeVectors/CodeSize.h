//===- CodeSize.h - Cost of fully unrolled vectors --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the instructions of a root (Cone.h), and the registers of lanes,
// without loops.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_CODESIZE_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_CODESIZE_H

#include "Machine.h"

namespace distaff::vectortiles {

/// Returns whether an op is computed by a polynomial.
bool isTranscendental(Operation *op);

/// Returns the number of instructions of a root and of its cone, fully
/// unrolled.
int64_t straightPieces(Operation *root, const Machine &machine);

/// Returns whether a root of `pieces` instructions is to be computed in loops;
/// it is one of several roots of `total` instructions together.
bool isTooLarge(Operation *root, int64_t pieces, int64_t total,
                const Machine &machine);

/// Returns whether an attribute of an op in the cone of `root`, or of its
/// function, sets the shape of its vectors.
bool hasNativeShape(Operation *root);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_CODESIZE_H
