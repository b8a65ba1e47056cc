//===- FormLaunches.h - Which ops run in one launch -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function on tensors is one launch where its ops fuse into one and that is
// not slower than several. Otherwise it becomes kernels @f__0, @f__1, ... and a
// function of the host that names them (LaunchSequence.h). Who may be fused
// with whom, and at what price, is asked of the ranking that chooses tiles.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_FORMLAUNCHES_H
#define DISTAFF_LIB_CONFIGURE_FORMLAUNCHES_H

#include "distaff/Configure/Search.h"

namespace distaff {

class DecisionLog;

/// Splits a prepared kernel on tensors into launches, if that is better or the
/// only way; returns the kernels, or the one it was. An op that fits into no
/// launch is alone in one, for whoever chooses its tiles to refuse.
FailureOr<SmallVector<func::FuncOp>>
formLaunches(func::FuncOp kernel, const Target &target, const UserChoices &user,
             RankedKernels &ranked, DecisionLog *log);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_FORMLAUNCHES_H
