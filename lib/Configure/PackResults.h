//===- PackResults.h - Results whose elements share bytes -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch that wrote the elements of a tensor of i4 would have lanes write to
// one byte at a time, wherever a row has an odd number of them. So kernels
// compute such tensors with an element per byte, and one more op writes the
// bytes of what is returned, each by one lane:
//
//   return %r : tensor<3x5xi4>
//   =>  %flat = tensor.collapse_shape %r : tensor<15xi4>
//       %bytes = linalg.generic {                           k = 0, ..., 7
//         %flat[2 k] | (2 k + 1 < 15 ? %flat[2 k + 1] : 0) << 4
//       } -> tensor<8xi8>
//       return %bytes : tensor<8xi8>
//
// The function becomes a sequence of launches, however few they are: its host
// function says that the bytes are a tensor<3x5xi4>.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_PACKRESULTS_H
#define DISTAFF_LIB_CONFIGURE_PACKRESULTS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// What a kernel returned before its results were packed.
struct PackedResults {
  FunctionType type; ///< of the function as its author wrote it
  /// By result, the dynamic extents of one that is packed (ExtentFormulas.h);
  /// null for others.
  SmallVector<AffineMap> extents;

  bool areAny() const {
    return llvm::any_of(extents, [](AffineMap map) { return bool(map); });
  }
  /// Writes down on the host function of the kernel's launches what they take
  /// and return.
  void markOn(func::FuncOp host, func::FuncOp kernel) const;
  /// Prints which result an op of the kernel writes the bytes of, if it does.
  void describe(Operation *op, raw_ostream &os) const;
  /// A kernel whose results are packed becomes the only launch of a sequence,
  /// and has another name then. Returns the kernel.
  func::FuncOp asSequence(func::FuncOp kernel) const;
};

/// Has the kernel return the bytes of its results of i2 and i4. Fails with a
/// diagnostic where the extents of one are no formulas of the arguments'.
FailureOr<PackedResults> packResults(func::FuncOp kernel);

/// Marks what a launch of a sequence takes of others, which is any of `inputs`
/// that is no argument of the whole, and what it makes, as memory of an element
/// per byte.
void markUnpacked(func::FuncOp launch, ArrayRef<Value> inputs);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_PACKRESULTS_H
