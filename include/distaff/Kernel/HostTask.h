//===- HostTask.h - What a thread of a CPU calls ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that is compiled for a CPU is called as
//
//   void NAME__task(const void *frame, int64_t begin, int64_t end)
//
// which runs the workgroups of that range, numbered x + nx * (y + ny * z). The
// frame has 8 bytes for each argument of the kernel ABI, in its order, and each
// lies at the first of its own.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_HOSTTASK_H
#define DISTAFF_KERNEL_HOSTTASK_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace distaff {

/// The symbol of the task of a kernel that is emitted under that name.
inline std::string hostTaskName(StringRef kernel) {
  return (kernel + "__task").str();
}

/// What a function of C that launches the tasks of a kernel is called, behind
/// the kernel's symbol, until the kernel has another name.
inline constexpr StringLiteral hostEntrySuffix = "__entry";

/// What a failed assertion calls, with its message, and what never returns:
///   void distaff_assertion_failed(const char *message)
inline constexpr StringLiteral hostAssertionSymbol = "distaff_assertion_failed";

/// LLVM's attribute of a function that the author of a kernel has declared, and
/// that whoever links the code provides (docs/ABI.md).
inline constexpr StringLiteral externalFunctionAttribute =
    "distaff-external-function";

/// The function of that symbol in a module; declares it where there is none.
LLVM::LLVMFuncOp declareHostAssertion(ModuleOp module);

/// Whether an op has ops in it that take registers of matrices, which the
/// system lends to who asks.
bool takesMatrices(Operation *op);

} // namespace distaff

#endif // DISTAFF_KERNEL_HOSTTASK_H
