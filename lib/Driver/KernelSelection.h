//===- KernelSelection.h - Selecting the kernels of a request ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_KERNELSELECTION_H
#define DISTAFF_LIB_DRIVER_KERNELSELECTION_H

#include "distaff/Driver/Answer.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Finds the kernel of that name, or the only one without a name. A diagnostic
/// reports if there is none.
Answer findOneKernel(ModuleOp module, StringRef name,
                     FunctionOpInterface &kernel);

/// Finds the kernel, and removes from the module what it does not need: other
/// kernels are not compiled.
Answer selectKernel(ModuleOp module, StringRef name,
                    FunctionOpInterface &kernel);

/// Finds all kernels of a module, in order, and removes functions that no
/// kernel needs.
Answer selectAllKernels(ModuleOp module,
                        SmallVectorImpl<FunctionOpInterface> &kernels);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_KERNELSELECTION_H
