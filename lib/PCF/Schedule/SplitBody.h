//===- SplitBody.h - Splitting a phase's body among clusters ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_SPLITBODY_H
#define DISTAFF_LIB_PCF_SCHEDULE_SPLITBODY_H

#include "SplitCuts.h"
#include "mlir/IR/IRMapping.h"

namespace distaff::pcf {

/// Fills the empty body of `part`, which has its arguments, with the ops of
/// part `number` of `phase`. `outside` maps the values that the phase takes
/// from outside.
void fillPart(RunClusterOp phase, RunClusterOp part, int64_t number,
              const SplitCuts &cuts, const IRMapping &outside,
              OpBuilder &builder);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_SPLITBODY_H
