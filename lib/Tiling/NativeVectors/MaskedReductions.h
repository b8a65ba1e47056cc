//===- MaskedReductions.h - Large reductions under a mask -------*- C++ -*-===//
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

/// Has reductions under a mask of vectors that registers do not hold combine
/// the identity where the mask is false, so that there are slices of them.
void unmaskLargeReductions(func::FuncOp kernel, const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_MASKEDREDUCTIONS_H
