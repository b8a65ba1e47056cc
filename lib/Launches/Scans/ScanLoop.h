//===- ScanLoop.h - Loops that write each partial result --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_SCANS_SCANLOOP_H
#define DISTAFF_LIB_LAUNCHES_SCANS_SCANLOOP_H

#include "distaff/Analysis/Linalg/LogSumExp.h"
#include "distaff/Kernel/ExtentFormulas.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff {

/// A scan loop runs along a dim of a tensor, combines its elements with a
/// partial result, and writes that to the same position of another tensor
/// (Scans.cpp).
struct ScanLoop {
  scf::ForOp loop;
  unsigned sum = 0, out = 0; ///< positions in the loop's iter_args
  Value source;
  unsigned dim = 0;
  bool readsBackwards = false, writesBackwards = false;
  bool isExclusive = false; ///< writes the result before an element
  /// Null for log(exp + exp), which is several ops.
  Operation *combiner = nullptr;
  TypedAttr neutral; ///< of elements
  int64_t term = 0;  ///< the combiner's operand that is an element

  static std::optional<ScanLoop> match(scf::ForOp loop,
                                       const ExtentFormulas &formulas);
};

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_SCANS_SCANLOOP_H
