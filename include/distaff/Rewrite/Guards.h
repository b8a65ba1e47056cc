//===- Guards.h - Guards of wrong upstream patterns -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some patterns of MLIR 22.1.8 change what a program computes. A guard is a row
// of a table: the patterns that it concerns, by their debug names, the
// condition under which they are right, and what is done in their place. Every
// set of patterns that this compiler applies goes through `guarded`:
//
//   RewritePatternSet patterns(context);
//   scf::WhileOp::getCanonicalizationPatterns(patterns, context);
//   applyPatternsGreedily(kernel, guarded(std::move(patterns)));
//
// Each error, its version and its test are listed in docs/rationale/
// upstream-rewrites-are-guarded.md.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_REWRITE_GUARDS_H
#define DISTAFF_REWRITE_GUARDS_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace distaff {

/// A guard is a set of upstream's patterns that are wrong where `isRight` does
/// not hold, and the patterns that replace them there.
struct Guard {
  /// The name of the guard in tests and on the rationale page.
  StringRef name;
  /// The debug names of the patterns.
  ArrayRef<StringRef> patterns;
  /// Returns whether the patterns may be applied to `op`; null where they never
  /// may.
  bool (*isRight)(Operation *op);
  /// Adds correct patterns in place of the guarded ones; may be null.
  void (*addOwn)(RewritePatternSet &patterns);
};

/// Returns all guards that MLIR 22.1.8 needs.
ArrayRef<Guard> upstreamGuards();

/// Applies `guards` to `patterns`: removes those that are never right, makes
/// the others conditional, and adds what replaces them.
void applyGuards(RewritePatternSet &patterns, ArrayRef<Guard> guards);

/// Returns `patterns` under all guards and without those whose debug name is
/// one of `disabled`.
FrozenRewritePatternSet guarded(RewritePatternSet patterns,
                                ArrayRef<std::string> disabled = {});

/// A form is an equivalent form of an op for which upstream's `fold`, which no
/// filter can disable, is right.
struct Form {
  /// The name of the form in tests and on the rationale page.
  StringRef name;
  /// Brings ops under `root` into the form.
  void (*bring)(Operation *root);
};

/// Returns all forms that MLIR 22.1.8 needs.
ArrayRef<Form> foldableForms();

/// Brings ops under `root` into all forms. Every kernel passes here first, and
/// so does code after new views of tensors are made.
void avoidWrongFolds(Operation *root);

/// Hoists subsets of tensors out of `loop` as upstream does, where that is
/// right. Returns the loop, which may be another one.
LoopLikeOpInterface hoistSubsets(RewriterBase &rewriter,
                                 LoopLikeOpInterface loop);

} // namespace distaff

#endif // DISTAFF_REWRITE_GUARDS_H
