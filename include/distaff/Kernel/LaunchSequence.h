//===- LaunchSequence.h - Several launches of one function ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that does not fuse into one launch becomes several kernels and a
// host function without a body, whose attributes list the launches in order:
//
//   func.func private @f(tensor<8x64xf32>, tensor<64xf32>) -> tensor<8xf32>
//       attributes {host, returns = array<i64: 3>, launches = [
//           {kernel = "f__0", operands = array<i64: 0>, results = 1 : i64},
//           {kernel = "f__1", operands = array<i64: 2, 1>, results = 1 : i64}]}
//
// Values are numbered: the function's arguments, then the results of the
// launches, in order. Results that are not returned are workspaces. Kernels are
// named and not called, because stages change their ops and their arguments.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_LAUNCHSEQUENCE_H
#define DISTAFF_KERNEL_LAUNCHSEQUENCE_H

#include "distaff/Kernel/Kernel.h"

namespace distaff {

struct SequencedLaunch {
  std::string kernel;
  SmallVector<int64_t> operands; ///< numbers of values, one per argument
  int64_t results = 0;           ///< the number of its results
};

struct LaunchSequence {
  mutable func::FuncOp host;
  SmallVector<SequencedLaunch> launches;
  SmallVector<int64_t> returned; ///< numbers of values

  /// Returns the sequence of that name; nullopt for a kernel or a missing name.
  static std::optional<LaunchSequence> find(ModuleOp module, StringRef name);

  /// Creates a function of that name and type before `before`.
  static func::FuncOp create(OpBuilder &builder, Location loc, StringRef name,
                             FunctionType type,
                             ArrayRef<SequencedLaunch> launches,
                             ArrayRef<int64_t> returned);

  /// Returns the number of values: arguments and results of launches.
  int64_t numValues() const;
};

/// Returns the name of one of its kernels: "f__0".
std::string launchName(StringRef function, size_t number);

/// Fails with an error at a function of the module that has the name of one of
/// these launches of the kernel at `loc`.
LogicalResult verifyLaunchNames(ModuleOp module,
                                ArrayRef<func::FuncOp> launches, Location loc);

} // namespace distaff

#endif // DISTAFF_KERNEL_LAUNCHSEQUENCE_H
