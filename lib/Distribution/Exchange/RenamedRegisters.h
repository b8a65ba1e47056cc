//===- RenamedRegisters.h - Layouts equal up to register order --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two layouts may give every lane the same elements and number its registers
// differently: two batches, or two outer tiles. The block of a subgroup often
// has such a second form, because it has been reshaped. Where a value has one
// form and an op needs the other, a to_layout between them moves nothing
// (PCF-141):
//
//   %m  laid out as O[2] T[4] E[2]       %m
//   broadcast %m, needs B[2] T[4] E[2]   %n = to_layout %m to B[2] T[4] E[2]
//                                        broadcast %n
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_RENAMEDREGISTERS_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_RENAMEDREGISTERS_H

#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Distribution/Distribution.h"

namespace distaff {

/// Returns whether each layout becomes the other by renaming every member's
/// registers, those of its lanes included.
bool areRenamings(vector_ext::VectorLayoutInterface a,
                  vector_ext::VectorLayoutInterface b,
                  const DistributionOptions &options);

/// Inserts such ops until no operand in the region has a renaming of the layout
/// that its op needs.
void renameRegisters(Region &region, const RegionBoundary &boundary,
                     const DistributionOptions &options);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_RENAMEDREGISTERS_H
