//===- ThreadTables.h - Tables with open entries ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DISTAFF_LIB_LAYOUT_THREADTABLES_H
#define DISTAFF_LIB_LAYOUT_THREADTABLES_H

#include "distaff/Layout/SelectNetwork.h"

#include "llvm/ADT/STLExtras.h"

namespace distaff {

/// Returns whether two tables of one length are equal where neither is open.
inline bool agree(llvm::ArrayRef<int32_t> a, llvm::ArrayRef<int32_t> b) {
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (x != y && x != anyChoice && y != anyChoice)
      return false;
  return true;
}

/// Fills the open entries of `a` in from `b`, which agrees with it.
inline void unite(llvm::MutableArrayRef<int32_t> a, llvm::ArrayRef<int32_t> b) {
  for (auto [x, y] : llvm::zip_equal(a, b))
    x = x == anyChoice ? y : x;
}

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUT_THREADTABLES_H
