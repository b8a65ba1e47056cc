//===- NativeShape.h - The tiles that a user asks for -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `distaff.native_vector` of a function, or of an op, is the
// shape of the vectors that are computed at a time. It is of the innermost dims
// of what the op computes in: of a contraction its loops, of a reduction the
// dims of its source, of others the dims of the result.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVESHAPE_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVESHAPE_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace distaff::vectortiles {

/// The tile of an op's dim by the attribute of the op; none without one.
std::optional<int64_t> nativeTile(Operation *op, unsigned dim);

/// The same of a dim that is reduced, for which a function's attribute holds
/// too.
std::optional<int64_t> reducedTile(Operation *op, unsigned dim);

/// The tiles of a result of that shape by the attribute of the function; empty
/// without one.
SmallVector<int64_t> nativeTiles(Operation *function, ArrayRef<int64_t> shape);

/// Whether sizes are of more dims than a shape has, or of more elements along
/// one of them.
bool exceeds(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape);

/// The dims that an op computes in: see above.
SmallVector<int64_t> iterationShape(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVESHAPE_H
