//===- KernelInput.cpp - Reading kernels ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/KernelInput.h"
#include "distaff/Analysis/SizeLimits.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Pipelines/Containment.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

namespace distaff {

void printError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "distaff") << message << "\n";
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerKernelDialects(registry);
  return registry;
}

// One thread: a kernel is compiled in less time than a pool takes to start.
KernelInput::KernelInput()
    : context(std::make_unique<MLIRContext>(makeRegistry(),
                                            MLIRContext::Threading::DISABLED)),
      diagnostics(std::make_unique<SourceMgrDiagnosticHandler>(sourceManager,
                                                               context.get())) {
  // What stage a kernel is at is asked of propagation, before any pass runs.
  context->loadDialect<vector_ext::VectorExtDialect>();
  // The diagnostic shows the source line; the op in generic form is no help.
  context->printOpOnDiagnostic(false);
}

KernelInput::~KernelInput() = default;

ExitCode KernelInput::load(const InputOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.path);
  if (std::error_code error = buffer.getError()) {
    printError("cannot read '" + options.path + "': " + error.message());
    return ExitCode::Usage;
  }
  sourceManager.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  if (ExitCode code = parse(options.path); code != ExitCode::Fine)
    return code;
  return failed(verifySizes(*module)) ? ExitCode::No : ExitCode::Fine;
}

static std::string tooDeep(int64_t line) {
  return "line " + std::to_string(line) + " is nested deeper than " +
         std::to_string(deepestNesting) + " levels; such text is not parsed";
}

static constexpr StringLiteral parserCrashed =
    "MLIR's parser does not survive this text: an error in it, the last one "
    "above if there is one, is to be mended first";

ExitCode KernelInput::parse(StringRef path) {
  StringRef text =
      sourceManager.getMemoryBuffer(sourceManager.getMainFileID())->getBuffer();
  if (std::optional<int64_t> line = findTooDeepLine(text)) {
    printError("'" + path + "': " + tooDeep(*line));
    return ExitCode::No;
  }
  if (runContained([&] {
        module = parseSourceFile<ModuleOp>(sourceManager, context.get());
      })) {
    printError("'" + path + "': " + parserCrashed);
    (void)module.release();
    (void)diagnostics.release();
    (void)context.release();
    return ExitCode::No;
  }
  return module ? ExitCode::Fine : ExitCode::No; // the parser has said why
}

std::optional<std::string> findUnparsable(StringRef text,
                                          const DialectRegistry &registry,
                                          StringRef marker) {
  if (std::optional<int64_t> line = findTooDeepLine(text))
    return tooDeep(*line);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects();
  // What is merely wrong is said by those who parse it to keep it.
  auto silent = std::make_unique<ScopedDiagnosticHandler>(
      context.get(), [](Diagnostic &) { return success(); });
  SmallVector<StringRef> parts = {text};
  if (!marker.empty()) {
    parts.clear();
    text.split(parts, marker);
  }
  for (StringRef part : parts)
    if (runContained(
            [&] { (void)parseSourceString<ModuleOp>(part, context.get()); })) {
      (void)silent.release();
      (void)context.release();
      return parserCrashed.str();
    }
  return std::nullopt;
}

const Target *findTarget(StringRef name) {
  if (const Target *target = lookupTarget(name))
    return target;
  std::string known;
  for (const Target *target : allTargets())
    known += (known.empty() ? "" : ", ") + target->name.str();
  if (name.empty())
    printError("no target given: --target is one of " + known);
  else
    printError("unknown target '" + name + "', known are " + known);
  return nullptr;
}

const Stage *findStage(StringRef name) {
  if (const Stage *stage = lookupStage(name))
    return stage;
  std::string known;
  for (const Stage &stage : stages())
    known += (known.empty() ? "" : ", ") + stage.name.str();
  printError("unknown stage '" + name + "', stages are " + known);
  return nullptr;
}

/// Removes what no kernel of `kept` needs: other kernels, declarations.
static void keepOnly(ModuleOp module, ArrayRef<func::FuncOp> kept) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    bool isNeeded = llvm::any_of(kept, [&](func::FuncOp kernel) {
      return function == kernel || function == findGrid(kernel);
    });
    if (!isNeeded && SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
  }
}

ExitCode selectKernel(ModuleOp module, StringRef name, func::FuncOp &kernel) {
  kernel = findKernel(module, name);
  if (!kernel)
    // A file without a kernel is no mistake of the flags.
    return findKernels(module).empty() ? ExitCode::No : ExitCode::Usage;
  keepOnly(module, kernel);
  return ExitCode::Fine;
}

ExitCode allKernels(ModuleOp module, SmallVectorImpl<func::FuncOp> &kernels) {
  llvm::append_range(kernels, findKernels(module));
  if (kernels.empty()) {
    (void)findKernel(module); // says so
    return ExitCode::No;
  }
  keepOnly(module, kernels);
  return ExitCode::Fine;
}

} // namespace distaff
