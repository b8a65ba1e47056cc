//===- SizeLimits.h - Limits on the sizes in a kernel -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is checked when it is read, before any pass, and again after each
// stage. After the check, every op has, by the limits of CheckedSize.h,
//
//   - tensors and memrefs whose bytes, and whose strides and offset, fit
//   - vectors that registers can hold, counted in elements
//   - integers and floats of at most 64 bits; where code has been converted,
//     integers that hold a product of two such
//   - an iteration space (linalg, vector.contract) whose points can be counted
//   - affine maps whose constants are positions in such arrays
//   - loops whose constant bounds are, and whose constant steps are positive
//   - allocations that are aligned as memory of a GPU can be
//
// so products of extents, tiles of them and small multiples do not wrap.
// Dynamic extents count as 1 here; they are checked where they become known.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_SIZELIMITS_H
#define DISTAFF_ANALYSIS_LEGALITY_SIZELIMITS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff {

/// Fails with an error at the first op that has a size beyond the limits.
LogicalResult verifySizes(Operation *root);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_SIZELIMITS_H
