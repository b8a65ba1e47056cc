//===- Compile.h - distaff compile ------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_COMPILE_H
#define DISTAFF_DRIVER_COMPILE_H

#include "distaff/Driver/KernelInput.h"

namespace distaff {

struct CompileOptions {
  InputOptions input;
  /// mlir, llvm, ptx, cubin, gcn, hsaco or package.
  std::string emit = "mlir";
  /// The last stage to run; empty: all. Only with `emit = "mlir"`.
  std::string stopAfter;
  /// "-" is standard output.
  std::string output = "-";
  bool strictFp = false;
};

/// Compiles all kernels of a file, or the one that is named, and writes them.
/// Nothing is written unless all went well.
/// Without a target the file is parsed, verified and printed.
ExitCode compile(const CompileOptions &options);

/// Writes `content` to stdout for "-", else as Runtime/OutputFile.h says.
ExitCode writeOutput(StringRef path, StringRef content);

} // namespace distaff

#endif // DISTAFF_DRIVER_COMPILE_H
