//===- Passes.h - Input of other compilers ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes of Passes.td in C++.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_IMPORT_PASSES_H
#define DISTAFF_IMPORT_PASSES_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace distaff {

#define GEN_PASS_DECL
#include "distaff/Import/Passes.h.inc"

/// Registers every pass of this library under its flag.
void registerDistaffImport();

} // namespace distaff

#endif // DISTAFF_IMPORT_PASSES_H
