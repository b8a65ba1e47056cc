//===- EmitLaneMoves.h - Emission of selects and shuffles -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_EMITLANEMOVES_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_EMITLANEMOVES_H

#include "../Distributor.h"
#include "distaff/Layout/LaneMoves.h"

namespace distaff {

/// Moves `value` to the placement `to` as planned: emits selects and shuffles.
/// \pre  where the plan has rounds, all lanes of a subgroup run this together
Value moveWithinSubgroup(OpBuilder &b, Location loc, Value value,
                         const LaneMoves &moves, const Placement &to,
                         Distributor &out);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_EMITLANEMOVES_H
