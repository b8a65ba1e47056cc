//===- KernelABI.h - Calling convention of kernels --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's arguments are in the order of KernelSignature: one pointer per
// memref (16-byte aligned, row-major from the pointer on), then its scalars,
// then one i64 per dynamic extent in (argument, dimension) order. docs/ABI.md
// defines the layout and the passing of elements and scalars of every width.
//
// The kernel declares workgroup memory as long as it fits the target's static
// limit; above that it is one array whose size the launch passes. An argument
// in workgroup memory is not passed: it is the first of these buffers, and its
// contents are undefined when the kernel starts.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOLLVM_KERNELABI_H
#define DISTAFF_TOLLVM_KERNELABI_H

#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <string>

namespace distaff {

struct Target;

/// Returns the symbol under which a kernel of that name is emitted; it matches
/// [A-Za-z_][A-Za-z0-9_]*.
std::string emittedSymbol(StringRef name);

/// Returns the bytes of workgroup memory that the launch of a lowered kernel
/// allocates; 0 if the kernel declares what it needs.
int64_t dynamicWorkgroupMemory(FunctionOpInterface kernel,
                               const Target &target);

/// Returns where the arguments of a lowered kernel that are workgroup memory
/// lie: their arrays and offsets.
std::vector<WorkgroupArgument> workgroupArguments(FunctionOpInterface kernel,
                                                  const Target &target);

} // namespace distaff

#endif // DISTAFF_TOLLVM_KERNELABI_H
