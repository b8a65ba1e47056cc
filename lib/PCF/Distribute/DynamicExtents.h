//===- DynamicExtents.h - Values of dynamic extents -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_DYNAMICEXTENTS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_DYNAMICEXTENTS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace distaff::pcf {

/// Finds the values that tensors' extents were created with, through ops and
/// through control flow that carries tensors of one extent.
class DynamicExtents {
public:
  /// Analyzes the tensors of `ops`, the ops of collective code inside `root`.
  DynamicExtents(Operation *root, ArrayRef<Operation *> ops);

  /// Returns the extent of a tensor as an attribute, or as a value that
  /// dominates `at`. Failure: a diagnostic is emitted at `at`.
  FailureOr<OpFoldResult> get(Value tensor, unsigned dim, Operation *at);

private:
  /// Returns null if no number is known. Sets `isOpen` if the search returned
  /// to a value that is still being searched.
  OpFoldResult find(Value tensor, unsigned dim, bool &isOpen);
  OpFoldResult findHandedOn(Value tensor, unsigned dim, bool &isOpen);

  DominanceInfo dominance;
  /// The values that control flow passes on as each value.
  llvm::DenseMap<Value, SmallVector<Value>> origins;
  llvm::SmallPtrSet<void *, 8> open;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_DYNAMICEXTENTS_H
