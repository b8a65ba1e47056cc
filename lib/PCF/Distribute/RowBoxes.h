//===- RowBoxes.h - Row blocking of a worker for its registers --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of a worker have as many rows as the largest dynamic extent, and
// registers hold fewer. If rows are independent of each other, and the code may
// run repeatedly, it computes some of the rows at a time.
//
// Example, for subgroups of sm_80, where sums may take half of the 255
// registers:
//
//   linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x128xf16>)
//                 outs(%x : tensor<?x128xf32>)      // at most 256 rows
//   ->  boxes of 32 rows, 128 registers of a lane
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_ROWBOXES_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_ROWBOXES_H

#include "ExtentBounds.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff::pcf {

/// Describes the rows that a worker computes per round: dimensions of one class
/// of dynamic extents.
struct RowBox {
  unsigned extent;
  int64_t most, size;
};

/// Computes the boxes of rows in which the code of a worker may run.
class RowBoxes {
public:
  RowBoxes(SharedExecutorOp executor, GenericOp generic,
           ArrayRef<Operation *> ops, const ExtentBounds &bounds,
           const Target &target)
      : executor(executor), generic(generic), ops(ops), bounds(bounds),
        target(target) {}

  /// Returns boxes that make oversized tensors fit; empty if all tensors fit,
  /// or if rounds would change the program.
  SmallVector<RowBox> compute();

  /// Returns the dimension of a tensor that is rows of the class; none for
  /// other tensors.
  std::optional<unsigned> dimOf(Value tensor, unsigned extent) const;

private:
  bool touches(Operation *op, unsigned extent) const;
  bool isIndependentIn(linalg::LinalgOp op, unsigned extent) const;
  bool isIndependent(unsigned extent) const;
  bool isRepeatable(ArrayRef<RowBox> boxes) const;
  bool isRepeatable(WriteSliceOp write, ArrayRef<RowBox> boxes) const;
  int64_t countRegisters(Value tensor, std::optional<RowBox> box) const;
  int64_t countRegisters(Operation *op, std::optional<RowBox> box) const;
  std::optional<RowBox> shrink(Operation *op, unsigned extent) const;

  SharedExecutorOp executor;
  GenericOp generic;
  ArrayRef<Operation *> ops;
  const ExtentBounds &bounds;
  const Target &target;
  int64_t budget = 0;
};

/// Returns whether memory belongs to the workers of a generic and is not used
/// after it.
bool isWorkersOwn(Value ref, GenericOp generic);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_ROWBOXES_H
