//===- ClassicForm.h - transfer_gather as it was ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classic form of transfer_gather: a slice of the base is gathered, dim by
// dim, and then read as vector.transfer_read reads memory. All maps are over
// the dims of the slice, which are those of the base:
//
//   slice[m] = base[offset_j + (gathered(j) ? index_j[map_j(m)] : m_j)]_j
//   vector   = transfer_read slice, permutation, mask, in_bounds
//
// The extent of a slice dim is that of the vector dim to which `permutation`
// sends it, or 1.
//
//===----------------------------------------------------------------------===//
#ifndef LIB_DISTAFF_DIALECT_VECTOREXT_CLASSICFORM_H
#define LIB_DISTAFF_DIALECT_VECTOREXT_CLASSICFORM_H

#include "distaff/LLVM.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff::vector_ext {

struct ClassicForm {
  /// Per index value, the base dim that it gathers.
  SmallVector<int64_t> gatheredDims;
  /// Per index value, where in it a position of the slice looks.
  SmallVector<AffineMap> indexedMaps;
  /// From the slice to the vector; minor identity where none was written.
  AffineMap permutation;

  /// The classic form of these maps, of which the last is a mask's if there is
  /// one; nothing where it has none.
  /// \post result->getUnifiedMaps(hasMask) == maps
  static std::optional<ClassicForm> of(ArrayRef<AffineMap> maps, bool hasMask);

  /// What is wrong, or nothing. `indexTypes` may hold nulls: types to infer.
  std::optional<std::string> verify(ShapedType base, VectorType vector,
                                    TypeRange indexTypes) const;

  /// The extents of the slice.
  SmallVector<int64_t> getSliceShape(ArrayRef<int64_t> vectorShape) const;

  /// The maps of the unified form: the base's, one per index value, the mask's.
  /// \pre  verify found nothing
  SmallVector<AffineMap> getUnifiedMaps(bool hasMask) const;
};

} // namespace distaff::vector_ext

#endif // LIB_DISTAFF_DIALECT_VECTOREXT_CLASSICFORM_H
