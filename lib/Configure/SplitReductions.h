//===- SplitReductions.h - Reductions in two launches -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_SPLITREDUCTIONS_H
#define DISTAFF_LIB_CONFIGURE_SPLITREDUCTIONS_H

#include "distaff/Configure/Search.h"

namespace distaff {

class DecisionLog;

/// Takes reductions that would leave most of the machine without work apart:
/// into parts, which workgroups share, and the sum of these. What that gains is
/// told by the ranking of either way, the second launch included. Where no
/// good number of parts divides the extent, or only a launch knows it, they
/// leave a rest (ReductionParts.h). Sums of floats are not split with
/// `UserChoices::strictFp`, and nothing of a kernel that its author has tuned.
LogicalResult splitReductions(func::FuncOp kernel, const Target &target,
                              const UserChoices &user, RankedKernels &ranked,
                              DecisionLog *log);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_SPLITREDUCTIONS_H
