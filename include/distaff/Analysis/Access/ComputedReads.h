//===- ComputedReads.h - Reads at computed positions ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body reads an element of a tensor at positions that it computes, and takes
// it only where a condition holds:
//
//   %v = tensor.extract %x[%at]
//   %w = arith.select %inside, %v, %other
//
// Elsewhere nothing need be read, and what stands there is no number to go on
// with: a divisor, say.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_COMPUTEDREADS_H
#define DISTAFF_ANALYSIS_ACCESS_COMPUTEDREADS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace distaff {

/// Conditions without which nobody wants what has been read, innermost first.
SmallVector<Value> guardsOf(tensor::ExtractOp read);

/// Whether an op divides integers by something that may be 0.
bool dividesIntegers(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_COMPUTEDREADS_H
