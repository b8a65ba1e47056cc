//===- RankedKernels.h - A cache of rankings of kernels ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Configure ranks a kernel for the cost of its ops apart, in parts and fused,
// and to choose: often the same ops on the same types. A ranking depends on the
// ops and their attributes, on the types of arguments, on what the user fixed
// and on the target with its costs and flags. An object of this class has one
// target.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_RANKEDKERNELS_H
#define DISTAFF_LIB_CONFIGURE_RANKEDKERNELS_H

#include "distaff/Configure/Search.h"
#include "mlir/IR/OwningOpRef.h"

namespace distaff {

class RankedKernels {
public:
  explicit RankedKernels(const Target &target) : target(target) {}

  /// Returns the ranking of a kernel that has the same ops, for the same
  /// choices of a user, or null.
  const Ranking *find(func::FuncOp kernel, const UserChoices &user) const;

  void add(func::FuncOp kernel, const UserChoices &user, Ranking ranking);

  /// Returns the target whose rankings are kept.
  const Target &getTarget() const { return target; }

private:
  struct Entry {
    OwningOpRef<func::FuncOp> kernel; // a copy, for the original may change
    UserChoices user;
    Ranking ranking;
  };

  Target target;
  DenseMap<llvm::hash_code, SmallVector<Entry, 1>> entries;
};

/// Ranks a kernel for the target of `ranked`, or returns the ranking from
/// there, and keeps it. Fails as well where nothing costs at most `mostCost`.
FailureOr<Ranking>
rankKernel(func::FuncOp kernel, const UserChoices &user, RankedKernels &ranked,
           int64_t mostCost = std::numeric_limits<int64_t>::max());

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_RANKEDKERNELS_H
