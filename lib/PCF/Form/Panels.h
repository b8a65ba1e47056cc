//===- Panels.h - Memory that the workers of an executor share --*- C++ -*-===//
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

/// Whether a ref shows a panel that the executor allocates.
bool isPanel(Value ref, SharedExecutorOp executor);

/// Memory of the executor's scope for a value of `type`, allocated as the
/// executor begins; what is returned is the ref in its body.
/// \pre  the type has a static shape, and the scope can allocate
Value addPanel(SharedExecutorOp executor, ShapedType type,
               RewriterBase &rewriter);

/// The same of workers that each run their own code: all of them have it.
Value addPanel(GenericOp workers, ShapedType type, RewriterBase &rewriter);

/// All of a panel.
struct WholeSlice {
  explicit WholeSlice(Value panel);

  SmallVector<OpFoldResult> offsets, sizes, strides;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FORM_PANELS_H
