//===- Explain.cpp - Explaining a kernel ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Explain.h"
#include "KernelSelection.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Pipelines/Pipelines.h"

namespace distaff {

/// What the road recorded of the kernel's phases takes the place of what the
/// kernel said when it came.
static void takeRecordedPhases(Explanation &explanation) {
  std::vector<PhaseProgram> programs;
  for (PhasesRecord &record : explanation.log.phases)
    if (record.function == explanation.function)
      programs.push_back(std::move(record.program));
  if (!programs.empty())
    explanation.phases = std::move(programs);
}

/// Whether the kernel or the request names a road that is there.
static bool namesRoad(FunctionOpInterface kernel, const Road *asked) {
  auto info = kernel->getAttrOfType<compat::TranslationInfoAttr>(
      compat::TranslationInfoAttr::attributeName);
  StringAttr name = info ? info.getPipeline() : nullptr;
  return asked || (name && lookupRoad(name.getValue()));
}

Explained explain(ModuleOp source, const ExplainOptions &options) {
  OwningOpRef<ModuleOp> module = source.clone();
  FunctionOpInterface kernel;
  if (Answer answer = selectKernel(*module, options.function, kernel);
      answer != Answer::Yes)
    return {answer, {}};

  Explained explained;
  explained.explanation.function = kernel.getName().str();
  DecisionLog &log = explained.explanation.log;
  log.names = SourceNames(options.source);
  explained.explanation.phases = readPhasePrograms(kernel, log.names);
  if (!explained.explanation.phases.empty() && !namesRoad(kernel, options.road))
    return explained;

  FailureOr<Way> way = findWay(kernel, options.road);
  if (failed(way)) {
    explained.answer = Answer::Refused;
    return explained;
  }
  PassManager pipeline(module->getContext());
  PipelineOptions stages{.target = options.target,
                         .log = &log,
                         .strictFp = options.strictFp,
                         .specialization = options.specialization};
  buildPipeline(pipeline, stages, *way->road, way->ahead);
  if (failed(pipeline.run(*module)))
    explained.answer = Answer::Refused;
  takeRecordedPhases(explained.explanation);
  assert((explained.answer != Answer::Yes || explained.explanation.kernel() ||
          !explained.explanation.phases.empty()) &&
         "some stage has written down what the kernel runs as");
  return explained;
}

} // namespace distaff
