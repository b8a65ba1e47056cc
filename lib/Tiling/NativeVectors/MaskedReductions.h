//===- MaskedReductions.h - Unmasking of large reductions -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_MASKEDREDUCTIONS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_MASKEDREDUCTIONS_H

#include "Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff::vectortiles {

/// Replaces the mask of reductions of vectors that registers cannot hold by a
/// select of the identity where the mask is false; the result has slices.
void unmaskLargeReductions(func::FuncOp kernel, const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_MASKEDREDUCTIONS_H
