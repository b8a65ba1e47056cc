//===- EmitTools.cpp - Assemblers and linkers outside LLVM ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas and ld.lld are run as processes on temporary files. A tool that is
// missing or fails is a diagnostic with what it said.
//
//===----------------------------------------------------------------------===//
#include "EmitSteps.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace distaff;

/// A file that vanishes with its scope.
static FailureOr<std::string> makeTemporary(Location loc, StringRef suffix) {
  llvm::SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("distaff", suffix, path))
    return emitError(loc, "cannot create a temporary file: ") << code.message();
  return std::string(path);
}

static std::string contentOf(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Runs `tool arguments` on `input` written to a file; `INPUT` and `OUTPUT` in
/// the arguments stand for the files. Returns the output file's content.
static FailureOr<std::string> runTool(Location loc, StringRef tool,
                                      ArrayRef<StringRef> arguments,
                                      StringRef input, StringRef suffix) {
  FailureOr<std::string> source = makeTemporary(loc, suffix);
  FailureOr<std::string> output = makeTemporary(loc, "out");
  FailureOr<std::string> messages = makeTemporary(loc, "txt");
  if (failed(source) || failed(output) || failed(messages))
    return failure();
  llvm::FileRemover removeSource(*source), removeOutput(*output),
      removeMessages(*messages);
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(*source, code);
    stream << input;
  }
  if (code)
    return emitError(loc, "cannot write ") << *source << ": " << code.message();

  SmallVector<StringRef> command = {tool};
  for (StringRef argument : arguments)
    command.push_back(argument == "INPUT"    ? StringRef(*source)
                      : argument == "OUTPUT" ? StringRef(*output)
                                             : argument);
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(*messages),
                                          StringRef(*messages)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(tool, command, std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &error);
  if (status != 0)
    return emitError(loc) << llvm::sys::path::filename(tool) << " failed: "
                          << (error.empty() ? contentOf(*messages) : error);
  return contentOf(*output);
}

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

std::optional<std::string> distaff::findPtxas() {
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (auto root = llvm::sys::Process::GetEnv(variable)) {
      std::string bin = *root + "/bin";
      if (auto found = llvm::sys::findProgramByName("ptxas", {bin}))
        return *found;
    }
  if (auto found =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *found;
  return std::nullopt;
}

FailureOr<std::string> distaff::assemblePtx(Location loc, StringRef ptx,
                                            const Target &target) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    return emitError(loc, "ptxas was not found");
  std::string architecture = ("-arch=" + target.chip).str();
  return runTool(loc, *ptxas,
                 {StringRef(architecture), "-O3", "-o", "OUTPUT", "INPUT"}, ptx,
                 "ptx");
}

//===----------------------------------------------------------------------===//
// ld.lld
//===----------------------------------------------------------------------===//

static std::optional<std::string> findLinker() {
  std::string prefix =
      "/usr/lib/llvm-" + std::to_string(LLVM_VERSION_MAJOR) + "/bin";
  std::string versioned = "ld.lld-" + std::to_string(LLVM_VERSION_MAJOR);
  for (StringRef name : {StringRef(versioned), StringRef("ld.lld")}) {
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
    if (auto found = llvm::sys::findProgramByName(name, {prefix}))
      return *found;
  }
  return std::nullopt;
}

FailureOr<std::string> distaff::linkCodeObject(Location loc, StringRef object,
                                               const Target &) {
  std::optional<std::string> linker = findLinker();
  if (!linker)
    return emitError(loc, "a code object is linked by ld.lld, which is neither "
                          "on PATH nor with LLVM");
  return runTool(loc, *linker, {"-shared", "-o", "OUTPUT", "INPUT"}, object,
                 "o");
}
