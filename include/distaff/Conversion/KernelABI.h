//===- KernelABI.h - How a kernel is called ---------------------*- C++ -*-===//
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
// says how elements and scalars of every width lie and are passed.
//
// Workgroup memory is declared by the kernel as long as it fits the target's
// static limit; above that it is one array whose size the launch passes. An
// argument in workgroup memory is no argument of the code: it is the first of
// these buffers, and holds nothing when the kernel starts.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONVERSION_KERNELABI_H
#define DISTAFF_CONVERSION_KERNELABI_H

#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <string>

namespace distaff {

struct Target;

/// The symbol under which a kernel of that name is emitted; it matches
/// [A-Za-z_][A-Za-z0-9_]*.
std::string emittedSymbol(StringRef name);

/// Bytes of workgroup memory that the launch of a lowered kernel allocates; 0
/// if the kernel declares what it needs.
int64_t dynamicWorkgroupMemory(FunctionOpInterface kernel,
                               const Target &target);

/// Where the arguments of a lowered kernel that are workgroup memory lie in its
/// code.
std::vector<WorkgroupArgument> workgroupArguments(FunctionOpInterface kernel,
                                                  const Target &target);

} // namespace distaff

#endif // DISTAFF_CONVERSION_KERNELABI_H
