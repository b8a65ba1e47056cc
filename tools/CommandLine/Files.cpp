//===- Files.cpp - Kernel files, output files and messages ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CommandLine/Files.h"
#include "distaff/Driver/Explain.h"
#include "distaff/Runtime/OutputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace distaff {

void printError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "distaff") << message << "\n";
}

ExitCode usageError(const Twine &message) {
  printError(message);
  return ExitCode::Usage;
}

std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (buffer)
    return std::move(*buffer);
  printError("cannot read '" + path + "': " + buffer.getError().message());
  return nullptr;
}

ExitCode writeOutput(StringRef path, StringRef content) {
  if (path == "-") {
    if (content.contains('\0') && llvm::outs().is_displayed())
      return usageError("the output is binary, and a terminal would show it: "
                        "-o FILE writes it to a file");
    llvm::outs() << content; // runTool reports errors
    return ExitCode::Fine;
  }
  std::string why = runtime::writeOutputFile(path.str(), {content});
  return why.empty() ? ExitCode::Fine
                     : usageError("cannot write '" + path + "': " + why);
}

ExitCode checkOutput(StringRef path) {
  std::string why = path == "-" ? "" : runtime::whyUnwritable(path.str());
  return why.empty() ? ExitCode::Fine
                     : usageError("cannot write '" + path + "': " + why);
}

//===----------------------------------------------------------------------===//
// KernelFile
//===----------------------------------------------------------------------===//

class KernelFile::Printer : public SourceMgrDiagnosticHandler {
public:
  Printer(llvm::SourceMgr &sources, MLIRContext *context)
      : SourceMgrDiagnosticHandler(sources, context) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Warning &&
          !warned
               .insert({diagnostic.getLocation().getAsOpaquePointer(),
                        diagnostic.str()})
               .second)
        return;
      bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
      auto file = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
      if (isError && isa<UnknownLoc>(diagnostic.getLocation()))
        printError(diagnostic.str());
      else if (isError && file && file.getLine() == 0)
        // A module that is not in the source text has no line.
        printError("'" + file.getFilename().getValue() +
                   "': " + diagnostic.str());
      else
        emitDiagnostic(diagnostic);
    });
  }

private:
  /// The verifier warns after every pass, and passes for every copy of an op;
  /// each warning is printed once.
  std::set<std::pair<const void *, std::string>> warned; // by location
};

KernelFile::KernelFile()
    : printer(std::make_unique<Printer>(sources, input.getContext())) {}

KernelFile::~KernelFile() {
  if (!input.getContext()) // the parser has crashed in it
    (void)printer.release();
}

SourceNames KernelFile::getNames() const {
  auto *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  return SourceNames(buffer->getBuffer(), buffer->getBufferIdentifier());
}

ExitCode KernelFile::load(StringRef path) {
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(path);
  if (!buffer)
    return ExitCode::Usage;
  StringRef text = buffer->getBuffer(), name = buffer->getBufferIdentifier();
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return failed(input.parse(text, name)) ? ExitCode::No : ExitCode::Fine;
}

} // namespace distaff
