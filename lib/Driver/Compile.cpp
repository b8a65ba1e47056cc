//===- Compile.cpp - Compiling a module to code ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Compile.h"
#include "EmitRemarks.h"
#include "HostEntry.h"
#include "KernelSelection.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Cpu/MatrixUnit.h"
#include "distaff/Driver/Package.h"
#include "distaff/Driver/PositionArguments.h"
#include "distaff/Kernel/HostTask.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Target/Target.h"

namespace distaff {
namespace {

/// Returns the remaining stages of kernels, which must be the same for all.
FailureOr<RemainingStages>
findCommonStages(ArrayRef<FunctionOpInterface> kernels, const Target &target,
                 const Pipeline *asked) {
  // An unmarked grid function looks like a kernel of its own.
  for (FunctionOpInterface kernel : kernels)
    if (failed(verifyGridName(kernel)))
      return failure();
  FailureOr<RemainingStages> first =
      findRemainingStages(kernels.front(), target, asked);
  for (FunctionOpInterface kernel : kernels.drop_front()) {
    FailureOr<RemainingStages> remaining =
        findRemainingStages(kernel, target, asked);
    if (failed(first) || failed(remaining))
      return failure();
    bool isOther = remaining->pipeline != first->pipeline;
    if (!isOther && remaining->ahead.size() == first->ahead.size())
      continue;
    InFlightDiagnostic diagnostic = kernel.emitError(
        isOther ? "takes another pipeline than the first kernel of the file; "
                  "compile them one by one, with --func"
                : "has been through other stages than the first kernel of the "
                  "file; compile them one by one, with --func");
    diagnostic.attachNote(kernels.front()->getLoc()) << "the first kernel";
    return diagnostic;
  }
  return first;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// A kernel as its author wrote it.
struct WrittenKernel {
  std::string name;
  SmallVector<bool> written; // arguments that the kernel writes
};

/// Returns the functions of `source` that kernels of the lowered module call
/// and that have no body.
SmallVector<func::FuncOp> findExternals(ModuleOp module, ModuleOp source) {
  SmallVector<func::FuncOp> externals;
  for (auto function : source.getOps<func::FuncOp>()) {
    auto left = module.lookupSymbol<func::FuncOp>(function.getName());
    if (left && left.isExternal() &&
        !SymbolTable::symbolKnownUseEmpty(left, module))
      externals.push_back(function);
  }
  return externals;
}

/// Returns the code of a C function for each kernel, or the header that
/// declares these functions.
FailureOr<std::string> emitForHost(ModuleOp module, ModuleOp source,
                                   ArrayRef<WrittenKernel> kernels,
                                   const CompileOptions &options) {
  std::vector<DeclaredKernel> declared;
  for (const WrittenKernel &kernel : kernels) {
    FailureOr<runtime::Package> package =
        describePackage(module, kernel.name, *options.target);
    if (failed(package) || failed(addHostEntry(module, *package)))
      return failure();
    declared.push_back(
        {std::move(*package), kernel.written, takesMatrices(module)});
  }
  const auto *code = std::get_if<AsCode>(&options.product);
  return code ? emitCode(module, *options.target, code->kind)
              : FailureOr<std::string>(
                    writeHostHeader(declared, findExternals(module, source)));
}

/// Emits the requested product from the lowered module.
FailureOr<std::string> emit(ModuleOp module, ModuleOp source,
                            ArrayRef<WrittenKernel> kernels,
                            const CompileOptions &options) {
  if (options.target->isHost() &&
      (std::holds_alternative<AsCode>(options.product) ||
       std::holds_alternative<AsHeader>(options.product)))
    return emitForHost(module, source, kernels, options);
  if (const auto *package = std::get_if<AsPackage>(&options.product))
    return buildPackage(module, kernels.front().name, *options.target,
                        *package);
  if (const auto *code = std::get_if<AsCode>(&options.product))
    return emitCode(module, *options.target, code->kind, options.threads);
  return print(module);
}

} // namespace

Compiled compile(ModuleOp source, const CompileOptions &options) {
  OwningOpRef<ModuleOp> module = source.clone();
  // A package has one kernel; text may have all kernels of a module.
  bool takesAll = options.function.empty() &&
                  !std::holds_alternative<AsPackage>(options.product);
  SmallVector<FunctionOpInterface> kernels;
  if (Answer answer = takesAll ? selectAllKernels(*module, kernels)
                               : selectKernel(*module, options.function,
                                              kernels.emplace_back());
      answer != Answer::Yes)
    return {answer, ""};
  // Stages may replace the function.
  SmallVector<WrittenKernel> written;
  for (FunctionOpInterface kernel : kernels)
    written.push_back(
        {kernel.getName().str(), succeeded(KernelSignature::get(kernel))
                                     ? findWritten(kernel)
                                     : SmallVector<bool>()});
  FailureOr<RemainingStages> remaining =
      findCommonStages(kernels, *options.target, options.pipeline);
  if (failed(remaining))
    return {Answer::Refused, ""};
  const Stage *last = nullptr;
  if (const auto *mlir = std::get_if<AsMlir>(&options.product))
    if (failed(findLastStage(kernels.front().getLoc(), *remaining->pipeline,
                             mlir->last, last)))
      return {Answer::BadRequest, ""};
  DecisionLog log;
  StageManager manager(module->getContext());
  buildPipeline(manager,
                {.target = options.target,
                 .log = options.remarks ? &log : nullptr,
                 .strictFp = options.strictFp,
                 .specialization = options.specialization,
                 .requireAnchors = options.requireAnchors},
                *remaining->pipeline, remaining->ahead, last);
  LogicalResult done = manager.run(*module);
  emitRemarks(source, log);
  if (failed(done))
    return {Answer::Refused, ""};
  FailureOr<std::string> content = emit(*module, source, written, options);
  if (failed(content))
    return {Answer::Refused, ""};
  return {Answer::Yes, std::move(*content)};
}

} // namespace distaff
