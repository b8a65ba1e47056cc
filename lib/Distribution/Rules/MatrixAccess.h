//===- MatrixAccess.h - Tiles between memory and registers ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the matrix loads and stores that a plan has found
// (Layout/MatrixTiles.h, VX-48): every lane says where one row lies, and a
// subgroup's registers are filled, or fill the rows.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_MATRIXACCESS_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_MATRIXACCESS_H

#include "../Distributor.h"
#include "distaff/Layout/MatrixTiles.h"

namespace distaff {

/// Where the row of an instruction lies that the lane speaks for.
using RowPosition =
    llvm::function_ref<SmallVector<Value>(OpBuilder &, int64_t instruction)>;

/// Loads all registers of a value laid out as `to`, which `tiles` are of.
/// `access` is recorded of every load.
Value loadMatrices(OpBuilder &b, Location loc, Value memory,
                   const MatrixTiles &tiles, const Placement &to,
                   RowPosition position, const MemoryAccess &access,
                   Distributor &out);

/// Stores all registers of `value`, laid out as `tiles` are of.
void storeMatrices(OpBuilder &b, Location loc, Value value, Value memory,
                   const MatrixTiles &tiles, RowPosition position);

/// Who speaks for which row, as a placement; the attribute is `of`'s.
Placement placementOfRows(const MatrixTiles &tiles, const Placement &of);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_MATRIXACCESS_H
