//===- ComputedReads.h - Reads at computed positions ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body may read an element of a tensor at computed positions, and use it only
// where a condition holds:
//
//   %v = tensor.extract %x[%at]
//   %w = arith.select %inside, %v, %other
//
// Elsewhere no element need be read, and the value there must not be used, e.g.
// as a divisor.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_COMPUTEDREADS_H
#define DISTAFF_ANALYSIS_ACCESS_COMPUTEDREADS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace distaff {

/// Returns the conditions under which the read element is used, innermost
/// first.
SmallVector<Value> guardsOf(tensor::ExtractOp read);

/// Returns whether an op divides integers by a value that may be 0.
bool dividesIntegers(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_COMPUTEDREADS_H
