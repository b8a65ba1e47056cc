//===- MatrixRegisterTiles.h - Products in matrix registers -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the tiles of a product that a core multiplies in registers that hold
// matrices (Target.h, MatrixUnit). They are larger than what vectors hold, so
// only tiles are chosen that PackPanels.cpp will find there: operands are read
// as they are, from arrays that no op writes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_MATRIXREGISTERTILES_H
#define DISTAFF_LIB_CONFIGURE_MATRIXREGISTERTILES_H

#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Target/Target.h"

namespace distaff {

class MatrixRegisterTiles {
public:
  MatrixRegisterTiles(const FusedGroup &group, const Target &target,
                      bool strictFp);

  /// Returns the dot product that multiplies a tile of the group's root; null
  /// where vectors do. Workgroups have all of a loop that is run sequentially;
  /// its tile may be 0.
  const PackedDot *dotOf(ArrayRef<int64_t> workgroup,
                         ArrayRef<int64_t> step) const;

  /// Returns the elements that matrix registers hold besides those of vectors.
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

#endif // DISTAFF_LIB_CONFIGURE_MATRIXREGISTERTILES_H
