//===- KernelSubset.h - Passes for some kernels of a module -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages of run-cluster do different things to a kernel that is one product and
// to any other. Passes are for modules, and know no such difference; so while
// they run on the kernels that they are for, the others are declarations.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_KERNELSUBSET_H
#define DISTAFF_LIB_PIPELINES_KERNELSUBSET_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace distaff {

/// Adds the passes that `add` adds, for those kernels of a module for which
/// `takes` holds; host functions and lanes' programs are seen by all passes.
void addForKernels(OpPassManager &pipeline,
                   std::function<bool(func::FuncOp)> takes,
                   llvm::function_ref<void(OpPassManager &)> add);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_KERNELSUBSET_H
