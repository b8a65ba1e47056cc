//===- PhaseConflicts.h - Barriers where phases conflict --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_PCF_PHASECONFLICTS_H
#define DISTAFF_LIB_TRANSFORMS_PCF_PHASECONFLICTS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Puts a barrier in front of every phase of an executor that may write memory
/// which a phase before it accessed, or access memory that one wrote, unless a
/// barrier stands between them; the phases before a phase of a loop are those
/// of earlier iterations, too.
void orderPhases(SharedExecutorOp executor, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_TRANSFORMS_PCF_PHASECONFLICTS_H
