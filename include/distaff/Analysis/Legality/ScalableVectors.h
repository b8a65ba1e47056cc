//===- ScalableVectors.h - Reject vectors of scalable size ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No target has registers whose length is known only at run time. An op with a
// vector of such a type is rejected, and so is its scale (VX-151):
//
//   'vector.load' op 'vector<[4]xf32>' is scalable, and vectors of x86-64 have
//   a fixed size; take one such as 'vector<4xf32>'
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_SCALABLEVECTORS_H
#define DISTAFF_ANALYSIS_LEGALITY_SCALABLEVECTORS_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"

namespace distaff {

/// Fails with an error at `op` if an operand or a result is a scalable vector,
/// or if it returns the scale of such vectors.
LogicalResult checkFixedSizes(Operation *op, const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_SCALABLEVECTORS_H
