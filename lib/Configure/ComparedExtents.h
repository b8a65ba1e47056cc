//===- ComparedExtents.h - What a launch has to compare ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op whose operands have extents that only a launch knows is one loop along
// them, and a launch refuses those that differ. Whoever takes such an op apart
// must leave something to be seen of that.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_COMPAREDEXTENTS_H
#define DISTAFF_LIB_CONFIGURE_COMPAREDEXTENTS_H

#include "distaff/Kernel/ExtentFormulas.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {

/// Whether what each loop of an op runs along is of one extent by itself; else
/// a launch has to compare, for which it needs the op's loops as they are.
bool agreesOnExtents(linalg::LinalgOp op, const ExtentFormulas &formulas);

/// The elementwise ops that make what `op` reads, and `op`.
llvm::SetVector<Operation *> chainOf(linalg::LinalgOp op);

/// Whether all elementwise ops in front of an op do, of which parts are made.
bool agreeOnExtentsBefore(linalg::LinalgOp op, const ExtentFormulas &formulas);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_COMPAREDEXTENTS_H
