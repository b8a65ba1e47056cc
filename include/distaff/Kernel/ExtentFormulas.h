//===- ExtentFormulas.h - Extents as formulas of a launch's -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch passes the dynamic extents of a kernel's arguments, numbered in
// (argument, dimension) order; everything else about its shape follows. In
//
//   func.func @matmul(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>)
//       -> tensor<?x?xf32>
//
// s0 and s1 are the extents of %a, s2 and s3 those of %b. The result has the
// extents (s0, s3), a grid of 64x32 tiles of it the workgroups
// (s3 ceildiv 32, s0 ceildiv 64), and the launch is legal if s1 == s2. Formulas
// are affine maps of symbols, so that products are formulas, too.
//
// Who needs them: the grid function, out-arguments (`iree.abi.extents`), and
// from them the machines, packages and launches.
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
  /// Numbers the dynamic extents of a kernel; fails with a diagnostic where its
  /// signature does.
  static FailureOr<ExtentFormulas> get(FunctionOpInterface kernel);

  /// The number of dynamic extents.
  unsigned size() const { return numbers.size(); }

  /// The extent of a tensor or memref. Null where it is none of the arguments'
  /// extents, or computed from them by more than sums, products and divisions
  /// by constants (unsigned ones of what is never negative).
  AffineExpr extentOf(Value shaped, int64_t dim) const;

  /// The same for an index that is computed from extents.
  AffineExpr indexOf(OpFoldResult index) const;

  /// A map of all extents to `formulas`.
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

/// Whether a formula of extents, which are never negative, can be seen to be
/// none either.
bool isNeverNegative(AffineExpr formula);

/// What a map of symbols gives for these extents; none where a value is out of
/// range or not defined.
std::optional<SmallVector<int64_t>> evaluate(AffineMap formulas,
                                             ArrayRef<int64_t> extents);

} // namespace distaff

#endif // DISTAFF_KERNEL_EXTENTFORMULAS_H
