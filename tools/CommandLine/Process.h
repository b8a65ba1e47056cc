//===- Process.h - Start and end of a tool's process ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_COMMANDLINE_PROCESS_H
#define DISTAFF_TOOLS_COMMANDLINE_PROCESS_H

#include "CommandLine/ExitCode.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {

/// Runs a tool's work so that it ends with an exit code and a message: on a
/// stack that MLIR's recursive parsers and walks do not exhaust; with an error
/// if memory runs out; and with failing writes instead of a signal on a closed
/// pipe. If the environment sets DISTAFF_HOST_LEVEL to `avx2`, the target
/// `host` is limited to that level. Flushes stdout, and reports its errors;
/// without sanitizers it does not return, so destructors of the caller do not
/// run. LLVM's --help and --version end earlier.
int runTool(llvm::function_ref<ExitCode()> work);

/// Limits the memory of the process to that of the machine, so that a kernel
/// that needs more is refused and the process is not killed. Not for a process
/// that opens a GPU, whose driver reserves addresses for it.
void limitMemory();

/// Prints the versions of Distaff and of LLVM on one line, for --version.
void printVersion(llvm::raw_ostream &stream);

} // namespace distaff

#endif // DISTAFF_TOOLS_COMMANDLINE_PROCESS_H
