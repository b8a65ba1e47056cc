//===- LaneReduction.h - One instruction for all lanes ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some targets reduce a 32-bit integer of every lane of a subgroup by one
// instruction: add, the minima and maxima of both signs, and, or and xor.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TARGET_LANEREDUCTION_H
#define DISTAFF_TARGET_LANEREDUCTION_H

#include "distaff/Target/Target.h"
#include <optional>

namespace distaff {

/// Issue slots of that instruction for one subgroup, on the scale of MoveCosts;
/// nothing where the target has none.
std::optional<int64_t> costOfLaneReduction(const Target &target);

/// The distance in `lane xor distance` by which a round of a reduction reads a
/// partner, where each group of `offset` neighbours holds one number already
/// and the wanted one is `offset` away: of all in the partner's group the one
/// that the target reaches at the least cost.
/// \pre  offset is a power of two
/// \post result / offset == 1
int64_t partnerAmongAlike(const Target &target, int64_t offset);

} // namespace distaff

#endif // DISTAFF_TARGET_LANEREDUCTION_H
