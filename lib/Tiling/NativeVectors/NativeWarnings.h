//===- NativeWarnings.h - Sizes that are not followed -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVEWARNINGS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVEWARNINGS_H

#include "Cone.h"

namespace distaff::vectortiles {

/// Warns of native vectors in `kernel` that are larger than what they are of,
/// which is what is computed then, and of those that no cone takes (VX-173).
/// `hasWhole`: there are vectors that no tiles are of, which a warning has
/// said.
void warnOfNativeVectors(Operation *kernel, ArrayRef<const Cone *> cones,
                         bool hasWhole);

/// Whether a user has said the tile of a root, and it is what was said.
bool isAsAsked(Operation *root, const Cone &cone);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVEWARNINGS_H
