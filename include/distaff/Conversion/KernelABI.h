//===- KernelABI.h - How a kernel is called ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's arguments, in this order: one pointer per memref argument of the
// `func.func` (16-byte aligned, row-major from the pointer on), then its
// scalars, then one i64 per dynamic extent in (argument, dimension) order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONVERSION_KERNELABI_H
#define DISTAFF_CONVERSION_KERNELABI_H

#include "distaff/LLVM.h"
#include <string>

namespace distaff {

/// The symbol under which a kernel of that name is emitted; it matches
/// [A-Za-z_][A-Za-z0-9_]*.
std::string emittedSymbol(StringRef name);

} // namespace distaff

#endif // DISTAFF_CONVERSION_KERNELABI_H
