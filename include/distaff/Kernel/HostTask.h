//===- HostTask.h - Tasks of a kernel on a CPU ------------------*- C++ -*-===//
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
// argument lies at the start of its 8 bytes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_HOSTTASK_H
#define DISTAFF_KERNEL_HOSTTASK_H

#include "distaff/LLVM.h"
#include <string>

namespace distaff {

/// Returns the symbol of the task of a kernel that is emitted under that name.
inline std::string hostTaskName(StringRef kernel) {
  return (kernel + "__task").str();
}

/// The suffix after the kernel's symbol in the name of the C function that
/// launches its tasks, until the kernel has another name.
inline constexpr StringLiteral hostEntrySuffix = "__entry";

/// The function that a failed assertion calls, with its message, and that never
/// returns:
///   void distaff_assertion_failed(const char *message)
inline constexpr StringLiteral hostAssertionSymbol = "distaff_assertion_failed";

/// LLVM's attribute of a function that the author of a kernel has declared and
/// that is provided when the code is linked (docs/ABI.md).
inline constexpr StringLiteral externalFunctionAttribute =
    "distaff-external-function";

} // namespace distaff

#endif // DISTAFF_KERNEL_HOSTTASK_H
