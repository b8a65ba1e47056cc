//===- Files.h - Kernels read, outputs written, errors said -----*- C++ -*-===//
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

/// Prints it, and returns the code of a request that is wrong in itself.
ExitCode usageError(const Twine &message);

/// Reads a file, "-" for standard input; null after an error.
std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path);

/// Writes `content` to stdout for "-", whose errors runTool reports in the end,
/// else as Runtime/OutputFile.h says.
ExitCode writeOutput(StringRef path, StringRef content);

/// Says where such a path could not be written, before anything is done for it.
ExitCode checkOutput(StringRef path);

/// A kernel that is read from a file. As long as it lives, diagnostics are
/// printed to stderr: with the source line, or as an error of `distaff` where
/// they have none.
class KernelFile {
public:
  KernelFile();
  ~KernelFile();

  /// Reads, parses and verifies; on failure everything has been said.
  ExitCode load(StringRef path);

  ModuleOp getModule() { return input.getModule(); }
  /// What explain calls values, after the text that was read; as long as this
  /// lives.
  SourceNames getNames() const;

private:
  class Printer;

  KernelInput input;
  llvm::SourceMgr sources;
  std::unique_ptr<Printer> printer;
};

} // namespace distaff

#endif // DISTAFF_TOOLS_COMMANDLINE_FILES_H
