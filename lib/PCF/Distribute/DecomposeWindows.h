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

/// Replaces ops of collective code that index a tensor by more than one loop,
/// as convolutions and poolings do, by ops on slices of it, one per window
/// position. Ops whose windows are not of reduced loops of known extents stay.
/// Failure: a diagnostic names the extent that is not known.
LogicalResult decomposeWindows(SharedExecutorOp executor,
                               RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_DECOMPOSEWINDOWS_H
