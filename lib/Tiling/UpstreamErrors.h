//===- UpstreamErrors.h - Suppression of upstream's errors ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_UPSTREAMERRORS_H
#define DISTAFF_LIB_TILING_UPSTREAMERRORS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Diagnostics.h"

namespace distaff {

/// Drops, during its lifetime, the errors that upstream's tiling emits about
/// its own functions ("unhandled tiled implementation generation"), which do
/// not help a user: the caller sees the failure and emits its own error.
class DropUpstreamErrors {
public:
  explicit DropUpstreamErrors(MLIRContext *context)
      : handler(context, [](Diagnostic &diagnostic) {
          bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return success(isError);
        }) {}

private:
  ScopedDiagnosticHandler handler;
};

} // namespace distaff

#endif // DISTAFF_LIB_TILING_UPSTREAMERRORS_H
