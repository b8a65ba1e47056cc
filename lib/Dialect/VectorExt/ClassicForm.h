//===- ClassicForm.h - Classic form of transfer_gather ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classic form of transfer_gather first gathers a slice of the base, dim by
// dim, and then reads it like vector.transfer_read reads memory. All maps are
// over the dims of the slice, which are those of the base:
//
//   slice[m] = base[offset_j + (gathered(j) ? index_j[map_j(m)] : m_j)]_j
//   vector   = transfer_read slice, permutation, mask, in_bounds
//
// The extent of a slice dim is that of the vector dim that `permutation` maps
// to it, or 1.
//
//===----------------------------------------------------------------------===//
#ifndef LIB_DISTAFF_DIALECT_VECTOREXT_CLASSICFORM_H
#define LIB_DISTAFF_DIALECT_VECTOREXT_CLASSICFORM_H

#include "distaff/LLVM.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff::vector_ext {

struct ClassicForm {
  /// Base dim that each index value gathers.
  SmallVector<int64_t> gatheredDims;
  /// Map from a position of the slice to a position in each index value.
  SmallVector<AffineMap> indexedMaps;
  /// Map from the slice to the vector; the minor identity if none was written.
  AffineMap permutation;

  /// Returns the classic form of these maps, the last of which is the mask's if
  /// there is one; nullopt if there is no classic form.
  /// \post result->getUnifiedMaps(hasMask) == maps
  static std::optional<ClassicForm> of(ArrayRef<AffineMap> maps, bool hasMask);

  /// Returns an error, or nullopt. `indexTypes` may hold nulls: types to infer.
  std::optional<std::string> verify(ShapedType base, VectorType vector,
                                    TypeRange indexTypes) const;

  /// Returns the extents of the slice.
  SmallVector<int64_t> getSliceShape(ArrayRef<int64_t> vectorShape) const;

  /// Returns the maps of the unified form: the base's, one per index value, the
  /// mask's.
  /// \pre  verify returned no error
  SmallVector<AffineMap> getUnifiedMaps(bool hasMask) const;
};

} // namespace distaff::vector_ext

#endif // LIB_DISTAFF_DIALECT_VECTOREXT_CLASSICFORM_H
