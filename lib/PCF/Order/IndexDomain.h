//===- IndexDomain.h - Constraints that hold at an op -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wherever an op runs, the variables of the loops around it are within their
// bounds, the conditions around it hold, and the member that runs it is one of
// its group. That may decide other conditions: in `scf.for %k = %c0 to %n - 1`,
// `%k + 1 < %n` always holds.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_INDEXDOMAIN_H
#define DISTAFF_LIB_PCF_ORDER_INDEXDOMAIN_H

#include "IndexTerms.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace distaff::pcf {

class IndexDomain {
public:
  /// Creates a domain that ignores the ops around `root`.
  explicit IndexDomain(Operation *root)
      : root(root), terms(root->getContext()) {}

  /// Adds the constraints that hold wherever `op` runs. With `pastEnd`, a loop
  /// around it, they are those of the iteration after that loop's last.
  void addConstraints(Operation *op, scf::ForOp pastEnd,
                      SmallVectorImpl<IndexConstraint> &constraints);

  /// Returns whether the condition is false in all runs of `at`; `isAlways`,
  /// whether it is true in all. A result of false is no evidence of the
  /// contrary.
  bool isNever(Value condition, Operation *at, scf::ForOp pastEnd = {});
  bool isAlways(Value condition, Operation *at);

  /// Returns the number of iterations: a number, or a variable.
  AffineExpr getTripCount(scf::ForOp loop);

  /// Returns the number of iterations before this one; null if the step is
  /// unknown.
  AffineExpr getIteration(scf::ForOp loop);

  IndexTerms &getTerms() { return terms; }

private:
  void addMembers(RunThreadOp phase,
                  SmallVectorImpl<IndexConstraint> &constraints);

  Operation *root;
  IndexTerms terms;
  llvm::DenseMap<Operation *, AffineExpr> tripCounts;
};

/// Returns the number of iterations, if bounds and step are numbers.
std::optional<int64_t> getConstantTripCount(scf::ForOp loop);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_INDEXDOMAIN_H
