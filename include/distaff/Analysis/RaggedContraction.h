//===- RaggedContraction.h - Kernels whose tiles may be cut -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last tile along a dynamic extent may reach beyond the tensor. Its ops
// then need a mask, or padding that changes nothing. A kernel that is
//
//   result = init + sum over k of f(a) * g(b),   f(0) * g(0) = 0
//
// is padded with zeros: products beyond the end of k add zero, and rows and
// columns beyond the result are not stored. Both operands are padded along k:
// with one of them, an infinity in the other would make a NaN. A result that
// another op of the kernel reads is none of these, for its padding is whatever
// the product of padding happens to be.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_RAGGEDCONTRACTION_H
#define DISTAFF_ANALYSIS_RAGGEDCONTRACTION_H

#include "distaff/Analysis/ContractionBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

struct RaggedContraction {
  linalg::LinalgOp op;
  ContractionBody body;
  /// The scalar that the sums begin with; null where they begin with an
  /// argument.
  Value start;

  Value lhs() const { return op->getOperand(0); }
  Value rhs() const { return op->getOperand(1); }
  Value init() const { return op->getOperand(2); }
};

/// Whether a tensor of the kernel has an extent that only the launch knows.
bool hasDynamicTensors(func::FuncOp kernel);

/// Whether its tiles may be cut: it has dynamic tensors, or is a contraction
/// for which its author asks for tiles that do not divide.
bool isRagged(func::FuncOp kernel);

/// Matches a kernel of which that is to be asked; says in a diagnostic what
/// keeps it from being such a contraction. \pre its body is one block
FailureOr<RaggedContraction> matchRaggedContraction(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_RAGGEDCONTRACTION_H
