//===- Passes.h - From dialect to dialect -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Passes.td declares, as C++. After the lower stage the vendors' bring
// kernels into the LLVM dialect of one vendor; Pipelines/Emit.h runs them and
// goes on to text.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONVERSION_PASSES_H
#define DISTAFF_CONVERSION_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

#define GEN_PASS_DECL
#include "distaff/Conversion/Passes.h.inc"

/// The attribute of an LLVM function for AMD targets of which most registers
/// that are live at once have to be spilled: more than twice what a lane has.
inline constexpr llvm::StringLiteral kSpillsMostly = "distaff-spills-mostly";

/// Has the conversion for AMD targets leave each guarded access of a lowered
/// module its own branch (VX-277). Returns false where no kernel is left to
/// convert.
bool keepGuardsApart(ModuleOp module);

/// What `pcf-convert-sref-to-memref` does.
LogicalResult convertSRefToMemRef(ModuleOp module, bool clampZeroSize = false);

/// What `pcf-lower-structural` does.
LogicalResult lowerStructural(Operation *root);

/// Registers every pass of this library under its flag.
void registerDistaffConversion();

} // namespace distaff

#endif // DISTAFF_CONVERSION_PASSES_H
