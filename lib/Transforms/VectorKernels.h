//===- VectorKernels.h - Kernels of vectors that are on tensors -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that reads tensors into vectors and writes vectors into tensors, and
// does nothing else with them, is the program of one workgroup: nothing is to
// be tiled. Its tensors become memrefs before anything is chosen for it.
//
//===----------------------------------------------------------------------===//
#ifndef LIB_DISTAFF_TRANSFORMS_VECTORKERNELS_H
#define LIB_DISTAFF_TRANSFORMS_VECTORKERNELS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Whether tensors meet vectors in the kernel, and nothing but vectors.
bool isVectorKernelOnTensors(func::FuncOp kernel);

/// Brings such a kernel to reads and writes of arguments and results: layouts
/// of tensors go to the vectors that are read from them, vectors pass from
/// write to read directly, and what replaces all of an argument starts from an
/// empty tensor. Other writes into an argument are an error, for it is only
/// read.
LogicalResult prepareVectorKernel(func::FuncOp kernel);

/// What `vector-ext-vectorize-to-layout` does.
LogicalResult vectorizeToLayouts(Operation *root);

} // namespace distaff

#endif // LIB_DISTAFF_TRANSFORMS_VECTORKERNELS_H
