//===- Collector.h - Where mutants are gathered -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UTILS_MUTANTS_COLLECTOR_H
#define DISTAFF_UTILS_MUTANTS_COLLECTOR_H

#include "Mutant.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <functional>
#include <optional>

namespace distaff::mutants {

/// The function around what is mutated.
struct Place {
  std::string function, signature;
  /// Null where the type is deduced, and outside of functions.
  clang::QualType returned;
};

/// Takes the mutants of one translation unit, those in wanted files only, and
/// knows the text of the sources.
class Collector {
public:
  /// `nameOf` returns the name that a wanted file has in mutants, relative to
  /// the root of the sources, and an empty one for all other files.
  Collector(clang::ASTContext &context,
            std::function<std::string(llvm::StringRef)> nameOf,
            std::vector<Mutant> &mutants)
      : context(context), nameOf(std::move(nameOf)), mutants(mutants) {}

  /// Whether mutants are wanted of the file that a location is in.
  bool isWanted(clang::SourceLocation location) const;

  /// Returns where a node stands; none where a macro wrote its beginning or its
  /// end, and in files that are not wanted.
  std::optional<Range> rangeOf(clang::SourceRange range) const;
  std::optional<Range> rangeOf(const clang::Stmt *node) const {
    return rangeOf(node->getSourceRange());
  }

  /// Returns the text of a node. \pre it has a range.
  std::string textOf(const clang::Stmt *node) const;

  /// Adds the mutant that shows `replacement` in place of a node's text and is
  /// planted by text around it.
  void wrap(llvm::StringRef op, const clang::Stmt *node,
            llvm::StringRef replacement, llvm::StringRef before,
            llvm::StringRef after);

  /// Adds `(selected ? (replacement) : (node))`.
  void replace(llvm::StringRef op, const clang::Stmt *node,
               llvm::StringRef replacement);

  /// Adds a mutant with wraps of the caller's own.
  void add(llvm::StringRef op, clang::SourceRange shown,
           llvm::StringRef replacement, std::vector<Wrap> wraps);

  clang::ASTContext &context;
  Place place;

private:
  std::function<std::string(llvm::StringRef)> nameOf;
  std::vector<Mutant> &mutants;
};

} // namespace distaff::mutants

#endif // DISTAFF_UTILS_MUTANTS_COLLECTOR_H
