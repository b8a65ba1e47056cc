//===- Explain.cpp - distaff explain --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Explain.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Driver/Compile.h"
#include "distaff/Explain/Explain.h"
#include "distaff/Pipelines/Pipelines.h"

namespace distaff {

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
  buildPipeline(pipeline,
                {.target = target, .log = &log, .strictFp = options.strictFp},
                lookupStage("assign-layouts"), stagesAhead(kernel));
  if (failed(pipeline.run(*module)))
    return ExitCode::No;
  kernel = findKernel(*module, options.input.function);
  FailureOr<Explanation> explanation = explainKernel(kernel, *target, &log);
  if (failed(explanation))
    return ExitCode::No;

  std::string text;
  llvm::raw_string_ostream stream(text);
  printText(*explanation, stream);
  return writeOutput(options.output, text);
}

} // namespace distaff
