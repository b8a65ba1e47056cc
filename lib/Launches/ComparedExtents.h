//===- ComparedExtents.h - Equality of dynamic extents ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op whose operands have dynamic extents is one loop along them, and a
// launch refuses those that differ. A rewrite that splits such an op must keep
// the extents that the launch compares.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_COMPAREDEXTENTS_H
#define DISTAFF_LIB_LAUNCHES_COMPAREDEXTENTS_H

#include "distaff/Kernel/ExtentFormulas.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {

/// Returns whether the extents along each loop of an op are statically equal;
/// else a launch has to compare them, for which it needs the op's loops as they
/// are.
bool agreesOnExtents(linalg::LinalgOp op, const ExtentFormulas &formulas);

/// Returns the elementwise ops that compute what `op` reads, and `op`.
llvm::SetVector<Operation *> chainOf(linalg::LinalgOp op);

/// Returns whether all elementwise ops before an op agree on their extents, so
/// that parts can be made of it.
bool agreeOnExtentsBefore(linalg::LinalgOp op, const ExtentFormulas &formulas);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_COMPAREDEXTENTS_H
