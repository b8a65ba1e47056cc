//===- PrepareKernel.h - Normalization of kernels for ranking ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAUNCHES_PREPAREKERNEL_H
#define DISTAFF_LAUNCHES_PREPAREKERNEL_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Returns whether a kernel is one product on tensors, with ops on elements
/// around it: run-cluster forms phases of such a kernel without vectors.
bool isOneProduct(func::FuncOp kernel, const Target &target);

/// Checks that a kernel is in a form that the compiler takes, and that the
/// choices in its attributes can be carried out, and brings it to one of two
/// forms: linalg on tensors, or vectors on memrefs.
LogicalResult prepareKernel(func::FuncOp kernel, const Target &target,
                            bool strictFp = false);

/// Brings a kernel whose tiles become phases of clusters to linalg on tensors,
/// under the same checks.
LogicalResult prepareForClusters(func::FuncOp kernel, const Target &target);

} // namespace distaff

#endif // DISTAFF_LAUNCHES_PREPAREKERNEL_H
