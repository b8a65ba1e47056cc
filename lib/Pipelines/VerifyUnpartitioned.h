//===- VerifyUnpartitioned.h - Reject partitioned workgroups ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_VERIFYUNPARTITIONED_H
#define DISTAFF_LIB_PIPELINES_VERIFYUNPARTITIONED_H

#include "mlir/Pass/Pass.h"

namespace distaff {

/// Returns a pass that rejects a kernel whose author has partitioned the
/// subgroups into clusters: passes that specialize need an unpartitioned
/// workgroup.
std::unique_ptr<mlir::Pass> createVerifyUnpartitioned();

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_VERIFYUNPARTITIONED_H
