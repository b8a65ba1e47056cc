//===- DecomposeWindows.h - Windows of convolutions as slices ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_DECOMPOSEWINDOWS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_DECOMPOSEWINDOWS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Makes ops of collective code that index a tensor by more than loops, as
/// convolutions and poolings do, ops on slices of it, one for each place of the
/// window. Ops whose windows are not of reduced loops of known extents stay.
/// Failure: a diagnostic says which extent is not known.
LogicalResult decomposeWindows(SharedExecutorOp executor,
                               RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_DECOMPOSEWINDOWS_H
