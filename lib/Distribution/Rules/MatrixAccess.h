//===- MatrixAccess.h - Tiles between memory and registers ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits planned matrix loads and stores (Layout/MatrixTiles.h, VX-48): every
// lane gives the address of one row, and a subgroup's registers are filled, or
// fill the rows.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_MATRIXACCESS_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_MATRIXACCESS_H

#include "../Distributor.h"
#include "distaff/Layout/MatrixTiles.h"

namespace distaff {

/// Returns the position of the row of an instruction whose address the lane
/// gives.
using RowPosition =
    llvm::function_ref<SmallVector<Value>(OpBuilder &, int64_t instruction)>;

/// Loads all registers of a value laid out as `to`, to which `tiles` belong.
/// `access` is recorded for every load.
Value loadMatrices(OpBuilder &b, Location loc, Value memory,
                   const MatrixTiles &tiles, const Placement &to,
                   RowPosition position, const MemoryAccess &access,
                   Distributor &out);

/// Stores all registers of `value`, to whose layout `tiles` belong.
void storeMatrices(OpBuilder &b, Location loc, Value value, Value memory,
                   const MatrixTiles &tiles, RowPosition position);

/// Returns the layout of the rows as a placement; the attribute is `of`'s.
Placement placementOfRows(const MatrixTiles &tiles, const Placement &of);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_MATRIXACCESS_H
