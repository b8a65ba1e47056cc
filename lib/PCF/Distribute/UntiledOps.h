//===- UntiledOps.h - Messages for ops without a tiling rule ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_UNTILEDOPS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_UNTILEDOPS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff::pcf {

/// Returns a message that an op of a phase has no tiling rule, and what to
/// write instead.
std::string describeUntiled(Operation *op);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_UNTILEDOPS_H
