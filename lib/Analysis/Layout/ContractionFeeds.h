//===- ContractionFeeds.h - Values that only contractions use ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_LAYOUT_CONTRACTIONFEEDS_H
#define DISTAFF_LIB_ANALYSIS_LAYOUT_CONTRACTIONFEEDS_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff {

/// Maps every value to the factors of contractions that it reaches through
/// elementwise and shape ops. It is built by one walk from the uses to the
/// definitions, so a chain of reads costs as much as its ops.
class ContractionFeeds {
public:
  explicit ContractionFeeds(FunctionOpInterface function);

  /// Returns the left and right operands of contractions that `value` reaches;
  /// empty if it also reaches other uses.
  ArrayRef<OpOperand *> of(Value value) const {
    auto found = factors.find(value);
    return found == factors.end() ? ArrayRef<OpOperand *>() : found->second;
  }

private:
  void add(Value value);

  llvm::DenseMap<Value, SmallVector<OpOperand *, 1>> factors;
};

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_LAYOUT_CONTRACTIONFEEDS_H
