//===- LLVM.h - The project's one using-directive ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes MLIR's names visible inside namespace distaff, once for all files.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LLVM_H
#define DISTAFF_LLVM_H

#include "mlir/Support/LLVM.h"

namespace distaff {
using namespace mlir;
} // namespace distaff

#endif // DISTAFF_LLVM_H
