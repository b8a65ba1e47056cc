//===- Scans.h - Scans (prefix sums) from loops -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAUNCHES_SCANS_SCANS_H
#define DISTAFF_LAUNCHES_SCANS_SCANS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

struct Target;

/// Raises to a scan every loop that combines the elements along a dim of a
/// tensor in order, and writes each partial result. A short scan becomes
/// linalg, a longer one becomes calls of prepared launches. With `strictFp`,
/// scans of floats whose order matters become linalg. A loop that does anything
/// else is no scan.
void raiseScans(func::FuncOp kernel, const Target &target, bool strictFp);

/// Marks the float sums and products of such loops with the attribute
/// `any_order`: the number of their terms in a launch of these dynamic extents,
/// and the operand that is a term. A check of the compiled loops allows for
/// every order of them.
void allowAnyOrder(func::FuncOp kernel, ArrayRef<int64_t> extents);

} // namespace distaff

#endif // DISTAFF_LAUNCHES_SCANS_SCANS_H
