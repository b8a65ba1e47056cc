//===- UserConfig.h - Which of a user's choices can be met ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user overrides what is chosen by `lowering_config` and `translation_info`.
// What cannot be met, and what no pass reads, is refused by its key.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_USERCONFIG_H
#define DISTAFF_ANALYSIS_LEGALITY_USERCONFIG_H

#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Refuses keys of a user's `lowering_config` that cannot be met;
/// `workgroupSize` is the user's, or 0.
LogicalResult checkUserConfigs(const FusedGroup &group, const Target &machine,
                               int64_t workgroupSize);

/// Moves the `lowering_config` of a function to its root; keys of the
/// function's replace those of the root's own.
LogicalResult moveConfigToRoot(func::FuncOp kernel, Operation *root);

/// Refuses attributes of a kernel and its ops that no pass reads, or that are
/// of another type than the one that is read.
LogicalResult checkAttributes(func::FuncOp kernel, const Target &machine);

/// Refuses sizes of workgroups and subgroups that the target does not have.
LogicalResult checkLaunchShape(func::FuncOp kernel, const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_USERCONFIG_H
