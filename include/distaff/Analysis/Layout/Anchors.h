//===- Anchors.h - Layouts that the user fixes ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect accepts any attribute as `shared_memory_conversion` and
// `mma_kind` of a to_layout (VX-10). The passes that act on them support only
// some and reject the others, because an unsupported request must not be
// ignored (VX-11).
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

/// Returns the target for strict-fp: without the instructions that add floats
/// in another order.
Target keepingFloatOrder(const Target &target);

/// Returns why an instruction may not be used, as a clause about the name,
/// "which ..."; nullopt if it may.
std::optional<std::string> whyNotInstruction(const Target &target,
                                             iree::MmaLayoutAttr kind);

/// Rejects every to_layout with a conversion or an instruction that is unknown,
/// not on `target` (if given), or that no contraction can use.
LogicalResult verifyAnchors(FunctionOpInterface function, const Target *target);

/// Returns whether a to_layout lays out a tensor. Such a kernel runs in one
/// workgroup: the layouts are those of whole tensors, which are not tiled.
bool laysOutTensors(FunctionOpInterface function);

/// Returns whether a kernel on tensors is already tiled over workgroups: by
/// layouts, or by a loop over workgroups around vectors. The compiler chooses
/// no tiles for it.
bool comesTiled(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_ANCHORS_H
