//===- NativeWarnings.h - Warnings of unused native vectors -----*- C++ -*-===//
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

/// Warns of native vectors in `kernel` that are larger than their vectors,
/// which are computed whole then, and of those that no cone uses (VX-173).
/// `hasWhole`: some vectors have no tiles, and a warning of them was emitted.
void warnOfNativeVectors(Operation *kernel, ArrayRef<const Cone *> cones,
                         bool hasWhole);

/// Returns whether the user requested the tile of a root, and it is followed.
bool isAsAsked(Operation *root, const Cone &cone);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVEWARNINGS_H
