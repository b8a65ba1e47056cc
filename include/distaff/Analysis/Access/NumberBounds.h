//===- NumberBounds.h - How large a number can be ---------------*- C++ -*-===//
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

/// Upper bounds of numbers that are not negative, such as extents: of the
/// ranges that upstream's analyses find for arithmetic and for affine ops.
class NumberBounds {
public:
  /// Looks at all of `function`, which must not change while this lives.
  explicit NumberBounds(Operation *function);
  ~NumberBounds();

  /// The largest value that is possible, at least 0; none where it may be any.
  std::optional<int64_t> get(OpFoldResult number);

private:
  struct Ranges;
  std::unique_ptr<Ranges> ranges; // null where the analysis gave up
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_NUMBERBOUNDS_H
