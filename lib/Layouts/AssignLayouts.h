//===- AssignLayouts.h - Layout assignment ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUTS_ASSIGNLAYOUTS_H
#define DISTAFF_LIB_LAYOUTS_ASSIGNLAYOUTS_H

#include "distaff/Analysis/Layout/LayoutChoice.h"

namespace distaff {

/// Inserts to_layout ops until propagation derives the chosen layouts: one for
/// each conversion, with `mma_kind` on the operands of contractions that run on
/// an MMA, with `shared_memory_conversion` where the plan goes through shared
/// memory, and at the first value in program order that propagation still
/// leaves open. Chains with chosen rematerialization are cloned. New values and
/// their layouts are added to `choice`.
void writeLayouts(FunctionOpInterface function, LayoutChoice &choice,
                  DecisionLog *log);

/// Replaces promotion attributes by the layouts of their copies, for a
/// workgroup of that many threads; refuses promotions that the target cannot
/// do.
LogicalResult applyPromotions(FunctionOpInterface function,
                              const Target &target, int64_t workgroupSize,
                              int64_t subgroupSize);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUTS_ASSIGNLAYOUTS_H
