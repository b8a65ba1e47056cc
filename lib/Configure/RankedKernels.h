//===- RankedKernels.h - Rankings that were made already --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Configure ranks a kernel to learn what its ops cost apart, in parts, fused,
// and at last to choose: often the same ops on the same types. A ranking
// depends on the ops and their attributes, on the types of arguments, on what
// the user fixed and on the target with its costs and flags, of which an object
// of this class has one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_RANKEDKERNELS_H
#define DISTAFF_LIB_CONFIGURE_RANKEDKERNELS_H

#include "distaff/Configure/Search.h"
#include "mlir/IR/OwningOpRef.h"

namespace distaff {

class RankedKernels {
public:
  explicit RankedKernels(const Target &target) : target(&target) {}

  /// Returns the ranking of a kernel that does the same for the same choices of
  /// a user, or null.
  const Ranking *find(func::FuncOp kernel, const UserChoices &user) const;

  void add(func::FuncOp kernel, const UserChoices &user, Ranking ranking);

  /// The only target that rankings are kept for.
  bool isOf(const Target &other) const { return target == &other; }

private:
  struct Entry {
    OwningOpRef<func::FuncOp> kernel; // a copy, for the original may change
    UserChoices user;
    Ranking ranking;
  };

  const Target *target;
  DenseMap<llvm::hash_code, SmallVector<Entry, 1>> entries;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_RANKEDKERNELS_H
