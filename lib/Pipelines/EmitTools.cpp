//===- EmitTools.cpp - External assemblers and linkers --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas and ld.lld are run as processes on temporary files. A tool that is
// missing or fails is a diagnostic with its output.
//
//===----------------------------------------------------------------------===//
#include "EmitSteps.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Target/Target.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

using namespace distaff;

/// Creates a temporary file and returns its path.
static FailureOr<std::string> makeTemporary(Location loc, StringRef suffix) {
  llvm::SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("distaff", suffix, path))
    return emitError(loc, "cannot create a temporary file: ") << code.message();
  llvm::sys::RemoveFileOnSignal(path);
  return std::string(path);
}

static std::string contentOf(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Runs `tool arguments` on `input` written to a file; `INPUT` and `OUTPUT` in
/// the arguments stand for the files. Returns the output file's content, and
/// the tool's messages in `said`, if that is not null.
static FailureOr<std::string> runTool(Location loc, StringRef tool,
                                      ArrayRef<StringRef> arguments,
                                      StringRef input, StringRef suffix,
                                      std::string *said = nullptr) {
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
  if (said)
    *said = contentOf(*messages);
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

std::optional<std::string> distaff::whyNoPtxas() {
  if (findPtxas())
    return std::nullopt;
  return "ptxas is neither on PATH nor in a CUDA toolkit";
}

/// Returns the number that ends where `words` begin, 0 without them.
static int64_t numberBefore(StringRef text, StringRef words) {
  size_t end = text.find(words);
  if (end == StringRef::npos)
    return 0;
  StringRef digits = text.take_front(end);
  size_t begin = digits.find_last_not_of("0123456789");
  int64_t number = 0;
  if (digits.drop_front(begin == StringRef::npos ? 0 : begin + 1)
          .getAsInteger(10, number))
    return 0;
  return number;
}

FailureOr<std::string> distaff::assemblePtx(Location loc, StringRef ptx,
                                            const Target &target) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    return emitError(loc, *whyNoPtxas());
  std::string architecture = ("-arch=" + target.chip).str();
  return runTool(loc, *ptxas,
                 {StringRef(architecture), "-O3", "-o", "OUTPUT", "INPUT"}, ptx,
                 "ptx");
}

LogicalResult
distaff::measureWithPtxas(Location loc, StringRef ptx, const Target &target,
                          MutableArrayRef<KernelResources> kernels) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    return emitError(loc, *whyNoPtxas());
  std::string architecture = ("-arch=" + target.chip).str(), said;
  if (failed(runTool(
          loc, *ptxas,
          {StringRef(architecture), "-O3", "-v", "-o", "OUTPUT", "INPUT"}, ptx,
          "ptx", &said)))
    return failure();
  for (KernelResources &kernel : kernels) {
    StringRef text = said;
    std::string begin =
        "Compiling entry function '" + emittedSymbol(kernel.function) + "'";
    if (!text.contains(begin))
      continue;
    text = text.split(begin).second;
    text = text.split("Compiling entry function").first;
    kernel.assembled = {"ptxas", numberBefore(text, " registers"),
                        numberBefore(text, " bytes spill stores"),
                        numberBefore(text, " bytes smem")};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Metadata in LLVM's assembly for AMD
//===----------------------------------------------------------------------===//

/// Returns the number after the first ` key: `, 0 without one.
static int64_t numberOf(StringRef text, StringRef key) {
  int64_t number = 0;
  StringRef rest = text.split(key).second.ltrim();
  return rest.consumeInteger(10, number) ? 0 : number;
}

LogicalResult
distaff::readCodeMetadata(Location, StringRef assembly, const Target &,
                          MutableArrayRef<KernelResources> kernels) {
  // The entry of a kernel begins with `.agpr_count` or `.args`, in alphabetical
  // order; its name is in the middle.
  StringRef list = assembly.split("amdhsa.kernels:").second;
  SmallVector<StringRef> entries;
  list.split(entries, "\n  - ");
  for (KernelResources &kernel : kernels)
    for (StringRef entry : entries)
      for (StringRef line : llvm::split(entry, '\n')) {
        auto [key, name] = line.trim().split(":");
        if (key != ".name" ||
            name.trim() != StringRef(emittedSymbol(kernel.function)))
          continue;
        kernel.assembled = {"LLVM", numberOf(entry, ".vgpr_count:"),
                            4 * numberOf(entry, ".vgpr_spill_count:"),
                            numberOf(entry, ".group_segment_fixed_size:"),
                            numberOf(entry, ".sgpr_spill_count:")};
      }
  return success();
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
