//===- VectorsOnTensors.h - Kernels of vectors on tensors -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may read its tensors by vector.transfer_read and write its results
// by vector.transfer_write: then there is nothing to tile, and tensors are
// memory. A to_layout of a tensor lays out the vectors of that shape which are
// read from it or were written to it (D11):
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

/// True if vectors alone read and write the kernel's tensors, and tensors alone
/// are returned.
bool isOfVectorsOnTensors(func::FuncOp kernel);

/// Lays out vectors instead of tensors. Fails, with a diagnostic, where a
/// layout is for no vector of a transfer.
LogicalResult layOutVectorsOfTensors(func::FuncOp kernel);

/// Lets results that begin as an argument begin as a copy of it.
void startFromCopies(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_BUFFERIZE_VECTORSONTENSORS_H
