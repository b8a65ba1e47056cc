//===- Rewrites.h - Upstream's rewrites, one at a time ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pattern sets, passes and functions of MLIR that a pipeline of Distaff
// applies, each as one rewrite of a module.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_REWRITE_REWRITES_H
#define DISTAFF_UNITTESTS_REWRITE_REWRITES_H

#include "distaff/Rewrite/Guards.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace distaff::rewrite_test {

/// A rewrite of upstream's. Its name is that of the set or of the function.
struct Rewrite {
  std::string name;
  /// Changes the module; fails where the rewrite says that it cannot.
  std::function<LogicalResult(ModuleOp)> apply;
};

/// What rewrites are run under. A part can be taken out by its name, to see
/// what it is for.
struct Protection {
  std::vector<Guard> guards = upstreamGuards().vec();
  std::vector<Form> forms = foldableForms().vec();
  bool hoistsRightly = true; ///< "forked-tensors"

  /// Returns all but one part; everything where none has that name.
  static Protection without(StringRef part);
  /// Returns whether something is missing.
  bool isPartial() const;
};

/// Returns all rewrites, under `protection`.
std::vector<Rewrite> upstreamRewrites(MLIRContext *context,
                                      const Protection &protection);

/// Returns the names of all patterns among them.
std::set<std::string> upstreamPatternNames(MLIRContext *context);

} // namespace distaff::rewrite_test

#endif // DISTAFF_UNITTESTS_REWRITE_REWRITES_H
