//===- BarrierSequence.h - Equal barrier sequences of workers ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workers of a scope that take different sides of a branch must wait equally
// often and in the same order, or some wait for ever (7.4 of the pcf
// specification). The barriers of a body form a tree: barriers, loops around
// them and branches between them; sides without barriers leave nothing. A
// branch whose sides have equal trees counts as that tree. If they differ, the
// condition must be the same for all workers.
//
// Example: `scf.for %i = %c0 to %n { barrier; barrier }` is
// `for(0, %n, 1){barrier x2}`.
//
// A value is called uniform here if it is not computed from a worker's ids.
// Whether a value read from memory is the same for all workers is not known;
// such a value is reported to `remark`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_BARRIERSEQUENCE_H
#define DISTAFF_LIB_PCF_ORDER_BARRIERSEQUENCE_H

#include "distaff/LLVM.h"
#include "mlir/IR/Region.h"

namespace distaff::pcf {

/// Receives each value that must be the same for all workers and is not proved
/// to be.
using UniformityRemark = function_ref<void(Operation *user, Value value)>;

/// Checks every worker's code in `root` (bodies of pcf.generic, and functions
/// that are lowered already). Errors:
/// `clusters disagree on the barrier sequence: <a> vs <b>`, at the branch.
LogicalResult verifyBarrierSequences(Operation *root,
                                     UniformityRemark remark = nullptr);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_BARRIERSEQUENCE_H
