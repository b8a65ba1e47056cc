//===- Scans.h - Running sums and their like --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_SCANS_H
#define DISTAFF_CONFIGURE_SCANS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

struct Target;

/// Takes every loop that combines the elements along a dim of a tensor, one
/// after the other, and writes each result so far, for a scan: a short one
/// becomes linalg, another one calls of launches that are written already. With
/// `strictFp`, floats whose order matters are linalg. What a loop does besides
/// makes it none.
void raiseScans(func::FuncOp kernel, const Target &target, bool strictFp);

/// Says of the float sums and products of such loops, by the attribute
/// `any_order`, of how many terms they are in a launch of these dynamic
/// extents, and which operand is one: whoever checks what was made of the loops
/// allows for every order of them.
void allowAnyOrder(func::FuncOp kernel, ArrayRef<int64_t> extents);

} // namespace distaff

#endif // DISTAFF_CONFIGURE_SCANS_H
