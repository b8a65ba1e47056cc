//===- UpstreamErrors.h - What upstream says of itself ----------*- C++ -*-===//
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

/// Upstream's tiling emits errors about its own functions ("unhandled tiled
/// implementation generation"), which tell a user nothing. While this lives
/// they are dropped: the caller sees the failure and says what it means.
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
