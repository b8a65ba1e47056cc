//===- KernelInput.cpp - Reading kernels ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/KernelInput.h"
#include "distaff/Analysis/SizeLimits.h"
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
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  diagnostics =
      std::make_unique<SourceMgrDiagnosticHandler>(sourceManager, &context);
  // The diagnostic shows the source line; the op in generic form is no help.
  context.printOpOnDiagnostic(false);
}

KernelInput::~KernelInput() = default;

ExitCode KernelInput::load(const InputOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.path);
  if (std::error_code error = buffer.getError()) {
    printError("cannot read '" + options.path + "': " + error.message());
    return ExitCode::Usage;
  }
  sourceManager.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  module = parseSourceFile<ModuleOp>(sourceManager, &context);
  if (!module)
    return ExitCode::No; // the parser has said why
  if (failed(verifySizes(*module)))
    return ExitCode::No;
  return ExitCode::Fine;
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

func::FuncOp selectKernel(ModuleOp module, StringRef name) {
  func::FuncOp kernel = findKernel(module, name);
  if (!kernel)
    return nullptr;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    bool isOther = function != kernel && function != findGrid(kernel);
    if (isOther && SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
  }
  return kernel;
}

} // namespace distaff
