//===- VectorsOnTensors.h - Kernels with vectors on tensors -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may read its tensors by vector.transfer_read and write its results
// by vector.transfer_write: then no tiling is needed, and tensors are memory. A
// to_layout of a tensor sets the layout of vectors of that shape which are read
// from it or were written to it (D11):
//
//   %t = to_layout %arg : tensor<30xf32>             layout of 32
//   %v = transfer_read %t : tensor<30xf32>, vector<32xf32>
// becomes
//   %r = transfer_read %arg : tensor<30xf32>, vector<32xf32>
//   %v = to_layout %r : vector<32xf32>
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_BUFFERIZE_VECTORSONTENSORS_H
#define DISTAFF_LIB_TILING_BUFFERIZE_VECTORSONTENSORS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Returns whether the kernel's tensors are read and written by vectors only,
/// and all returned values are tensors.
bool isOfVectorsOnTensors(func::FuncOp kernel);

/// Moves layouts from tensors to vectors. Fails, with a diagnostic, where a
/// layout fits no vector of a transfer.
LogicalResult layOutVectorsOfTensors(func::FuncOp kernel);

/// Makes results that start as an argument start as a copy of it.
void startFromCopies(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_BUFFERIZE_VECTORSONTENSORS_H
