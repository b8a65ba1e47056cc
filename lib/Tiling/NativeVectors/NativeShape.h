//===- NativeShape.h - Native vectors that users request --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `distaff.native_vector` of a function, or of an op, is the
// shape of the vectors that are computed at a time. Its sizes are of the
// innermost dims of the op's iteration space: the loops of a contraction, the
// dims of a reduction's source, the dims of another op's result.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVESHAPE_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVESHAPE_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace distaff::vectortiles {

/// Returns the tile of an op's dim by the attribute of the op; none without
/// one.
std::optional<int64_t> nativeTile(Operation *op, unsigned dim);

/// Returns the tile of a reduced dim; a function's attribute holds for it too.
std::optional<int64_t> reducedTile(Operation *op, unsigned dim);

/// Returns the tiles of a result of that shape by the attribute of the
/// function; empty without one.
SmallVector<int64_t> nativeTiles(Operation *function, ArrayRef<int64_t> shape);

/// Returns whether sizes have more dims than a shape, or more elements along
/// one of them.
bool exceeds(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape);

/// Returns the extents of an op's iteration space, as defined above.
SmallVector<int64_t> iterationShape(Operation *op);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_NATIVESHAPE_H
