//===- Anchors.h - What a to_layout may ask for -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect takes any attribute as `shared_memory_conversion` and `mma_kind`
// of a to_layout (VX-10). The passes that act on them know only some, and
// refuse the rest, for a wish that is not understood must not be taken for
// granted (VX-11).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_ANCHORS_H
#define DISTAFF_ANALYSIS_LAYOUT_ANCHORS_H

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>
#include <string>

namespace distaff {

/// The target as strict-fp sees it: without the instructions that add floats in
/// an order of their own.
Target keepingFloatOrder(const Target &target);

/// Why an instruction may not be used: a clause about the name, "which ...";
/// nothing if it may.
std::optional<std::string> whyNotInstruction(const Target &target,
                                             iree::MmaLayoutAttr kind);

/// Refuses every to_layout that asks for a conversion or an instruction that is
/// not known, not on `target` (if given), or that no contraction takes.
LogicalResult verifyAnchors(FunctionOpInterface function, const Target *target);

/// Whether a to_layout lays out a tensor. Such a kernel is one workgroup's: the
/// layouts are those of whole tensors, which nothing cuts into tiles.
bool laysOutTensors(FunctionOpInterface function);

/// Whether a kernel on tensors says itself what a workgroup takes of them: by
/// layouts, or by a loop over workgroups around vectors. Nobody chooses tiles
/// for it.
bool comesTiled(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_ANCHORS_H
