//===- Phases.h - Distribution of phases by layouts -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes `#iree_vector_ext.nested_layout<...>` a method to distribute phases of
// pcf (6.7 of its specification). A class of payload fields is distributed by a
// layout; a phase's `to_layout` ops, and the layouts of the classes that are
// fixed, determine it. The layout given as the method itself applies to vectors
// of its shape that no other rule lays out.
//
//   lane scope      a member has vector<B..xO..xE..>, the rest of a layout
//                   whose lanes are the members
//   subgroup scope  a member has its block, a vector of as many dims as
//                   before, with `to_layout` ops for the distribution over
//                   lanes
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DISTRIBUTION_PHASES_PHASES_H
#define DISTAFF_DISTRIBUTION_PHASES_PHASES_H

#include "mlir/IR/DialectRegistry.h"

namespace distaff {

/// Registers layouts as methods to distribute phases.
void registerPhaseDistribution(mlir::DialectRegistry &registry);

} // namespace distaff

#endif // DISTAFF_DISTRIBUTION_PHASES_PHASES_H
