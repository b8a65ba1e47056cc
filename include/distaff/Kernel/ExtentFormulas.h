//===- ExtentFormulas.h - Extents as functions of arguments -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch passes the dynamic extents of a kernel's arguments, numbered in
// (argument, dimension) order; all its other sizes follow from them. In
//
//   func.func @matmul(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>)
//       -> tensor<?x?xf32>
//
// s0 and s1 are the extents of %a, s2 and s3 those of %b. The result has the
// extents (s0, s3), a grid of its 64x32 tiles has the workgroups (s3 ceildiv
// 32, s0 ceildiv 64), and the launch is legal if s1 == s2. Formulas are affine
// maps of symbols, so products are formulas, too.
//
// The grid function and out-arguments (`iree.abi.extents`) use them, and
// through these the machines, packages and launches.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_EXTENTFORMULAS_H
#define DISTAFF_KERNEL_EXTENTFORMULAS_H

#include "distaff/Kernel/Kernel.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::tensor {
class CollapseShapeOp;
} // namespace mlir::tensor

namespace distaff::pcf {
class RefOwnerOpInterface;
} // namespace distaff::pcf

namespace distaff {

class ExtentFormulas {
public:
  /// Numbers the dynamic extents of a kernel; fails with a diagnostic if its
  /// signature is invalid.
  static FailureOr<ExtentFormulas> get(FunctionOpInterface kernel);

  /// Returns the number of dynamic extents.
  unsigned size() const { return numbers.size(); }

  /// Returns the extent of a tensor or memref. Null if it is none of the
  /// arguments' extents, nor computed from them by only sums, products and
  /// divisions by constants (unsigned ones of values that are never negative).
  AffineExpr extentOf(Value shaped, int64_t dim) const;

  /// Returns the same for an index that is computed from extents.
  AffineExpr indexOf(OpFoldResult index) const;

  /// Returns a map of all extents to `formulas`.
  AffineMap mapTo(ArrayRef<AffineExpr> formulas) const {
    return AffineMap::get(0, size(), formulas, context);
  }

private:
  AffineExpr formulaOf(Value index, int steps) const;
  AffineExpr extentOf(Value shaped, int64_t dim, int steps) const;
  AffineExpr extentOfRef(pcf::RefOwnerOpInterface owner, OpResult result,
                         int64_t dim, int steps) const;

  AffineExpr extentOfCollapsed(tensor::CollapseShapeOp collapse, int64_t dim,
                               int steps) const;
  AffineExpr extentOfCall(func::CallOp call, OpResult result, int64_t dim,
                          int steps) const;

  MLIRContext *context = nullptr;
  Operation *kernel = nullptr;
  DenseMap<std::pair<unsigned, unsigned>, unsigned> numbers; // by position, dim
};

/// Returns whether a formula of extents, which are never negative, is provably
/// not negative.
bool isNeverNegative(AffineExpr formula);

/// Evaluates a map of symbols for these extents; nullopt if a value is out of
/// range or undefined.
std::optional<SmallVector<int64_t>> evaluate(AffineMap formulas,
                                             ArrayRef<int64_t> extents);

} // namespace distaff

#endif // DISTAFF_KERNEL_EXTENTFORMULAS_H
