//===- Lower.h - The stage that all pipelines end with ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whichever pipeline a kernel has come, it is one lane's program now, with
// vectors of what the lane holds.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_LOWER_H
#define DISTAFF_PIPELINES_LOWER_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

struct LowerStageOptions {
  const Target &target;
  bool strictFp = false;
  DecisionLog *log = nullptr;
};
/// Brings one lane's code down to scalars, shuffles and wide accesses.
void addLowerStage(OpPassManager &manager, const LowerStageOptions &options);

extern const Stage lowerStage;

} // namespace distaff

#endif // DISTAFF_PIPELINES_LOWER_H
