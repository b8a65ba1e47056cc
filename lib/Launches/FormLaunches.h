//===- FormLaunches.h - Dispatch formation ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function on tensors is one launch where its ops fuse into one and that is
// not slower than several. Otherwise it becomes kernels @f__0, @f__1, ... and a
// function of the host that names them (LaunchSequence.h). The ranking that
// chooses tiles decides which ops may be fused, and at what price.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_FORMLAUNCHES_H
#define DISTAFF_LIB_LAUNCHES_FORMLAUNCHES_H

#include "distaff/Analysis/Ranking/Ranking.h"

namespace distaff {

class DecisionLog;

/// Splits a prepared kernel on tensors into launches, if that is better or the
/// only way; returns the kernels, or the one it was. An op that fits into no
/// launch is alone in one, and the choice of tiles will refuse it.
FailureOr<SmallVector<func::FuncOp>> formLaunches(func::FuncOp kernel,
                                                  KernelRanker &ranker,
                                                  const UserChoices &user,
                                                  DecisionLog *log);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_FORMLAUNCHES_H
