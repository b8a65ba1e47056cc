//===- Run.cpp - Running a kernel on arrays in memory ---------------------===//
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
#include "EmitRemarks.h"
#include "HostDevice.h"
#include "KernelSelection.h"
#include "PackageValues.h"
#include "PtxDevice.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Driver/Package.h"
#include "distaff/Driver/PtxRun.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Launches/Normalize/LogSumExp.h"
#include "distaff/Launches/Scans/Scans.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <chrono>

namespace distaff {
namespace {

simt::Options machineOptions(FunctionOpInterface kernel,
                             const RunOptions &options) {
  const Target &target = *options.target;
  simt::Options result;
  result.subgroupSize = target.subgroupSize;
  result.workgroupSize = {target.subgroupSize, 1, 1};
  LaunchSizes sizes = launchSizesOf(kernel);
  if (sizes.workgroup)
    result.workgroupSize = *sizes.workgroup;
  if (sizes.subgroup)
    result.subgroupSize = *sizes.subgroup;
  result.schedule = options.schedule;
  result.checks = options.faultChecks;
  result.threads = options.threads;
  result.maxSteps = options.maxSteps;
  result.target = target.name.str();
  result.nearestQuotients = options.strictFp || target.isHost();
  result.alignment = target.globalMemory.baseAlignmentBytes;
  result.banks = target.banks.banks;
  result.bankBytes = target.banks.bankBytes;
  result.sectorBytes = target.globalMemory.sectorBytes;
  return result;
}

Answer answerOf(simt::Verdict verdict) {
  switch (verdict) {
  case simt::Verdict::Fine:
    return Answer::Yes;
  case simt::Verdict::Faulty:
    return Answer::Fault;
  case simt::Verdict::NotModelled:
    return Answer::NotModelled;
  case simt::Verdict::Unfit:
    return Answer::Refused;
  }
  llvm_unreachable("a verdict is one of those above");
}

Answer answerOf(const Comparison &comparison) {
  switch (comparison.verdict) {
  case Comparison::Verdict::Agrees:
    return Answer::Yes;
  case Comparison::Verdict::Undecided:
    return Answer::Undecided;
  case Comparison::Verdict::Differs:
    return Answer::Mismatch;
  }
  llvm_unreachable("a verdict is one of those above");
}

/// Returns the part of a kernel that every worker runs for itself: the kernel,
/// or an op of pcf in it. Null: the kernel is a group's program.
Operation *findWorkerCode(FunctionOpInterface kernel) {
  if (levelOf(kernel) == Level::Lane)
    return kernel;
  auto isOfWorkers = [](Attribute scope) {
    return isa<iree::SubgroupScopeAttr, iree::LaneScopeAttr>(scope);
  };
  Operation *found = nullptr;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto owner = dyn_cast<pcf::RefOwnerOpInterface>(op);
    if (!isa<pcf::RunThreadOp>(op) && !(isa<pcf::GenericOp, pcf::LoopOp>(op) &&
                                        isOfWorkers(owner.getScope())))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Records the name and the duration of a run in its own lifetime.
class Stopwatch {
public:
  Stopwatch(RunOutcome &outcome, StringRef what)
      : outcome(outcome), start(std::chrono::steady_clock::now()) {
    outcome.ran = what.str();
  }
  ~Stopwatch() {
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    outcome.seconds = taken.count();
  }

private:
  RunOutcome &outcome;
  std::chrono::steady_clock::time_point start;
};

/// A Runner runs a module's kernel through its stages, which change it.
class Runner {
public:
  /// `log` receives the stages' decisions; may be null.
  Runner(ModuleOp module, const RunOptions &options,
         const KernelArguments &arguments, DecisionLog *log,
         RunOutcome &outcome)
      : module(module), options(options), arguments(arguments), log(log),
        outcome(outcome) {}

  Answer run() {
    FunctionOpInterface kernel = findKernel(module, options.function);
    name = kernel.getName().str();
    if (auto source = dyn_cast<func::FuncOp>(*kernel);
        source && checks() && !options.strictFp) {
      splitLogSumExp(source);
      if (auto signature = KernelSignature::get(source); succeeded(signature))
        allowAnyOrder(source, arguments.dynamicExtents(*signature));
    }
    // Keeps the kernel as written, since stages change it.
    if (checks())
      source = module.clone();
    if (auto asked = checks() ? dyn_cast<func::FuncOp>(
                                    *findKernel(*source, options.function))
                              : func::FuncOp();
        asked && !options.strictFp)
      splitLogSumExp(asked, /*ofProducts=*/true);
    Operation *workerCode = checks() ? findWorkerCode(kernel) : nullptr;
    if (!workerCode)
      return run(kernel);
    Location where = workerCode->getLoc();
    std::string opName = workerCode->getName().getStringRef().str();
    Answer answer = run(kernel);
    if (answer == Answer::Yes)
      emitRemark(where)
          << "'" << opName
          << "' op is code that every worker runs for itself: what ran was "
             "compared with a float64 evaluation of this code, not with the "
             "program of a group that it may have been made from";
    return answer;
  }

  ParameterValues takeValues() { return std::move(values); }

private:
  Answer run(FunctionOpInterface kernel) {
    if (isRunAsItIs(kernel))
      return runAsItIs(kernel);
    // A kernel that is not a program of its level is not run at all.
    if (Answer answer = enter(kernel); answer != Answer::Yes)
      return answer;
    if (runsAfter(inputStage))
      if (Answer answer = execute(inputStage); answer != Answer::Yes)
        return answer;
    if (!isLaunched())
      return runStages();
    return runsStages() ? runStagesAndEmitted() : runEmitted();
  }

  /// Returns whether a device runs the compiled kernel.
  bool isLaunched() const {
    return options.cudaDevice || options.onPtxMachine || options.onHost;
  }

  /// Returns the device that runs the compiled kernel, as --device names it.
  std::string deviceName() const {
    return options.onPtxMachine ? "ptx"
           : options.onHost     ? "host"
                                : "cuda:" + std::to_string(*options.cudaDevice);
  }

  /// Returns whether outputs are compared; running every stage implies it.
  bool checks() const { return options.check || runsStages(); }

  /// Returns whether the machine runs the IR after stages besides the last.
  bool runsStages() const {
    return options.everyStage || !options.stages.empty();
  }

  bool runsAfter(StringRef stage) const {
    return options.everyStage || llvm::is_contained(options.stages, stage);
  }

  PipelineOptions pipelineOptions() const {
    return {.target = options.target,
            .log = log,
            .strictFp = options.strictFp,
            .specialization = options.specialization,
            .requireAnchors = options.requireAnchors};
  }

  /// Evaluates the kernel as it was given, before its first checked run: a
  /// kernel that an earlier stage refuses is not evaluated, which may take
  /// long.
  Answer evaluate() {
    if (!source || isEvaluated)
      return Answer::Yes;
    isEvaluated = true;
    FunctionOpInterface kernel = findKernel(*source, name);
    return conclude(
        inputStage,
        reference.evaluate(kernel, arguments, machineOptions(kernel, options)));
  }

  /// Returns whether to run the kernel as it is: on request, or if it has ops
  /// of pcf that no stage takes, because its pipeline has no such stage, or
  /// because its launch is undefined and no option needs a launch.
  bool isRunAsItIs(FunctionOpInterface kernel) const {
    if (options.last == inputStage)
      return true;
    // A pipeline that is named takes the kernel or refuses it (PCF-137).
    if (!options.last.empty() || !startsWorkers(kernel) || options.pipeline)
      return false;
    if (isTakenByPipeline(kernel, *options.target, options.pipeline))
      return false;
    // A stage that needs a launch reports a missing one.
    bool takesLaunch = runsStages() || isLaunched();
    return !takesLaunch ||
           !isTakenByPipeline(kernel, *options.target,
                              ownPipelineOf(kernel, *options.target));
  }

  /// Runs a kernel that no stage takes: pcf is lowered by passes of its own.
  Answer runAsItIs(FunctionOpInterface kernel) {
    if (isLaunched()) {
      kernel.emitOpError(
          "has ops of pcf, which only the machine runs (--device "
          "simt); lower them before");
      return Answer::Refused;
    }
    return execute(inputStage);
  }

  /// Finds the kernel's position on its pipeline, and checks its entry.
  Answer enter(FunctionOpInterface kernel) {
    FailureOr<RemainingStages> found =
        findRemainingStages(kernel, *options.target, options.pipeline);
    if (failed(found))
      return Answer::Refused;
    remaining = *found;
    if (failed(findLastStage(kernel.getLoc(), *remaining.pipeline, options.last,
                             last)))
      return Answer::BadRequest;
    if (Answer answer = findFurthestStage(kernel.getLoc());
        answer != Answer::Yes)
      return answer;
    StageManager entry(module.getContext());
    addEntryCheck(entry, pipelineOptions(), *remaining.pipeline,
                  remaining.ahead);
    return succeeded(entry.run(module)) ? Answer::Yes : Answer::Refused;
  }

  /// Sets `last`, unless an option has, to the furthest stage that is run.
  Answer findFurthestStage(Location loc) {
    const Stage *furthest = last;
    for (StringRef name : options.stages) {
      const Stage *stage = nullptr;
      if (name == inputStage)
        continue;
      if (failed(findLastStage(loc, *remaining.pipeline, name, stage)))
        return Answer::BadRequest;
      if (!last && (!furthest || isBefore(furthest, stage)))
        furthest = stage;
    }
    last = options.everyStage && !last ? remaining.pipeline->stages.back()
                                       : furthest;
    if (!last)
      last = remaining.pipeline->lastDefaultStage();
    return Answer::Yes;
  }

  bool isBefore(const Stage *a, const Stage *b) const {
    return llvm::find(remaining.pipeline->stages, a) <
           llvm::find(remaining.pipeline->stages, b);
  }

  Answer runStages() {
    if (!llvm::is_contained(remaining.ahead, last))
      return execute(inputStage); // the kernel has passed the last stage
    for (const Stage *stage : remaining.ahead) {
      if (stage->name == convertStage.name) {
        if (isLaunched())
          compiled = module.clone();
        if (failed(fillArguments()))
          return Answer::Refused;
      }
      if (runsStages() && isLeftOut(*stage))
        continue;
      StageManager manager(module.getContext());
      addStage(manager, pipelineOptions(), *stage);
      if (failed(manager.run(module)))
        return Answer::Refused;
      bool isLast = stage == last;
      if (isLast || runsAfter(stage->name))
        if (Answer answer = execute(stage->name); answer != Answer::Yes)
          return answer;
      if (isLast)
        break;
    }
    return Answer::Yes;
  }

  /// Adds code to the kernel that fills its workgroup memory, if a launch has
  /// to: only our machine fills that memory before a kernel starts.
  LogicalResult fillArguments() {
    if (LaunchSequence::find(module, name))
      return success();
    FunctionOpInterface kernel = currentKernel();
    if (!kernel || whyWorkgroupArgumentsStay(kernel))
      return success(); // the stage that needs it reports it
    StageManager manager(module.getContext());
    manager.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(
        createFillWorkgroupArguments());
    return manager.run(module);
  }

  /// Returns whether all stages are requested, and this one cannot run.
  bool isLeftOut(const Stage &stage) {
    if (LaunchSequence::find(module, name))
      return false;
    FunctionOpInterface kernel = currentKernel();
    if (!kernel || !stage.whyNot || stage.name == options.last)
      return false;
    std::optional<std::string> why = stage.whyNot(kernel);
    if (why)
      emitRemark(kernel.getLoc())
          << "'" << stage.name << "' is left out: " << *why;
    return why.has_value();
  }

  /// Returns the kernel; conversion may have renamed it for the assembler.
  FunctionOpInterface currentKernel() {
    SmallVector<FunctionOpInterface> kernels = findKernels(module);
    return kernels.size() == 1 ? kernels.front()
                               : findKernel(module, options.function);
  }

  /// Refuses buffers that the target has no room for, as compile does.
  LogicalResult verifyMemory() {
    for (FunctionOpInterface kernel : findKernels(module))
      if (failed(verifyWorkgroupMemory(kernel, *options.target)))
        return failure();
    return success();
  }

  /// Runs the kernel as it is on the machine, and checks the outputs if
  /// requested.
  Answer execute(StringRef stage) {
    if (!options.target->isHost() && failed(verifyMemory()))
      return Answer::Refused;
    if (Answer answer = evaluate(); answer != Answer::Yes)
      return answer;
    simt::Outcome ran;
    Stopwatch stopwatch(outcome, stage);
    if (auto sequence = LaunchSequence::find(module, name)) {
      ran = arguments.run(
          module, *sequence,
          [&](FunctionOpInterface kernel) {
            return machineOptions(kernel, options);
          },
          values);
    } else {
      FunctionOpInterface kernel = currentKernel();
      if (!kernel)
        return Answer::Refused;
      ran = arguments.run(kernel, findGridFunction(kernel),
                          machineOptions(kernel, options), values);
    }
    outcome.counters = ran.counters;
    if (Answer answer = conclude(stage, ran); answer != Answer::Yes)
      return answer;
    return check(stage);
  }

  /// Reports and records the machine's findings.
  Answer conclude(StringRef stage, const simt::Outcome &ran) {
    (void)simt::report(ran);
    for (const simt::Fault &fault : ran.faults)
      outcome.faults.push_back({stage.str(), fault.kind, fault.message,
                                fault.op->getLoc(), fault.place});
    return answerOf(ran.verdict());
  }

  /// Runs the stages on the machine, and then the compiled kernel on a device.
  Answer runStagesAndEmitted() {
    if (Answer answer = runStages(); answer != Answer::Yes)
      return answer;
    if (compiled)
      module = *compiled;
    return runCompiled();
  }

  /// Compiles the kernel completely, runs it and checks the outputs if
  /// requested.
  Answer runEmitted() {
    StageManager manager(module.getContext());
    buildPipeline(manager, pipelineOptions(), *remaining.pipeline,
                  remaining.ahead);
    return succeeded(manager.run(module)) ? runCompiled() : Answer::Refused;
  }

  /// Runs a sequence: each kernel is passed the outputs of launches before it.
  Answer runCompiledSequence(const LaunchSequence &sequence) {
    FailureOr<KernelSignature> signature = KernelSignature::get(sequence.host);
    if (failed(signature))
      return Answer::Refused;
    values = arguments.initialValues();
    FailureOr<runtime::Package> package =
        describePackage(module, name, *options.target);
    if (failed(package))
      return Answer::Refused;
    if (std::string why = allocateResults(*package, values); !why.empty()) {
      sequence.host.emitError() << why;
      return Answer::Refused;
    }
    if (Answer answer = launch(); answer != Answer::Yes)
      return answer;
    return check(deviceName());
  }

  Answer runCompiled() {
    if (auto sequence = LaunchSequence::find(module, name))
      return runCompiledSequence(*sequence);
    FunctionOpInterface kernel = findKernel(module, options.function);
    if (std::optional<std::string> why = whyWorkgroupArgumentsStay(kernel)) {
      kernel.emitOpError("is not launched: ")
          << *why << "; or run it with --device simt";
      return Answer::Refused;
    }
    if (failed(fillArguments()))
      return Answer::Refused;
    kernel = findKernel(module, options.function);
    FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
    if (failed(signature))
      return Answer::Refused;
    values = arguments.initialValues();
    if (std::string why = arguments.allocateResults(*signature, values);
        !why.empty()) {
      kernel.emitError(why);
      return Answer::Refused;
    }
    if (Answer answer = launch(); answer != Answer::Yes)
      return answer;
    return check(deviceName());
  }

  Answer launch() {
    if (Answer answer = evaluate(); answer != Answer::Yes)
      return answer;
    // Devices take arrays in the kernel ABI's layout.
    packArrays(arguments.parameters(), values);
    Answer answer = launchOnDevice();
    unpackArrays(arguments.parameters(), values);
    return answer;
  }

  Answer launchOnDevice() {
    Stopwatch stopwatch(outcome, deviceName());
    return options.onPtxMachine ? runOnPtxMachine()
           : options.onHost     ? runOnThisCpu()
                                : runOnGpu();
  }

  Answer runOnThisCpu() {
    return succeeded(runOnHost(module, name, *options.target, options.threads,
                               options.libraries, values))
               ? Answer::Yes
               : Answer::Refused;
  }

  Answer runOnGpu() {
    FailureOr<std::string> package =
        buildPackage(module, name, *options.target);
    return failed(package) ? Answer::Refused
                           : runPackage(UnknownLoc::get(module.getContext()),
                                        *package, *options.cudaDevice, values);
  }

  Answer runOnPtxMachine() {
    FailureOr<ptx::Outcome> ran = runEmittedPtx(
        module, name, *options.target,
        {.schedule = options.schedule, .maxSteps = options.maxSteps}, values);
    if (failed(ran))
      return Answer::Refused;
    outcome.ptx = std::move(*ran);
    return distaff::answerOf(*outcome.ptx);
  }

  /// Compares the last run with the reference, if requested.
  Answer check(StringRef stage) {
    if (!checks())
      return Answer::Yes;
    const StageCheck &made =
        outcome.checks.emplace_back(reference.check(stage, arguments, values));
    if (options.onCheck)
      options.onCheck(made);
    return answerOf(made.outputs);
  }

  ModuleOp module;
  const RunOptions &options;
  const KernelArguments &arguments;
  std::string name; ///< name of the author's function, which may become several
  DecisionLog *log;
  RunOutcome &outcome;
  /// The module as it was given, in which its kernel is evaluated.
  OwningOpRef<ModuleOp> source;
  bool isEvaluated = false;
  /// The module that a device runs, before the conversion for the machine.
  OwningOpRef<ModuleOp> compiled;
  RemainingStages remaining = {};
  const Stage *last = nullptr;
  Reference reference;
  ParameterValues values;
};

} // namespace

KernelDescription describeKernel(ModuleOp module, const RunOptions &options) {
  KernelDescription description;
  description.answer =
      findOneKernel(module, options.function, description.kernel);
  if (description.answer != Answer::Yes)
    return description;
  FailureOr<SmallVector<ParameterShape>> parameters = failure();
  if (succeeded(checkLaunch(description.kernel, *options.target)))
    parameters = describeParameters(description.kernel);
  if (failed(parameters)) {
    description.answer = Answer::Refused;
    return description;
  }
  description.parameters = std::move(*parameters);
  description.numArguments = llvm::count_if(
      description.parameters,
      [](const ParameterShape &parameter) { return !parameter.isResult; });
  return description;
}

RunOutcome run(ModuleOp source, const RunOptions &options,
               std::vector<runtime::HostArray> inputs) {
  RunOutcome outcome;
  OwningOpRef<ModuleOp> module = source.clone();
  KernelDescription description = describeKernel(*module, options);
  outcome.answer = description.answer;
  if (outcome.answer != Answer::Yes)
    return outcome;
  KernelArguments arguments;
  outcome.answer = arguments.take(description.kernel, description.parameters,
                                  std::move(inputs));
  if (outcome.answer != Answer::Yes)
    return outcome;
  selectKernel(*module, options.function, description.kernel);
  DecisionLog log;
  Runner runner(*module, options, arguments, options.remarks ? &log : nullptr,
                outcome);
  outcome.answer = runner.run();
  emitRemarks(source, log);
  outcome.arrays = toHostArrays(runner.takeValues());
  return outcome;
}

} // namespace distaff
