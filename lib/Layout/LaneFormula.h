//===- LaneFormula.h - Formulas for source lanes of shuffles ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUT_LANEFORMULA_H
#define DISTAFF_LIB_LAYOUT_LANEFORMULA_H

#include "distaff/Layout/LaneMoves.h"

namespace distaff {

/// Returns the cheapest form found that gives every thread the lane in the
/// table, and threads with anyChoice some lane. `alternatives` are the digits
/// that formulas and selects may use; the last list distinguishes all threads.
LaneFormula
findLaneFormula(const ThreadTable &from, HardwareShape threads,
                llvm::ArrayRef<llvm::SmallVector<Digit>> alternatives);

/// Counts the operations of one lane for all of these; parts that differ only
/// in a constant are computed once.
int64_t countAddressOps(llvm::ArrayRef<LaneFormula> formulas);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_LANEFORMULA_H
