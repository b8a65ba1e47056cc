//===- NormalizeCaptures.h - Tensors that phases capture --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_NORMALIZECAPTURES_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_NORMALIZECAPTURES_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Rematerializes captured tensors and vectors in a phase, since a captured
/// value belongs to no payload class: constants, empty tensors, and slices read
/// from memory which is not written in between (PCF-70). Errors:
/// `shaped value captured by a phase has no distribution; pass it as payload`.
LogicalResult normalizeCaptures(RunClusterOp op, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_NORMALIZECAPTURES_H
