//===- MatrixTiles.h - Products in registers of matrices --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tiles of a product a core multiplies in registers that hold matrices
// (Target.h, MatrixUnit). They are larger than what vectors hold, so none is
// chosen that PackPanels.cpp would not find there: operands are read as they
// are, from arrays that nobody writes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_MATRIXTILES_H
#define DISTAFF_LIB_CONFIGURE_MATRIXTILES_H

#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Target/Target.h"

namespace distaff {

class MatrixTiles {
public:
  MatrixTiles(const FusedGroup &group, const Target &target, bool strictFp);

  /// What multiplies a tile of the group's root; null where vectors do. Of
  /// loops that are walked workgroups have all, which may be said by 0.
  const PackedDot *dotOf(ArrayRef<int64_t> workgroup,
                         ArrayRef<int64_t> step) const;

  /// Elements that registers of matrices hold besides those of vectors.
  int64_t elementsOf(ArrayRef<int64_t> workgroup,
                     ArrayRef<int64_t> step) const {
    return dotOf(workgroup, step) ? unit.registers * unit.rows * unit.words : 0;
  }

private:
  const PackedDot *find(const FusedGroup &group, bool strictFp);

  const MatrixUnit &unit;
  std::optional<ContractionBody> body;
  SmallVector<int64_t> extents;
  const PackedDot *dot;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_MATRIXTILES_H
