//===- ExpectedAccesses.h - How wide layouts are chosen for -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analysis judges layouts by how wide their accesses of memory will be
// (AccessWidth.h), Lower decides it. These are the widths that Analysis counts
// on.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_EXPECTEDACCESSES_H
#define DISTAFF_UNITTESTS_PIPELINES_EXPECTEDACCESSES_H

#include "Traffic.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {

/// One access for each transfer of a kernel whose layouts are assigned.
FailureOr<AccessCounts> expectedAccesses(FunctionOpInterface kernel,
                                         const Target &target);

} // namespace distaff

#endif // DISTAFF_UNITTESTS_PIPELINES_EXPECTEDACCESSES_H
