//===- Explain.cpp - Explaining a kernel's decisions ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Explain.h"
#include "KernelSelection.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Configure/Phases.h"
#include "distaff/Kernel/LaunchSequence.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Pipelines/VectorDistribute.h"

namespace distaff {

/// Replaces the phases of the kernel as it entered by those that the pipeline
/// recorded.
static void takeRecordedPhases(Explanation &explanation) {
  std::vector<PhaseProgram> programs;
  for (PhasesRecord &record : explanation.log.phases)
    if (record.function == explanation.function)
      programs.push_back(std::move(record.program));
  if (!programs.empty())
    explanation.phases = std::move(programs);
}

/// Measures the resources of a lowered kernel's code. If there is none the
/// kernel is explained without them.
static void measure(ModuleOp module, const Target &target,
                    Explanation &explanation) {
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &said) {
    if (said.getSeverity() == DiagnosticSeverity::Error &&
        explanation.whyNoResources.empty())
      explanation.whyNoResources = said.str();
    return success();
  });
  FailureOr<std::vector<KernelResources>> measured =
      measureKernels(module, target);
  if (failed(measured))
    return;
  for (KernelResources &resources : *measured)
    if (resources.function == explanation.function)
      explanation.resources = std::move(resources);
}

/// Configures a program of phases that is explained as it is.
static Answer choosePhases(FunctionOpInterface kernel,
                           const ExplainOptions &options, DecisionLog &log) {
  auto function = dyn_cast<func::FuncOp>(*kernel);
  if (!function || options.target->isHost())
    return Answer::Yes;
  Target machine =
      options.strictFp ? keepingFloatOrder(*options.target) : *options.target;
  return succeeded(configurePhases(function, machine, &log)) ? Answer::Yes
                                                             : Answer::Refused;
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
  log.names = options.names;
  if (auto function = dyn_cast<func::FuncOp>(*kernel);
      function && !options.target->isHost())
    completeLaunch(function, *options.target);
  explained.explanation.phases = readPhasePrograms(kernel, log.names);
  if (!explained.explanation.phases.empty() && !options.pipeline &&
      !isTakenByPipeline(kernel, *options.target)) {
    explained.answer = choosePhases(kernel, options, log);
    return explained;
  }

  FailureOr<RemainingStages> remaining =
      findRemainingStages(kernel, *options.target, options.pipeline);
  if (failed(remaining)) {
    explained.answer = Answer::Refused;
    return explained;
  }
  StageManager manager(module->getContext());
  PipelineOptions stages{.target = options.target,
                         .log = &log,
                         .strictFp = options.strictFp,
                         .specialization = options.specialization,
                         .requireAnchors = options.requireAnchors};
  buildPipeline(manager, stages, *remaining->pipeline, remaining->ahead);
  if (failed(manager.run(*module)))
    explained.answer = Answer::Refused;
  else if (explained.explanation.kernel())
    measure(*module, *options.target, explained.explanation);
  takeRecordedPhases(explained.explanation);
  assert((explained.answer != Answer::Yes || explained.explanation.kernel() ||
          !explained.explanation.phases.empty()) &&
         "some stage has written down what the kernel runs as");
  return explained;
}

/// Forms the launches of a function; null if it is one launch, or is refused,
/// which `explain` reports.
static std::optional<LaunchSequence>
formSequence(ModuleOp module, const ExplainOptions &options,
             std::vector<ChoiceDecision> &choices) {
  ScopedDiagnosticHandler silent(module->getContext(),
                                 [](Diagnostic &) { return success(); });
  FunctionOpInterface whole;
  if (selectKernel(module, options.function, whole) != Answer::Yes)
    return std::nullopt;
  FailureOr<RemainingStages> remaining =
      findRemainingStages(whole, *options.target, options.pipeline);
  if (failed(remaining) || remaining->ahead.empty() || !mentionsTensors(whole))
    return std::nullopt;
  std::string name = whole.getName().str();
  DecisionLog log;
  log.names = options.names;
  PipelineOptions stages{.target = options.target,
                         .log = &log,
                         .strictFp = options.strictFp,
                         .specialization = options.specialization};
  StageManager manager(module->getContext());
  // Each launch is explained by itself: with its choices made, form-launches
  // leaves it as it is.
  addStage(manager, stages, *remaining->ahead.front());
  if (remaining->ahead.front()->name == formLaunchesStage.name)
    addStage(manager, stages, *remaining->ahead[1]);
  if (failed(manager.run(module)))
    return std::nullopt;
  auto sequence = LaunchSequence::find(module, name);
  if (!sequence)
    return std::nullopt;
  for (ChoiceDecision &choice : log.choices)
    if (choice.function == name)
      choices.push_back(choice);
  return *sequence;
}

ExplainedLaunches explainLaunches(ModuleOp source,
                                  const ExplainOptions &options) {
  ExplainedLaunches explained;
  OwningOpRef<ModuleOp> module = source.clone();
  auto sequence = formSequence(*module, options, explained.choices);
  if (!sequence) {
    explained.launches.push_back(explain(source, options));
    explained.answer = explained.launches.front().answer;
    return explained;
  }
  for (const SequencedLaunch &launch : sequence->launches) {
    ExplainOptions own = options;
    own.function = launch.kernel;
    explained.launches.push_back(explain(*module, own));
    explained.answer =
        std::max(explained.answer, explained.launches.back().answer);
  }
  return explained;
}

} // namespace distaff
