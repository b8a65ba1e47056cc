//===- Explain.h - distaff explain ------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_EXPLAIN_H
#define DISTAFF_DRIVER_EXPLAIN_H

#include "distaff/Driver/KernelInput.h"

namespace distaff {

struct ExplainOptions {
  InputOptions input;
  std::string output = "-";
  bool strictFp = false;
};

/// Compiles a kernel as far as its layouts go and says what was chosen.
ExitCode explain(const ExplainOptions &options);

} // namespace distaff

#endif // DISTAFF_DRIVER_EXPLAIN_H
