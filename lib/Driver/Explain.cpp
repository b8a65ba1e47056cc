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

/// The stage after which clusters are what they will be.
static constexpr StringLiteral specialized = "specialize";

static PipelineOptions stageOptions(const ExplainOptions &options,
                                    DecisionLog *log) {
  return {.target = options.target, .log = log, .strictFp = options.strictFp};
}

/// Reads the phases of a copy that went as far as the road specializes it.
static std::vector<PhaseProgram> readPhases(ModuleOp source,
                                            FunctionOpInterface kernel,
                                            const Way &way,
                                            const ExplainOptions &options) {
  const Stage *last = way.road->findStage(specialized);
  if (!last || !llvm::is_contained(way.ahead, last))
    return readPhasePrograms(kernel, options.names);
  OwningOpRef<ModuleOp> copy = source.clone();
  PassManager pipeline(copy->getContext());
  buildPipeline(pipeline, stageOptions(options, /*log=*/nullptr), *way.road,
                way.ahead, last);
  // What is wrong with the kernel is said when it goes all the way.
  ScopedDiagnosticHandler silent(copy->getContext(),
                                 [](Diagnostic &) { return success(); });
  if (failed(pipeline.run(*copy)))
    return readPhasePrograms(kernel, options.names);
  auto found = copy->lookupSymbol<FunctionOpInterface>(kernel.getName());
  return found ? readPhasePrograms(found, options.names)
               : std::vector<PhaseProgram>();
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
  explained.explanation.phases = readPhasePrograms(kernel, options.names);
  if (!explained.explanation.phases.empty() && !namesRoad(kernel, options.road))
    return explained;

  FailureOr<Way> way = findWay(kernel, options.road);
  if (failed(way)) {
    explained.answer = Answer::Refused;
    return explained;
  }
  explained.explanation.phases = readPhases(*module, kernel, *way, options);
  PassManager pipeline(module->getContext());
  buildPipeline(pipeline, stageOptions(options, &explained.explanation.log),
                *way->road, way->ahead);
  if (failed(pipeline.run(*module)))
    explained.answer = Answer::Refused;
  assert((explained.answer != Answer::Yes || explained.explanation.kernel() ||
          !explained.explanation.phases.empty()) &&
         "some stage has written down what the kernel runs as");
  return explained;
}

} // namespace distaff
