//===- Passes.h - Conversion passes between dialects ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes of Passes.td in C++. After the lower stage the vendor
// conversions bring kernels into the LLVM dialect and one vendor's dialect;
// Pipelines/Emit.h runs them and emits text.
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

/// The attribute of an LLVM function for AMD targets that has to spill most of
/// the registers that are live at once: more than twice what a lane has.
inline constexpr llvm::StringLiteral kSpillsMostly = "distaff-spills-mostly";

/// Makes the conversion for AMD targets give each guarded access of a lowered
/// module its own branch (VX-277). Returns false if no kernel is left to
/// convert.
bool keepGuardsApart(ModuleOp module);

/// Runs `pcf-convert-sref-to-memref`.
LogicalResult convertSRefToMemRef(ModuleOp module, bool clampZeroSize = false);

/// Runs `pcf-lower-structural`.
LogicalResult lowerStructural(Operation *root);

/// Registers every pass of this library under its flag.
void registerDistaffConversion();

} // namespace distaff

#endif // DISTAFF_CONVERSION_PASSES_H
