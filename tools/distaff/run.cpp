//===- run.cpp - distaff run ----------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Run.h"
#include "Command.h"
#include "CommandLine/ArrayFlags.h"
#include "RunPtx.h"
#include "distaff/Driver/PositionArguments.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {
namespace {

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

/// Returns flags that make every float argument whole numbers, small enough for
/// exact sums; empty without such an argument.
std::string wholeInputs(const KernelDescription &kernel) {
  std::string flags;
  SmallVector<bool> outputs = findOutputs(kernel.kernel);
  for (size_t i = 0; i < kernel.numArguments; ++i)
    if (!outputs[i] && isa<FloatType>(kernel.parameters[i].elementType))
      flags += " --input " + kernel.parameters[i].name +
               "=whole:" + std::to_string(i) + ":-2:2";
  return flags;
}

/// Prints "distribute      max error 1.19e-07  bound 7.9e-06  ok", and
/// mismatches to stderr.
void printCheck(const StageCheck &check, const KernelDescription &kernel) {
  constexpr StringLiteral verdicts[] = {"ok", "undecided", "MISMATCH"};
  const Comparison &outputs = check.outputs;
  llvm::outs() << llvm::formatv("{0,-20} max error {1:e2}  bound {2:e2}  {3}",
                                check.stage, outputs.largestError,
                                outputs.largestBound,
                                verdicts[static_cast<int>(outputs.verdict)]);
  if (outputs.undecided)
    llvm::outs() << ", " << outputs.undecided << " elements undecided";
  llvm::outs() << "\n";
  if (outputs.verdict == Comparison::Verdict::Agrees)
    return;
  std::string advice;
  if (check.exactSumsMayDecide)
    if (std::string flags = wholeInputs(kernel); !flags.empty())
      advice = "; whole numbers have exact sums, and may decide it:" + flags;
  printError("after " + check.stage + ": " + outputs.detail + advice);
}

class RunCommand final : public KernelCommand {
public:
  RunCommand()
      : KernelCommand("run", "Run a kernel and check what it computes") {
    needsValue(stopAfter);
    needsValue(device);
    for (StringFlag *flag : {&entry, &grid, &block, &shared})
      needsValue(*flag);
  }

  bool opensGpu() const override {
    return StringRef(device).starts_with("cuda");
  }

private:
  ExitCode work() override {
    RunOptions options{.function = function,
                       .check = check,
                       .everyStage = everyStage,
                       .stages = stages,
                       .remarks = remarks,
                       .faultChecks = !noChecks,
                       .strictFp = strictFp,
                       .requireAnchors = anchors};
    if (!readNumbers(options))
      return ExitCode::Usage;
    if (path().ends_with(".ptx"))
      return runPtx(options);
    if (ExitCode code = noneGiven({&entry, &grid, &block, &shared, &contract},
                                  "is for a .ptx file; a kernel in MLIR says "
                                  "it itself");
        code != ExitCode::Fine)
      return code;
    if (ExitCode code = readTarget(options); code != ExitCode::Fine)
      return code;
    KernelFile file;
    if (ExitCode code = loadKernel(file); code != ExitCode::Fine)
      return code;
    return runKernel(file.getModule(), options);
  }

  ExitCode runKernel(ModuleOp module, RunOptions &options) {
    KernelDescription kernel = describeKernel(module, options);
    if (kernel.answer != Answer::Yes)
      return exitCodeOf(kernel.answer);
    ArrayFiles files;
    if (ExitCode code = readArrays(kernel, {inputs, outputs, shapes}, files);
        code != ExitCode::Fine)
      return code;
    options.onCheck = [&](const StageCheck &made) { printCheck(made, kernel); };
    RunOutcome outcome = distaff::run(module, options, std::move(files.inputs));
    if (outcome.answer != Answer::Yes)
      return exitCodeOf(outcome.answer);
    if (counters && outcome.ptx)
      printPtxCounters(outcome.ptx->counters);
    else if (counters)
      printCounters(outcome.counters);
    if (!check && !everyStage && stages.empty() && !counters && outputs.empty())
      printRun(kernel, outcome, options.target->name);
    return writeArrays(kernel, files, outcome.arrays);
  }

  /// Prints, for a run without other output, "@softmax ran for sm_80 on the
  /// SIMT machine, after lower, in 0.02 s".
  void printRun(KernelDescription &kernel, const RunOutcome &outcome,
                StringRef target) const {
    llvm::outs() << "@" << kernel.kernel.getName() << " ran for " << target
                 << (device == "simt" ? " on the SIMT machine, after "
                                      : " on --device ")
                 << outcome.ran
                 << llvm::formatv(" in {0:f3} s; --check compares what it "
                                  "computes, --output writes it\n",
                                  outcome.seconds);
  }

  /// Runs a PTX file, which specifies neither its target nor its launch.
  ExitCode runPtx(const RunOptions &options) {
    if (ExitCode code =
            noneGiven({&costs, &function, &pipeline, &specialize, &strictFp,
                       &tf32, &anchors, std::addressof(config), &stopAfter,
                       &check, &everyStage, std::addressof(stages), &remarks,
                       &noChecks, &threads, std::addressof(libraries)},
                      "does not go with a .ptx file, which runs as it is");
        code != ExitCode::Fine)
      return code;
    if (device.getNumOccurrences() && device != "ptx")
      return usageError("--device " + device +
                        " does not run a .ptx file, ptx does");
    const Target *known = findTarget(target);
    if (!known)
      return ExitCode::Usage;
    return runPtxFile({.path = path().str(),
                       .target = known,
                       .entry = entry,
                       .grid = grid,
                       .block = block,
                       .shared = shared,
                       .inputs = inputs,
                       .outputs = outputs,
                       .shapes = shapes,
                       .contract = contract,
                       .counters = counters,
                       .schedule = options.schedule,
                       .maxSteps = options.maxSteps});
  }

  /// Returns an error if one of the flags is given.
  static ExitCode noneGiven(ArrayRef<const cl::Option *> options,
                            const Twine &why) {
    for (const cl::Option *option : options)
      if (option->getNumOccurrences())
        return usageError("--" + option->ArgStr + " " + why);
    return ExitCode::Fine;
  }

  /// Sets `value` if the flag is given; returns false after an error.
  static bool readNumber(const StringFlag &flag, int64_t least, int64_t most,
                         int64_t &value) {
    if (!flag.getNumOccurrences())
      return true;
    if (!StringRef(flag).getAsInteger(10, value) && value >= least &&
        value <= most)
      return true;
    usageError("--" + flag.ArgStr + " takes a number from " + Twine(least) +
               " to " + Twine(most) + ", not '" + flag + "'");
    return false;
  }

  bool readNumbers(RunOptions &options) const {
    constexpr int64_t largest = std::numeric_limits<int64_t>::max();
    int64_t seed = 0, numThreads = 0;
    if (!readNumber(schedule, 0, largest, seed) ||
        !readNumber(threads, 0, 1024, numThreads) ||
        !readNumber(maxSteps, 1, largest, options.maxSteps))
      return false;
    options.schedule = seed;
    options.threads = numThreads;
    return true;
  }

  /// Reads the target, the device, and the stage that it runs.
  ExitCode readTarget(RunOptions &options) const {
    options.target = findTarget(target);
    if (!options.target)
      return ExitCode::Usage;
    if (ExitCode code = readDevice(options); code != ExitCode::Fine)
      return code;
    if (ExitCode code = findPipeline(pipeline, options.pipeline);
        code != ExitCode::Fine)
      return code;
    if (ExitCode code = findSpecialization(specialize, options.specialization);
        code != ExitCode::Fine)
      return code;
    if (!libraries.empty() && !options.onHost)
      return usageError("--library needs --device host, which links it");
    for (const std::string &library : libraries) {
      SmallString<128> path(library);
      // A name without a slash is searched for only in the system's folders.
      if (llvm::sys::fs::exists(path))
        llvm::sys::fs::make_absolute(path);
      options.libraries.push_back(path.str().str());
    }
    options.last = stopAfter;
    if (!stopAfter.empty() && stopAfter != inputStage)
      if (ExitCode code = checkStage(stopAfter, options.pipeline);
          code != ExitCode::Fine)
        return code;
    if (device == "simt")
      return ExitCode::Fine;
    if (!stopAfter.empty())
      return usageError("--device " + device +
                        " runs the compiled kernel only: --stop-after needs "
                        "--device simt");
    if (options.onPtxMachine && noChecks)
      return usageError("--no-checks needs --device simt: the PTX machine "
                        "always looks for faults");
    return ExitCode::Fine;
  }

  ExitCode readDevice(RunOptions &options) const {
    StringRef name = device;
    if (name == "simt")
      return ExitCode::Fine;
    options.onHost = name == "host";
    if (options.onHost && !options.target->isHost())
      return usageError("--device host does not run code for target " +
                        options.target->name + "; --target host is for it");
    if (options.onHost && counters)
      return usageError("--counters needs a machine that counts: --device "
                        "simt or ptx");
    if (options.onHost)
      return ExitCode::Fine;
    int number = 0;
    options.onPtxMachine = name == "ptx";
    if (name.consume_front("cuda:") && !name.getAsInteger(10, number) &&
        number >= 0)
      options.cudaDevice = number;
    else if (!options.onPtxMachine)
      return usageError("unknown --device '" + device +
                        "', it is simt, ptx, host or cuda:N");
    // The driver of a GPU takes only code that begins as PTX.
    if (!isKindOf(*options.target, "ptx"))
      return usageError("--device " + device +
                        " does not run code for target " +
                        options.target->name);
    return ExitCode::Fine;
  }

  static StringRef runStopDescription() {
    static const std::string text =
        stopAfterDescription().str() + "; input: as it is";
    return text;
  }

  StringFlag stopAfter{"stop-after", cl::desc(runStopDescription()),
                       cl::value_desc("STAGE"), cl::sub(sub),
                       cl::cat(flagCategory())};
  StringFlag device{"device", cl::desc("simt, ptx, host or cuda:N"),
                    cl::init("simt"), cl::sub(sub), cl::cat(flagCategory())};
  cl::list<std::string> inputs{
      "input",
      cl::desc("FILE.npy, random:SEED[:LOW:HIGH], whole:SEED:LOW:HIGH, "
               "iota, zeros or a number; for PTX also null, and for BYTES "
               "within a struct NUMBER:TYPE"),
      cl::value_desc("argN[@BYTES]=..."), cl::sub(sub),
      cl::cat(flagCategory())};
  cl::list<std::string> outputs{"output", cl::desc("Array to write"),
                                cl::value_desc("argN|resN=FILE.npy"),
                                cl::sub(sub), cl::cat(flagCategory())};
  cl::list<std::string> shapes{
      "shape",
      cl::desc("Extents of a dynamic argument; for PTX with the type, "
               "argN=33x17xf32"),
      cl::value_desc("argN=33x17"), cl::sub(sub), cl::cat(flagCategory())};
  // For a .ptx file, which does not specify its launch.
  StringFlag entry{"entry", cl::desc("Kernel of a .ptx file"),
                   cl::value_desc("NAME"), cl::sub(sub),
                   cl::cat(flagCategory())};
  StringFlag grid{"grid", cl::desc("Workgroups of a .ptx kernel"),
                  cl::value_desc("X[,Y,Z]"), cl::sub(sub),
                  cl::cat(flagCategory())};
  StringFlag block{"block", cl::desc("Threads per workgroup of a .ptx kernel"),
                   cl::value_desc("X[,Y,Z]"), cl::sub(sub),
                   cl::cat(flagCategory())};
  StringFlag shared{
      "shared", cl::desc("Bytes of extern shared memory of a .ptx kernel"),
      cl::value_desc("BYTES"), cl::sub(sub), cl::cat(flagCategory())};
  StringFlag contract{
      "contract",
      cl::desc("Whether a mul and an add of a .ptx kernel, both without a "
               "rounding, are one fma, as ptxas makes of them"),
      cl::value_desc("on|off"),
      cl::init("on"),
      cl::sub(sub),
      cl::cat(flagCategory())};
  cl::opt<bool> check{"check", cl::desc("Compare with a float64 evaluation"),
                      cl::sub(sub), cl::cat(flagCategory())};
  cl::opt<bool> everyStage{"every-stage",
                           cl::desc("Run and check after each stage too"),
                           cl::sub(sub), cl::cat(flagCategory())};
  cl::list<std::string> stages{"stages",
                               cl::desc("Run and check after these stages"),
                               cl::value_desc("STAGE,..."),
                               cl::CommaSeparated,
                               cl::sub(sub),
                               cl::cat(flagCategory())};
  cl::opt<bool> remarks{
      "remarks", cl::desc("Report each decision as a remark at its line"),
      cl::sub(sub), cl::cat(flagCategory())};
  cl::opt<bool> counters{"counters", cl::desc("Print what the machine counted"),
                         cl::sub(sub), cl::cat(flagCategory())};
  cl::opt<bool> noChecks{"no-checks", cl::desc("Do not look for faults"),
                         cl::sub(sub), cl::cat(flagCategory())};
  // Numbers are parsed above: LLVM's parsers accept -5 instructions.
  StringFlag schedule{
      "schedule", cl::desc("Seed of the order in which subgroups run"),
      cl::value_desc("SEED"), cl::sub(sub), cl::cat(flagCategory())};
  cl::list<std::string> libraries{
      "library",
      cl::desc("Shared library with functions that a kernel on --device host "
               "calls"),
      cl::value_desc("FILE.so"), cl::sub(sub), cl::cat(flagCategory())};
  StringFlag threads{"threads", cl::desc("Host threads, 0 for all"),
                     cl::value_desc("N"), cl::sub(sub),
                     cl::cat(flagCategory())};
  StringFlag maxSteps{
      "max-steps",
      cl::desc("Instructions after which a workgroup counts as endless"),
      cl::value_desc("N"), cl::sub(sub), cl::cat(flagCategory())};
};

} // namespace

std::unique_ptr<Command> createRunCommand() {
  return std::make_unique<RunCommand>();
}

} // namespace distaff
