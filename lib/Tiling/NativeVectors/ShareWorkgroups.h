//===- ShareWorkgroups.h - Outermost loop over workgroups -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel on vectors runs on one workgroup. If its only effect is one loop
// over tiles, the iterations are independent, and its outermost extent may be
// distributed over several workgroups: for a vector<64x256x256xf32>, 64
// workgroups compute 1x256x256 each.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_SHAREWORKGROUPS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_SHAREWORKGROUPS_H

#include "Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff::vectortiles {

/// Makes the outermost loop of a kernel a loop over workgroups, if the kernel
/// does nothing else and has work for several. `pieces` is the number of
/// instructions of the whole kernel.
void shareWorkgroups(func::FuncOp kernel, int64_t pieces,
                     const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_SHAREWORKGROUPS_H
