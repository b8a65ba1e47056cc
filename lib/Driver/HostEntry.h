//===- HostEntry.h - The C function of a kernel on a CPU --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits all launches of a kernel as one function of C, which depends only on
// the math library:
//
//   int softmax(const float *arg0, float *res0, distaff_parallel_for parallel);
//
// Its arguments are those of the kernel ABI: pointers to the arguments, the
// results and the workspaces, then scalars, then an int64_t per dynamic extent;
// and last the function that distributes the workgroups of a launch over
// threads, null for the caller alone. It returns 0, or -1 if no launch can have
// the extents; then it has written nothing.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_HOSTENTRY_H
#define DISTAFF_LIB_DRIVER_HOSTENTRY_H

#include "distaff/LLVM.h"
#include "distaff/Runtime/Package.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Returns the name of the function: the kernel's emitted symbol, or
/// main_kernel for a kernel called main, since C has another main.
std::string hostFunctionName(const runtime::Package &package);

/// Adds the function to a lowered module, where emission finds it. Fails if its
/// name is one of C's, of a function that it calls, or of another kernel.
LogicalResult addHostEntry(ModuleOp module, const runtime::Package &package);

/// A kernel that a C header declares, with a comment on each of its arguments.
struct DeclaredKernel {
  runtime::Package package;
  SmallVector<bool> written; ///< arguments that it writes
  bool asks;                 ///< requests matrix registers from the system
};
/// Returns a C header that declares the functions of kernels and documents each
/// of their arguments. Also declares the functions without a body that the
/// kernels call, as their author wrote them.
std::string writeHostHeader(ArrayRef<DeclaredKernel> kernels,
                            ArrayRef<func::FuncOp> externals);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_HOSTENTRY_H
