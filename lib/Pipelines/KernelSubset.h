//===- KernelSubset.h - Passes on some kernels of a module ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages of run-cluster transform a kernel that is one product differently from
// any other. Passes run on modules, without such a distinction; so while they
// run on the selected kernels, the others are declarations.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_KERNELSUBSET_H
#define DISTAFF_LIB_PIPELINES_KERNELSUBSET_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace distaff {

/// Adds the passes that `add` adds, for those kernels of a module for which
/// `takes` holds; all passes see host functions and lanes' programs.
void addForKernels(OpPassManager &pipeline,
                   std::function<bool(func::FuncOp)> takes,
                   llvm::function_ref<void(OpPassManager &)> add);

/// Does the same for passes that report an error if they cannot be applied: a
/// note with `advice` is attached to each error.
void addAdvisedForKernels(OpPassManager &pipeline,
                          std::function<bool(func::FuncOp)> takes,
                          StringRef advice,
                          llvm::function_ref<void(OpPassManager &)> add);

/// Adds optional passes that report an error if they cannot be applied. They
/// run on each kernel for which `takes` holds, one after the other. If a pass
/// fails, the kernel is restored to its state before the first of them, and the
/// error becomes a warning that ends with `otherwise`, which describes how the
/// kernel is compiled.
void addAttemptForKernels(OpPassManager &pipeline,
                          std::function<bool(func::FuncOp)> takes,
                          StringRef otherwise,
                          llvm::function_ref<void(OpPassManager &)> add);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_KERNELSUBSET_H
