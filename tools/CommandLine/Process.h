//===- Process.h - What a tool does first and last --------------*- C++ -*-===//
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
/// where memory runs out; and with writes that fail, instead of a signal, where
/// nobody reads a pipe any more. Where the environment has DISTAFF_HOST_LEVEL,
/// `avx2`, the target `host` is no more than that level. Flushes stdout, and
/// says where that fails; without sanitizers it does not return, so that
/// destructors of the caller do not run. LLVM's --help and --version end
/// before.
int runTool(llvm::function_ref<ExitCode()> work);

/// Keeps the memory of the process within that of the machine, so that a kernel
/// that asks for more is refused and not killed. Not for a process that opens a
/// GPU, whose driver reserves addresses for it.
void limitMemory();

/// The versions of Distaff and of LLVM on one line, for --version.
void printVersion(llvm::raw_ostream &stream);

} // namespace distaff

#endif // DISTAFF_TOOLS_COMMANDLINE_PROCESS_H
