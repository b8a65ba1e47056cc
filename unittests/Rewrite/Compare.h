//===- Compare.h - A program before and after a rewrite ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is run on the SIMT machine as it is and after each rewrite that
// changes it, and all values that it leaves are compared bit by bit; NaNs are
// equal to each other. Promises such as `overflow<nsw>` that the source does
// not keep are taken from it first; one that a rewrite makes and does not keep
// changes a value (Poison.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_REWRITE_COMPARE_H
#define DISTAFF_UNITTESTS_REWRITE_COMPARE_H

#include "Draft.h"
#include "Rewrites.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace distaff::rewrite_test {

/// What came of many programs.
struct Tally {
  int64_t programs = 0, rewritten = 0, compared = 0;
  /// Programs that the machine refuses, and rewritten ones that it does not
  /// model.
  int64_t refused = 0, notModelled = 0;
  std::map<std::string, int64_t> ops, rewrites, unknown;
  /// Of each difference, the program, the rewrite and what was seen.
  std::vector<std::string> differences;
};

class Comparison {
public:
  explicit Comparison(Protection protection);
  ~Comparison();

  /// Makes the program of `seed` and compares it with what each rewrite makes
  /// of it.
  void run(const Family &family, uint64_t seed, Tally &tally);

  std::set<std::string> patternNames() const {
    return upstreamPatternNames(context.get());
  }

private:
  struct Values;
  std::optional<Values> execute(ModuleOp module,
                                ArrayRef<simt::Array> arguments);
  bool dropBrokenPromises(Program &program);
  void compare(Program &program, const Rewrite &rewrite, const Values &expected,
               const std::string &title, Tally &tally);

  Protection protection;
  std::unique_ptr<MLIRContext> context;
  std::vector<Rewrite> rewrites;
  llvm::StringSet<> seenTexts; ///< of the program at hand
  std::string error;           ///< of the last run
  simt::Verdict verdict = simt::Verdict::Fine;
};

} // namespace distaff::rewrite_test

#endif // DISTAFF_UNITTESTS_REWRITE_COMPARE_H
