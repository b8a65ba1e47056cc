//===- Files.h - Kernel files, output files and messages --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_COMMANDLINE_FILES_H
#define DISTAFF_TOOLS_COMMANDLINE_FILES_H

#include "CommandLine/ExitCode.h"
#include "distaff/Driver/KernelInput.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace distaff {

class SourceNames;

/// Prints "distaff: error: MESSAGE" to stderr.
void printError(const Twine &message);

/// Prints an error and returns the exit code of an invalid request.
ExitCode usageError(const Twine &message);

/// Reads a file, "-" for standard input; null after an error.
std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path);

/// Writes `content` to stdout for "-" (runTool reports errors at the end), else
/// as specified in Runtime/OutputFile.h.
ExitCode writeOutput(StringRef path, StringRef content);

/// Checks, before any work, that a path can be written; reports an error.
ExitCode checkOutput(StringRef path);

/// A kernel that is read from a file. While it lives, diagnostics are printed
/// to stderr: with the source line, or as an error of `distaff` if they have
/// none.
class KernelFile {
public:
  KernelFile();
  ~KernelFile();

  /// Reads, parses and verifies; reports all errors.
  ExitCode load(StringRef path);

  ModuleOp getModule() { return input.getModule(); }
  /// Returns the names of values in explain's output, from the source text;
  /// valid while this object lives.
  SourceNames getNames() const;

private:
  class Printer;

  KernelInput input;
  llvm::SourceMgr sources;
  std::unique_ptr<Printer> printer;
};

} // namespace distaff

#endif // DISTAFF_TOOLS_COMMANDLINE_FILES_H
