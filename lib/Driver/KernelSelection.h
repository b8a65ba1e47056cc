//===- KernelSelection.h - The kernels that a request is about --*- C++ -*-===//
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

/// Finds the kernel of that name, or the only one without a name. Where there
/// is none, a diagnostic says so.
Answer findOneKernel(ModuleOp module, StringRef name,
                     FunctionOpInterface &kernel);

/// Finds it, and removes what it does not need: other kernels of the module are
/// not compiled.
Answer selectKernel(ModuleOp module, StringRef name,
                    FunctionOpInterface &kernel);

/// All kernels of a module, in order; functions that none needs are removed.
Answer selectAllKernels(ModuleOp module,
                        SmallVectorImpl<FunctionOpInterface> &kernels);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_KERNELSELECTION_H
