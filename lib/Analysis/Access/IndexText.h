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

/// Returns the text as an operand: in parentheses if it has several terms or
/// words outside of any parentheses.
std::string inParentheses(const std::string &text);

/// Writes values in mathematical notation: sums, products and remainders
/// expanded, as long as the text stays short, other values by their source
/// names.
class IndexText {
public:
  explicit IndexText(const SourceNames &names) : names(names) {}

  /// Returns `k+1`, `(k+1) mod 2`, `nk`.
  std::string of(Value value) const { return write(value, Binding::Top, 0); }
  std::string of(OpFoldResult value) const;
  /// Returns the text of an expression whose dims and symbols are `operands`.
  std::string of(AffineExpr expr, ArrayRef<std::string> dims,
                 ArrayRef<std::string> symbols) const;
  /// Returns `k+1 < nk`.
  std::string ofCondition(Value value, unsigned depth = 0) const;

  /// Names a value that has no name in the source: `NAME0`, ...
  void call(Value value, StringRef name);
  std::string nameOf(Value value) const;

private:
  /// The kinds of operands that a text may be without parentheses; quotients
  /// and remainders, which contain words, always need them.
  enum class Binding { Top, Sum, Product, Atom };

  // `depth` counts nested ops: a few ops that use values twice each would give
  // a long text.
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
