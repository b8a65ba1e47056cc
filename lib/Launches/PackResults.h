//===- PackResults.h - Packing of sub-byte results --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a launch wrote the elements of a tensor of i4, two lanes would write to
// one byte at the same time, wherever a row has an odd number of them. So
// kernels compute such tensors with an element per byte, and one more op writes
// the bytes of the result, each by one lane:
//
//   return %r : tensor<3x5xi4>
//   =>  %flat = tensor.collapse_shape %r : tensor<15xi4>
//       %bytes = linalg.generic {                           k = 0, ..., 7
//         %flat[2 k] | (2 k + 1 < 15 ? %flat[2 k + 1] : 0) << 4
//       } -> tensor<8xi8>
//       return %bytes : tensor<8xi8>
//
// The function becomes a sequence of launches, however few they are: its host
// function has the type tensor<3x5xi4> for the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_PACKRESULTS_H
#define DISTAFF_LIB_LAUNCHES_PACKRESULTS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Describes the results of a kernel before they were packed.
struct PackedResults {
  FunctionType type; ///< of the function as its author wrote it
  /// The dynamic extents of each packed result (ExtentFormulas.h); null for
  /// others.
  SmallVector<AffineMap> extents;

  bool areAny() const {
    return llvm::any_of(extents, [](AffineMap map) { return bool(map); });
  }
  /// Writes the argument and result types of the kernel on the host function of
  /// its launches.
  void markOn(func::FuncOp host, func::FuncOp kernel) const;
  /// Prints the result whose bytes an op of the kernel writes, if it does.
  void describe(Operation *op, raw_ostream &os) const;
  /// Makes a kernel whose results are packed the only launch of a sequence,
  /// with another name. Returns the kernel.
  func::FuncOp asSequence(func::FuncOp kernel) const;
};

/// Rewrites the kernel to return the bytes of its results of i2 and i4. Fails
/// with a diagnostic where an extent of one is no formula of the arguments'.
FailureOr<PackedResults> packResults(func::FuncOp kernel);

/// Marks the inputs of a launch of a sequence that come from other launches
/// (any of `inputs` that is no argument of the whole), and its results, as
/// memory of an element per byte.
void markUnpacked(func::FuncOp launch, ArrayRef<Value> inputs);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_PACKRESULTS_H
