//===- StoreToLoadForwarding.h - Reads of written vectors -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_VECTORIZE_STORETOLOADFORWARDING_H
#define DISTAFF_LIB_TILING_VECTORIZE_STORETOLOADFORWARDING_H

#include "distaff/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Reads of a whole tensor that one vector was written to take that vector, cut
/// or filled up, where one or both exceed the tensor. Upstream does so where
/// they do not.
void populateForwardWholeWrites(RewritePatternSet &patterns);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_STORETOLOADFORWARDING_H
