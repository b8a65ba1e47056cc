//===- Mutant.h - One change of a source ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mutant is a small change of a program: `a < b` becomes `a <= b`. All
// mutants of a file are planted at once, as mutant schemata (Untch, Offutt and
// Harrold, 1993), so that one build serves them all:
//
//   a < b   =>   (distaff_mutant(7) ? (a <= b) : (a < b))
//
// That is done by insertions only: before and behind a range of the source,
// which leaves what stands in the range to the mutants that are inside of it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UTILS_MUTANTS_MUTANT_H
#define DISTAFF_UTILS_MUTANTS_MUTANT_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace distaff::mutants {

/// Stands in the texts of a `Wrap` for the call that asks whether the mutant is
/// selected.
inline constexpr llvm::StringLiteral selectedMark = "$SELECTED$";

/// Half-open, in bytes from the beginning of the file.
struct Range {
  unsigned begin = 0, end = 0;
};

/// Text to insert around a range, or in one place where the range is empty.
struct Wrap {
  Range range;
  std::string before, after;
};

struct Mutant {
  std::string file;      // relative to the root of the sources
  std::string function;  // qualified, without anonymous namespaces
  std::string signature; // types of its parameters; tells overloads apart
  std::string op;        // the mutation operator, `swap-arguments`
  Range range;           // what is shown as changed
  unsigned line = 0, lastLine = 0;
  std::string original, replacement; // for people to read
  std::vector<Wrap> wraps;
  size_t order = 0; // in which they were found: outer nodes first
};

} // namespace distaff::mutants

#endif // DISTAFF_UTILS_MUTANTS_MUTANT_H
