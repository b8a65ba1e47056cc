//===- IndexText.h - Index arithmetic as text -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_ACCESS_INDEXTEXT_H
#define DISTAFF_LIB_ANALYSIS_ACCESS_INDEXTEXT_H

#include "distaff/Analysis/Log/SourceNames.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff {

/// The text as an operand: in parentheses if it is several terms, or has words
/// in it, outside of any.
std::string inParentheses(const std::string &text);

/// Writes values as people read them: sums, products and remainders written
/// out, as long as that stays short, other values by their names in the source.
class IndexText {
public:
  explicit IndexText(const SourceNames &names) : names(names) {}

  /// `k+1`, `(k+1) mod 2`, `nk`.
  std::string of(Value value) const { return write(value, Binding::Top, 0); }
  std::string of(OpFoldResult value) const;
  /// An expression of dims and symbols that stand for `operands`.
  std::string of(AffineExpr expr, ArrayRef<std::string> dims,
                 ArrayRef<std::string> symbols) const;
  /// `k+1 < nk`.
  std::string ofCondition(Value value, unsigned depth = 0) const;

  /// Gives a value without a name in the source one of ours: `NAME0`, ...
  void call(Value value, StringRef name);
  std::string nameOf(Value value) const;

private:
  /// What an expression may be an operand of without parentheses; quotients and
  /// remainders, which are words, of nothing.
  enum class Binding { Top, Sum, Product, Atom };

  // `depth` is of ops in ops: what uses values twice again and again is a long
  // text of few ops.
  std::string write(Value value, Binding around, unsigned depth) const;
  std::string writeArithmetic(Operation *op, Binding around,
                              unsigned depth) const;
  std::string writeApply(affine::AffineApplyOp apply, Binding around,
                         unsigned depth) const;

  const SourceNames &names;
  llvm::DenseMap<Value, std::string> given;
  mutable llvm::DenseMap<Value, std::string> numbered;
};

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_ACCESS_INDEXTEXT_H
