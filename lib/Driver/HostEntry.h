//===- HostEntry.h - The C function of a kernel on a CPU --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All launches of a kernel as one function of C, which needs nothing but the
// math library:
//
//   int softmax(const float *arg0, float *res0, distaff_parallel_for parallel);
//
// Its arguments are those of the kernel ABI: pointers to the arguments, the
// results and the workspaces, then scalars, then an int64_t per dynamic extent;
// and last who shares out the workgroups of a launch, null for the caller
// alone. It returns 0, or -1 where no launch can have the extents, and has
// written nothing then.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_HOSTENTRY_H
#define DISTAFF_LIB_DRIVER_HOSTENTRY_H

#include "distaff/LLVM.h"
#include "distaff/Runtime/Package.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// The name of the function: that of the kernel as code has it, which for a
/// kernel called main, of which C has another, is main_kernel.
std::string hostFunctionName(const runtime::Package &package);

/// Adds the function to a lowered module, where emission finds it. Fails where
/// its name is one of C's, of a function that it calls, or of another kernel.
LogicalResult addHostEntry(ModuleOp module, const runtime::Package &package);

/// A header of C that declares the functions of kernels, and says what each of
/// their arguments is.
struct DeclaredKernel {
  runtime::Package package;
  SmallVector<bool> written; ///< arguments that it writes
  bool asks;                 ///< the system for registers of matrices
};
/// Declares too the functions without a body that the kernels call, as their
/// author wrote them.
std::string writeHostHeader(ArrayRef<DeclaredKernel> kernels,
                            ArrayRef<func::FuncOp> externals);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_HOSTENTRY_H
