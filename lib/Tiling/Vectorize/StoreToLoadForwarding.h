//===- StoreToLoadForwarding.h - Store-to-load forwarding -------*- C++ -*-===//
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

/// Adds patterns that replace a read of a whole tensor by the one vector that
/// was written to it, shortened or padded, where one or both exceed the tensor.
/// Upstream handles the other cases.
void populateForwardWholeWrites(RewritePatternSet &patterns);

} // namespace distaff

#endif // DISTAFF_LIB_TILING_VECTORIZE_STORETOLOADFORWARDING_H
