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

/// The same for passes that report an error where they cannot be applied: a
/// note with `advice` goes with each.
void addAdvisedForKernels(OpPassManager &pipeline,
                          std::function<bool(func::FuncOp)> takes,
                          StringRef advice,
                          llvm::function_ref<void(OpPassManager &)> add);

/// Adds passes that a kernel can do without, and that report an error where
/// they cannot be applied. They run on one kernel after the other of those for
/// which `takes` holds. Where a pass fails, the kernel is again what it was
/// before the first of them, and the error becomes a warning that ends with
/// `otherwise`, which says what becomes of the kernel.
void addAttemptForKernels(OpPassManager &pipeline,
                          std::function<bool(func::FuncOp)> takes,
                          StringRef otherwise,
                          llvm::function_ref<void(OpPassManager &)> add);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_KERNELSUBSET_H
