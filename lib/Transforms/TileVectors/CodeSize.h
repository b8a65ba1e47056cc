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
#ifndef DISTAFF_LIB_TRANSFORMS_TILEVECTORS_CODESIZE_H
#define DISTAFF_LIB_TRANSFORMS_TILEVECTORS_CODESIZE_H

#include "Machine.h"

namespace distaff::vectortiles {

/// Whether an op is computed by a polynomial.
bool isTranscendental(Operation *op);

/// Instructions of a root, and of all that it is computed from, fully unrolled.
int64_t straightPieces(Operation *root, const Machine &machine);

/// Whether registers of lanes hold what each op takes that a root is computed
/// by.
bool isHeldByLanes(Operation *root, const Machine &machine);

/// Whether a root is computed element by element from memory.
bool isElementwise(Operation *root);

/// Whether the attribute of an op in the cone of `root`, or of its function, is
/// the shape of its vectors.
bool hasNativeShape(Operation *root);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TRANSFORMS_TILEVECTORS_CODESIZE_H
