//===- CodeSize.h - What vectors are as straight code -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a root (Cone.h) would be without loops: instructions, and registers of
// lanes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_CODESIZE_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_CODESIZE_H

#include "Machine.h"

namespace distaff::vectortiles {

/// Whether an op is computed by a polynomial.
bool isTranscendental(Operation *op);

/// Instructions of a root, and of all that it is computed from, fully unrolled.
int64_t straightPieces(Operation *root, const Machine &machine);

/// Whether a root, of so many instructions, is to be loops: one of roots of
/// `total` instructions together.
bool isTooLarge(Operation *root, int64_t pieces, int64_t total,
                const Machine &machine);

/// Whether the attribute of an op in the cone of `root`, or of its function, is
/// the shape of its vectors.
bool hasNativeShape(Operation *root);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_CODESIZE_H
