//===- PositionSums.h - Index expressions as sums of terms ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of a lane's elements are sums that differ in constants: for
// example, (%tile + %row) + 16 has the terms %tile and %row and the constant
// 16.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_POSITIONSUMS_H
#define DISTAFF_LIB_CONVERSION_POSITIONSUMS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Value.h"

namespace distaff {

/// A PositionSum is a sum of values and a constant.
struct PositionSum {
  SmallVector<Value> terms;
  int64_t constant = 0;

  /// Decomposes a value into the summands of its additions.
  static PositionSum of(Value value);

private:
  void add(Value value);
};

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_POSITIONSUMS_H
