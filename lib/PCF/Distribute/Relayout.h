//===- Relayout.h - Layout conversions between phases -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two phases that need different distributions of a class can each have theirs
// if the values move in between. Around the phase that came second, its fields
// of the class become classes of their own:
//
//   %y = run_cluster(%x) (%a) { relay %a }          class of %x -> another
//   %z = run_cluster(%y) ...                        the phase
//   %w = run_cluster(%z) (%a) { relay %a }          another -> class of %x
//
// Where values cannot move inside of a phase they are written to memory of the
// scope, and read in a second phase after a barrier.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_RELAYOUT_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_RELAYOUT_H

#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/PCF/Distribution.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Describes a conflict between the distribution that a phase needs and the one
/// that a class has.
struct ClassConflict {
  RunClusterOp phase, fixer;
  unsigned cls;
  ClassDistribution needed, fixed;
};

/// Gives the phase classes of its own in place of the one in conflict. Errors:
/// the scope has no memory for values that need it.
LogicalResult insertRelayout(const ClassConflict &conflict,
                             const PayloadClasses &classes,
                             DistributionAttrInterface way,
                             RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_RELAYOUT_H
