//===- Lower.h - Stage lower, the end of all pipelines ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After any pipeline a kernel is one lane's program, with vectors of the
// elements that the lane holds.
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
/// Lowers one lane's code to scalars, shuffles and wide accesses.
void addLowerStage(OpPassManager &manager, const LowerStageOptions &options);

extern const Stage lowerStage;

} // namespace distaff

#endif // DISTAFF_PIPELINES_LOWER_H
