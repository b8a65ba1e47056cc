//===- FoldedClone.h - Cloning ops with constant folding --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_SCHEDULE_FOLDEDCLONE_H
#define DISTAFF_LIB_PCF_SCHEDULE_FOLDEDCLONE_H

#include "distaff/LLVM.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Clones an op without regions, or maps its results to what they fold to.
void cloneFolded(RewriterBase &rewriter, Operation *op, IRMapping &mapping);

/// Simplifies arithmetic on positions in the op's regions: `(k + 1) + 1` is
/// `k + 2`, and `(k + 2) mod 2` is `k mod 2`; offsets that are numbers become
/// static; duplicate and dead arithmetic is erased. Phases, accesses and
/// barriers stay.
void simplifyIndices(RewriterBase &rewriter, Operation *root);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_SCHEDULE_FOLDEDCLONE_H
