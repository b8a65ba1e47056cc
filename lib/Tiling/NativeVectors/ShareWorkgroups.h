//===- ShareWorkgroups.h - Tiles for several workgroups ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel on vectors is one workgroup's. Where all that it does is one loop
// over tiles, their iterations are independent, so its outermost extent may be
// shared out among several: of a vector<64x256x256xf32>, 64 workgroups take a
// 1x256x256 each.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_SHAREWORKGROUPS_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_SHAREWORKGROUPS_H

#include "Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff::vectortiles {

/// Makes the outermost of a kernel's loops a loop over workgroups, if it is all
/// that the kernel does and there is work for several. `pieces`: the
/// instructions that all of it is.
void shareWorkgroups(func::FuncOp kernel, int64_t pieces,
                     const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_SHAREWORKGROUPS_H
