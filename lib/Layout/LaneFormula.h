//===- LaneFormula.h - The lane that is read, as a formula ------*- C++ -*-===//
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

/// The cheapest form found that gives every thread the lane in the table, and
/// threads that do not care some lane. `alternatives` are the digits that
/// formulas and selects may ask for; the last list tells all threads apart.
LaneFormula
findLaneFormula(const ThreadTable &from, HardwareShape threads,
                llvm::ArrayRef<llvm::SmallVector<Digit>> alternatives);

/// Operations of one lane for all of these; what does not differ from one to
/// the next but in a constant is computed once.
int64_t countAddressOps(llvm::ArrayRef<LaneFormula> formulas);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_LANEFORMULA_H
