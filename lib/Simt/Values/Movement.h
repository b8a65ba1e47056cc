//===- Movement.h - Element origins of data-movement ops --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most vector operations only move data: every element of a result is an
// element of an operand, and which one is known statically.
//
//   vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
//   origins (operand 0): 0 3 1 4 2 5
//
// So the machine needs one instruction for all of them, which copies cells, and
// this table per operation.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_VALUES_MOVEMENT_H
#define DISTAFF_LIB_SIMT_VALUES_MOVEMENT_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <vector>

namespace distaff::simt {

/// An element of an operand; operand -1 is poison.
struct Origin {
  int32_t operand;
  int32_t element;
};

/// The origin of each element, in row-major order, of every result.
using Movement = std::vector<std::vector<Origin>>;

/// Returns the movement of an operation, or nothing if it computes or depends
/// on values (dynamic positions).
std::optional<Movement> movementOf(::mlir::Operation *op);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_VALUES_MOVEMENT_H
