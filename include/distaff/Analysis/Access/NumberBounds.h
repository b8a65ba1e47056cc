//===- NumberBounds.h - Upper bounds of integer values ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_NUMBERBOUNDS_H
#define DISTAFF_ANALYSIS_ACCESS_NUMBERBOUNDS_H

#include "distaff/LLVM.h"
#include "mlir/IR/OpDefinition.h"
#include <memory>
#include <optional>

namespace distaff {

/// Computes upper bounds of numbers that are not negative, such as extents,
/// from upstream's range analyses of arithmetic and affine ops.
class NumberBounds {
public:
  /// Analyses all of `function`, which must not change during the lifetime.
  explicit NumberBounds(Operation *function);
  ~NumberBounds();

  /// Returns the largest possible value, at least 0, or nullopt if it is
  /// unbounded.
  std::optional<int64_t> get(OpFoldResult number);

private:
  struct Ranges;
  std::unique_ptr<Ranges> ranges; // null if the analysis gave up
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_NUMBERBOUNDS_H
