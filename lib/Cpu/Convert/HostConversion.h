//===- HostConversion.h - Steps of the conversion for a CPU -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_CONVERT_HOSTCONVERSION_H
#define DISTAFF_LIB_CPU_CONVERT_HOSTCONVERSION_H

#include "distaff/ToLLVM/ToLLVM.h"

namespace distaff {

/// Places the allocations of a CPU kernel: memref.alloca on the stack, once for
/// all workgroups of a range, and memref.alloc on the heap, with an assertion
/// that fails if the heap is exhausted.
LogicalResult placeHostMemory(func::FuncOp kernel);

/// Adds the patterns of packed dot products (VNNI, dot product of Arm).
void populatePackedDotPatterns(const LLVMTypeConverter &converter,
                               const Target &host, RewritePatternSet &patterns);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_CONVERT_HOSTCONVERSION_H
