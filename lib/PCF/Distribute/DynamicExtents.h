//===- DynamicExtents.h - Which number an extent is -------------*- C++ -*-===//
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

/// Finds the values that tensors' extents were made with, through ops and
/// through control flow that hands on tensors of one extent.
class DynamicExtents {
public:
  /// Of tensors of `ops`, which are those of collective code inside `root`.
  DynamicExtents(Operation *root, ArrayRef<Operation *> ops);

  /// The extent of a tensor as an attribute, or as a value that is there where
  /// `at` runs. Failure: `at` gets a diagnostic.
  FailureOr<OpFoldResult> get(Value tensor, unsigned dim, Operation *at);

private:
  /// Null where no number is known; true in `isOpen` where the question led
  /// back to itself.
  OpFoldResult find(Value tensor, unsigned dim, bool &isOpen);
  OpFoldResult findHandedOn(Value tensor, unsigned dim, bool &isOpen);

  DominanceInfo dominance;
  /// Per value that control flow makes, what is handed on as it.
  llvm::DenseMap<Value, SmallVector<Value>> origins;
  llvm::SmallPtrSet<void *, 8> open;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_DYNAMICEXTENTS_H
