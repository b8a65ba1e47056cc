//===- Panels.h - Shared memory allocated by an executor --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FORM_PANELS_H
#define DISTAFF_LIB_PCF_FORM_PANELS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Returns whether a ref refers to a panel that the executor allocates.
bool isPanel(Value ref, SharedExecutorOp executor);

/// Allocates memory of the executor's scope for a value of `type` in the
/// executor's initializer, and returns the ref in its body.
/// \pre  the type has a static shape, and the scope can allocate
Value addPanel(SharedExecutorOp executor, ShapedType type,
               RewriterBase &rewriter);

/// Allocates a panel that all of `workers`, each of which runs its own code,
/// share.
Value addPanel(GenericOp workers, ShapedType type, RewriterBase &rewriter);

/// Describes a slice of all of a panel.
struct WholeSlice {
  explicit WholeSlice(Value panel);

  SmallVector<OpFoldResult> offsets, sizes, strides;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FORM_PANELS_H
