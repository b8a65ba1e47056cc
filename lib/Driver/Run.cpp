//===- Run.cpp - distaff run ----------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Run.h"
#include "Arguments.h"
#include "Check.h"
#include "CudaRun.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {
namespace {

/// What the flags mean, once they are known to fit together.
struct Plan {
  const Target *target = nullptr;
  const Stage *last = nullptr;
  std::optional<int> cudaDevice; ///< none: the SIMT machine
};

ExitCode makePlan(const RunOptions &options, Plan &plan) {
  plan.target = findTarget(options.input.target);
  if (!plan.target)
    return ExitCode::Usage;
  StringRef device = options.device;
  if (int number; device.consume_front("cuda:") &&
                  !device.getAsInteger(10, number) && number >= 0) {
    plan.cudaDevice = number;
  } else if (options.device == "host") {
    printError("the host target is not available yet; --device is simt or "
               "cuda:N");
    return ExitCode::No;
  } else if (options.device != "simt") {
    printError("unknown --device '" + options.device +
               "', it is simt or cuda:N");
    return ExitCode::Usage;
  }
  if (plan.cudaDevice && plan.target->family != Family::NVPTX) {
    printError("--device " + options.device + " does not run code for target " +
               plan.target->name);
    return ExitCode::Usage;
  }
  plan.last = options.stopAfter.empty() ? &stages().back()
                                        : findStage(options.stopAfter);
  if (!plan.last)
    return ExitCode::Usage;
  if (plan.cudaDevice && (options.everyStage || !options.stopAfter.empty())) {
    printError("a GPU runs the compiled kernel only: --every-stage and "
               "--stop-after need --device simt");
    return ExitCode::Usage;
  }
  return ExitCode::Fine;
}

simt::Options machineOptions(func::FuncOp kernel, const Target &target,
                             const RunOptions &options) {
  simt::Options result;
  result.subgroupSize = target.subgroupSize;
  result.workgroupSize = {target.subgroupSize, 1, 1};
  if (auto info = kernel->getAttrOfType<compat::TranslationInfoAttr>(
          compat::TranslationInfoAttr::attributeName)) {
    if (info.getSubgroupSize())
      result.subgroupSize = info.getSubgroupSize();
    for (auto [to, from] :
         llvm::zip(result.workgroupSize, info.getWorkgroupSize()))
      to = from;
  }
  result.schedule = options.schedule;
  result.checks = options.faultChecks;
  result.threads = options.threads;
  result.maxSteps = options.maxSteps;
  result.target = target.name.str();
  return result;
}

void printCounters(const simt::Counters &c) {
  auto line = [](StringRef name, int64_t value) {
    llvm::outs() << llvm::formatv("{0,-22}{1}\n", name, value);
  };
  line("instructions", c.instructions);
  line("shuffles", c.shuffles);
  line("barriers", c.barriers);
  line("mma", c.mma);
  line("global requests", c.globalRequests);
  line("global sectors", c.sectors);
  line("global bytes read", c.globalBytesRead);
  line("global bytes written", c.globalBytesWritten);
  line("shared requests", c.sharedRequests);
  line("bank conflicts", c.bankConflicts);
  line("shared bytes read", c.sharedBytesRead);
  line("shared bytes written", c.sharedBytesWritten);
}

/// Says what the machine found, and what that makes of the run. An op that it
/// does not model is no answer, rather than a wrong one.
ExitCode conclude(const simt::Outcome &outcome) {
  if (succeeded(simt::report(outcome)))
    return ExitCode::Fine;
  return outcome.verdict() == simt::Verdict::NotModelled ? ExitCode::Undecided
                                                         : ExitCode::No;
}

/// One run of a kernel through its stages.
class Runner {
public:
  Runner(const RunOptions &options, const Plan &plan)
      : options(options), plan(plan) {}

  ExitCode run() {
    if (ExitCode code = input.load(options.input); code != ExitCode::Fine)
      return code;
    func::FuncOp kernel;
    if (ExitCode code =
            selectKernel(input.getModule(), options.input.function, kernel);
        code != ExitCode::Fine)
      return code;
    if (failed(checkLaunch(kernel, *plan.target)))
      return ExitCode::No;
    KernelSignature signature = KernelSignature::get(kernel);
    if (ExitCode code = arguments.prepare(kernel, signature, options.inputs,
                                          options.outputs, options.shapes);
        code != ExitCode::Fine)
      return code;
    if (checks())
      if (ExitCode code = conclude(reference.evaluate(
              kernel, arguments,
              machineOptions(kernel, *plan.target, options)));
          code != ExitCode::Fine)
        return code;
    if (options.everyStage)
      if (ExitCode code = execute("input", input.getModule());
          code != ExitCode::Fine)
        return code;

    OwningOpRef<ModuleOp> module = input.cloneModule();
    ExitCode code = plan.cudaDevice ? runOnGpu(*module, signature)
                                    : runStages(*module, stagesAhead(kernel));
    if (code != ExitCode::Fine)
      return code;
    if (options.counters)
      printCounters(counters);
    return arguments.write(finals);
  }

private:
  /// What every stage computes is only of interest next to the reference.
  bool checks() const { return options.check || options.everyStage; }

  PipelineOptions pipelineOptions() const {
    return {.target = plan.target, .strictFp = options.strictFp};
  }

  ExitCode runStages(ModuleOp module, ArrayRef<Stage> ahead) {
    PassManager entry(input.getContext());
    addEntryCheck(entry, pipelineOptions(), ahead);
    if (failed(entry.run(module)))
      return ExitCode::No;
    if (ahead.empty() || plan.last < ahead.begin())
      return execute("input", module); // it has been through the last stage
    for (const Stage &stage : ahead) {
      PassManager pipeline(input.getContext());
      stage.add(pipeline, pipelineOptions());
      pipeline.addPass(createVerifyStagePass(stage));
      if (failed(pipeline.run(module)))
        return ExitCode::No;
      bool isLast = &stage == plan.last;
      if (isLast || options.everyStage)
        if (ExitCode code = execute(stage.name, module); code != ExitCode::Fine)
          return code;
      if (isLast)
        break;
    }
    return ExitCode::Fine;
  }

  /// Runs the module's kernel on the machine, and checks it if asked to.
  ExitCode execute(StringRef stage, ModuleOp module) {
    func::FuncOp kernel = findKernel(module, options.input.function);
    if (!kernel)
      return ExitCode::No;
    simt::Outcome outcome =
        arguments.run(kernel, findGrid(kernel),
                      machineOptions(kernel, *plan.target, options), finals);
    counters = outcome.counters;
    if (ExitCode code = conclude(outcome); code != ExitCode::Fine)
      return code;
    return checks() ? reference.check(stage, arguments, finals)
                    : ExitCode::Fine;
  }

  ExitCode runOnGpu(ModuleOp module, const KernelSignature &signature) {
    PassManager pipeline(input.getContext());
    buildPipeline(pipeline, pipelineOptions(), /*last=*/nullptr,
                  stagesAhead(findKernel(module, options.input.function)));
    if (failed(pipeline.run(module)))
      return ExitCode::No;
    FailureOr<std::string> package =
        buildPackage(module, signature, *plan.target);
    if (failed(package))
      return ExitCode::No;
    finals = arguments.initialValues();
    if (ExitCode code = runPackage(*package, *plan.cudaDevice, finals);
        code != ExitCode::Fine)
      return code;
    return checks() ? reference.check(options.device, arguments, finals)
                    : ExitCode::Fine;
  }

  const RunOptions &options;
  const Plan &plan;
  KernelInput input;
  KernelArguments arguments;
  Reference reference;
  ParameterValues finals;
  simt::Counters counters;
};

} // namespace

ExitCode run(const RunOptions &options) {
  Plan plan;
  if (ExitCode code = makePlan(options, plan); code != ExitCode::Fine)
    return code;
  return Runner(options, plan).run();
}

} // namespace distaff
