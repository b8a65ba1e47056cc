//===- Explain.cpp - Explaining a kernel ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Explain.h"
#include "KernelSelection.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Analysis/WorkgroupMemory.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"

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
  return workgroupMemoryOf(findKernel(*copy, function),
                           options.target->workgroupAlignment());
}

Explained explain(ModuleOp source, const ExplainOptions &options) {
  OwningOpRef<ModuleOp> module = source.clone();
  FunctionOpInterface kernel;
  if (Answer answer = selectKernel(*module, options.function, kernel);
      answer != Answer::Yes)
    return {answer, {}};

  DecisionLog log;
  PassManager pipeline(module->getContext());
  PipelineOptions stages{
      .target = options.target, .log = &log, .strictFp = options.strictFp};
  buildPipeline(pipeline, stages, lookupStage("assign-layouts"),
                stagesAhead(kernel));
  if (failed(pipeline.run(*module)))
    return {Answer::Refused, {}};
  kernel = findKernel(*module, options.function);
  FailureOr<Explanation> explanation =
      explainKernel(kernel, *options.target, &log);
  if (failed(explanation))
    return {Answer::Refused, {}};

  explanation->ownBytes =
      workgroupMemoryOf(kernel, options.target->workgroupAlignment());
  explanation->allocatedBytes =
      allocatedBytes(*module, stages, options.function);
  return {Answer::Yes, std::move(*explanation)};
}

} // namespace distaff
