//===- CarriedParts.h - Lane parts carried by control flow ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop may carry a lane's part of a value, and a branch yield it (VX-212).
// Each such value becomes the whole vector, which is converted to parts again
// where it is used:
//
//   scf.for iter_args(%v = %p) -> (vector<1x1x2xf32>) {
//     %m = arith.mulf %v, %v
//     scf.yield %m }
// becomes
//   %w = to_simd %p : vector<1x1x2xf32> -> vector<64xf32>
//   scf.for iter_args(%u = %w) -> (vector<64xf32>) {
//     %l = to_layout %u to layout(L)
//     %v = to_simt %l
//     %m = arith.mulf %v, %v
//     %n = to_simd %m
//     scf.yield %n }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUTS_CARRIEDPARTS_H
#define DISTAFF_LIB_LAYOUTS_CARRIEDPARTS_H

#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace distaff {

/// Makes loops and branches of a function carry whole vectors. Returns the new
/// to_simd ops; their operands may be equal in all lanes, for example the zero
/// from which a sum starts.
llvm::DenseSet<Operation *> carryWholes(FunctionOpInterface function);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUTS_CARRIEDPARTS_H
