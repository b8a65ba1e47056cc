//===- LoopMotion.h - Steps of indices in loops -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of an op in two iterations of a loop are disjoint if its
// position moves by enough:
//
//   for i step 2 { for k step 16 { at [8 * i - k] } }
//
// moves by 16 with each iteration of i and by -16 with each of k.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_LOOPMOTION_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_LOOPMOTION_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace distaff {

/// Returns whether a workgroup runs the body of `op` several times. The
/// iterations of a workgroup-mapped loop are workgroups.
bool isLoopInWorkgroup(Operation *op);

/// Describes how far an index moves with each iteration of the loops around it;
/// loops that are not listed do not move it.
struct LoopMotion {
  using Steps = SmallVector<std::pair<Operation *, int64_t>>;
  Steps steps;

  int64_t along(Operation *loop) const;
};

/// The motions of a function's index arithmetic, found in one walk, because a
/// search from each use would be exponential. They are valid while that
/// arithmetic and the loops stay.
class LoopMotions {
public:
  explicit LoopMotions(FunctionOpInterface function);

  /// Returns nothing where the index does not move by constants.
  std::optional<LoopMotion> of(Value index) const;

private:
  llvm::DenseMap<Value, std::optional<LoopMotion>> arithmetic;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_LOOPMOTION_H
