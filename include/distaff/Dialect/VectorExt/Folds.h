//===- Folds.h - Unit-dim folds of gather and scatter -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_FOLDS_H
#define DISTAFF_DIALECT_VECTOREXT_FOLDS_H

#include "distaff/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::vector_ext {

/// Adds the patterns that drop unit dims from gathers and scatters (G10), which
/// are also part of their canonicalization.
void populateUnitDimFolds(RewritePatternSet &patterns);

} // namespace distaff::vector_ext

#endif // DISTAFF_DIALECT_VECTOREXT_FOLDS_H
