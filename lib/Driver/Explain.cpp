//===- Explain.cpp - distaff explain --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Explain.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Analysis/WorkgroupMemory.h"
#include "distaff/Driver/Compile.h"
#include "distaff/Explain/Explain.h"
#include "distaff/Pipelines/Pipelines.h"

namespace distaff {

/// Workgroup memory of the kernel once distribution has made buffers share it;
/// nothing where it refuses, which is for `compile` to say.
static std::optional<int64_t>
allocatedBytes(ModuleOp module, PipelineOptions options, StringRef function) {
  OwningOpRef<ModuleOp> copy = module.clone();
  ScopedDiagnosticHandler quiet(copy->getContext(),
                                [](Diagnostic &) { return success(); });
  options.log = nullptr;
  PassManager pipeline(copy->getContext());
  buildPipeline(pipeline, options, lookupStage("distribute"),
                stagesAhead(findKernel(*copy, function)));
  if (failed(pipeline.run(*copy)))
    return std::nullopt;
  return workgroupMemoryOf(findKernel(*copy, function));
}

ExitCode explain(const ExplainOptions &options) {
  const Target *target = findTarget(options.input.target);
  if (!target)
    return ExitCode::Usage;
  KernelInput input;
  if (ExitCode code = input.load(options.input); code != ExitCode::Fine)
    return code;
  OwningOpRef<ModuleOp> module = input.cloneModule();
  func::FuncOp kernel;
  if (ExitCode code = selectKernel(*module, options.input.function, kernel);
      code != ExitCode::Fine)
    return code;

  DecisionLog log;
  PassManager pipeline(input.getContext());
  PipelineOptions stages{
      .target = target, .log = &log, .strictFp = options.strictFp};
  buildPipeline(pipeline, stages, lookupStage("assign-layouts"),
                stagesAhead(kernel));
  if (failed(pipeline.run(*module)))
    return ExitCode::No;
  kernel = findKernel(*module, options.input.function);
  FailureOr<Explanation> explanation = explainKernel(kernel, *target, &log);
  if (failed(explanation))
    return ExitCode::No;

  explanation->ownBytes = workgroupMemoryOf(kernel);
  explanation->allocatedBytes =
      allocatedBytes(*module, stages, options.input.function);

  std::string text;
  llvm::raw_string_ostream stream(text);
  printText(*explanation, stream);
  return writeOutput(options.output, text);
}

} // namespace distaff
