//===- distaff.cpp - The command line of Distaff --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One subcommand, one options struct, one function of the Driver; the flags of
// each are declared here and nowhere else.
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Compile.h"
#include "distaff/Driver/Explain.h"
#include "distaff/Driver/Process.h"
#include "distaff/Driver/Run.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace distaff;
namespace cl = llvm::cl;

namespace {

cl::SubCommand compileCommand("compile", "Compile a kernel");
cl::SubCommand runCommand("run", "Run a kernel and check what it computes");
cl::SubCommand explainCommand("explain", "Say what was chosen and why");
cl::SubCommand targetsCommand("targets", "List the targets");

// What --help lists; the options of LLVM's libraries are left out of it.
cl::OptionCategory flags("Flags");

// Counted below: LLVM's parser says less of what is missing.
cl::list<std::string> paths(cl::Positional, cl::desc("KERNEL.mlir"),
                            cl::sub(compileCommand), cl::sub(runCommand),
                            cl::sub(explainCommand), cl::cat(flags));
cl::opt<std::string> target("target", cl::desc("GPU to compile for"),
                            cl::value_desc("NAME"), cl::sub(compileCommand),
                            cl::sub(runCommand), cl::sub(explainCommand),
                            cl::cat(flags));
cl::opt<std::string> function("func", cl::desc("Kernel to take, of several"),
                              cl::value_desc("NAME"), cl::sub(compileCommand),
                              cl::sub(runCommand), cl::sub(explainCommand),
                              cl::cat(flags));
cl::opt<bool> strictFp("strict-fp",
                       cl::desc("Keep the order of float sums and products"),
                       cl::sub(compileCommand), cl::sub(runCommand),
                       cl::sub(explainCommand), cl::cat(flags));

cl::opt<std::string>
    emit("emit", cl::desc("mlir, llvm, ptx, cubin, gcn, hsaco or package"),
         cl::init("mlir"), cl::sub(compileCommand), cl::cat(flags));
cl::opt<std::string> stopAfter(
    "stop-after",
    cl::desc("Last stage to run: configure, tile, vectorize, assign-layouts, "
             "distribute or lower"),
    cl::value_desc("STAGE"), cl::sub(compileCommand), cl::sub(runCommand),
    cl::cat(flags));
cl::opt<std::string> output("o", cl::desc("File to write, - for stdout"),
                            cl::init("-"), cl::value_desc("FILE"),
                            cl::sub(compileCommand), cl::sub(explainCommand),
                            cl::cat(flags));

cl::opt<std::string> device("device", cl::desc("simt or cuda:N"),
                            cl::init("simt"), cl::sub(runCommand),
                            cl::cat(flags));
cl::list<std::string>
    inputs("input",
           cl::desc("FILE.npy, random:SEED[:LOW:HIGH], whole:SEED:LOW:HIGH, "
                    "iota, zeros or a number"),
           cl::value_desc("argN=..."), cl::sub(runCommand), cl::cat(flags));
cl::list<std::string> outputs("output", cl::desc("Array to write"),
                              cl::value_desc("argN|resN=FILE.npy"),
                              cl::sub(runCommand), cl::cat(flags));
cl::list<std::string> shapes("shape", cl::desc("Extents of a dynamic argument"),
                             cl::value_desc("argN=33x17"), cl::sub(runCommand),
                             cl::cat(flags));
cl::opt<bool> check("check", cl::desc("Compare with a float64 evaluation"),
                    cl::sub(runCommand), cl::cat(flags));
cl::opt<bool> everyStage("every-stage",
                         cl::desc("Run and check after each stage too"),
                         cl::sub(runCommand), cl::cat(flags));
cl::opt<bool> counters("counters", cl::desc("Print what the machine counted"),
                       cl::sub(runCommand), cl::cat(flags));
cl::opt<bool> noChecks("no-checks", cl::desc("Do not look for faults"),
                       cl::sub(runCommand), cl::cat(flags));
// Numbers are read below: LLVM's parsers take -5 instructions.
cl::opt<std::string>
    schedule("schedule", cl::desc("Seed of the order in which subgroups run"),
             cl::value_desc("SEED"), cl::sub(runCommand), cl::cat(flags));
cl::opt<std::string> threads("threads", cl::desc("Host threads, 0 for all"),
                             cl::value_desc("N"), cl::sub(runCommand),
                             cl::cat(flags));
cl::opt<std::string>
    maxSteps("max-steps",
             cl::desc("Instructions after which a workgroup counts as endless"),
             cl::value_desc("N"), cl::sub(runCommand), cl::cat(flags));

ExitCode usageError(const Twine &message) {
  printError(message);
  return ExitCode::Usage;
}

/// Sets `value` if the flag is given; false after an error.
bool readNumber(const cl::opt<std::string> &flag, int64_t least, int64_t most,
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

InputOptions inputOptions() { return {paths.front(), target, function}; }

ExitCode compileMain() {
  return compile({.input = inputOptions(),
                  .emit = emit,
                  .stopAfter = stopAfter,
                  .output = output,
                  .strictFp = strictFp});
}

ExitCode runMain() {
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  int64_t seed = 0, numThreads = 0, steps = simt::Options().maxSteps;
  if (!readNumber(schedule, 0, largest, seed) ||
      !readNumber(threads, 0, 1024, numThreads) ||
      !readNumber(maxSteps, 1, largest, steps))
    return ExitCode::Usage;
  return run({.input = inputOptions(),
              .device = device,
              .inputs = inputs,
              .outputs = outputs,
              .shapes = shapes,
              .stopAfter = stopAfter,
              .check = check,
              .everyStage = everyStage,
              .counters = counters,
              .faultChecks = !noChecks,
              .schedule = uint64_t(seed),
              .threads = unsigned(numThreads),
              .maxSteps = steps,
              .strictFp = strictFp});
}

ExitCode explainMain() {
  return explain(
      {.input = inputOptions(), .output = output, .strictFp = strictFp});
}

ExitCode targetsMain() {
  for (const Target *known : allTargets())
    llvm::outs() << known->name << "\t" << known->subgroupSize
                 << " lanes per subgroup, " << known->mma.size()
                 << " MMA instructions\n";
  return ExitCode::Fine;
}

bool isCommand(StringRef name) {
  return llvm::any_of(cl::getRegisteredSubcommands(),
                      [&](const cl::SubCommand *command) {
                        return command->getName() == name;
                      });
}

/// Runs `parse` and returns what it wrote to stderr: LLVM's parser writes some
/// of its messages there, without saying that they are errors. It may end the
/// process, for --help, so that nothing may be left to remove.
std::string captureErrors(llvm::function_ref<void()> parse) {
  int saved = dup(STDERR_FILENO), file = memfd_create("messages", 0);
  if (file < 0 || saved < 0) { // then they go where they always go
    parse();
    return "";
  }
  dup2(file, STDERR_FILENO);
  parse();
  llvm::errs().flush();
  dup2(saved, STDERR_FILENO);
  close(saved);
  std::string text(std::max<off_t>(0, lseek(file, 0, SEEK_END)), '\0');
  text.resize(std::max<ssize_t>(0, pread(file, text.data(), text.size(), 0)));
  close(file);
  return text;
}

/// Says the first of LLVM's messages in our words; what follows it are guesses.
ExitCode reportMessages(StringRef messages, StringRef program) {
  StringRef line = messages.ltrim().split('\n').first;
  line.consume_front(program);
  line.consume_front(": ");
  if (line.consume_front("Unknown command line argument '"))
    return usageError(
        Twine("unknown ") + (line.starts_with("-") ? "flag" : "argument") +
        " '" + line.split("'.").first + "'; --help lists what a command takes");
  return usageError(line.trim());
}

std::string spelling(StringRef name) {
  return (name.size() == 1 ? "-" : "--") + name.str();
}

/// LLVM's parser takes flags that are given twice or without a value.
bool checkFlags(cl::SubCommand &command) {
  for (auto &[name, option] : command.OptionsMap) {
    bool isOurs = llvm::is_contained(option->Categories, &flags);
    bool isList = option->getNumOccurrencesFlag() == cl::ZeroOrMore;
    if (isOurs && !isList && option->getNumOccurrences() > 1) {
      usageError(spelling(name) + " is given more than once");
      return false;
    }
  }
  for (cl::opt<std::string> *option :
       {&target, &function, &emit, &stopAfter, &output, &device})
    if (option->getNumOccurrences() && option->empty()) {
      usageError(spelling(option->ArgStr) + " needs a value");
      return false;
    }
  if (paths.size() == 1)
    return true;
  if (paths.empty())
    usageError("no kernel given: distaff " + command.getName() +
               " KERNEL.mlir");
  else
    usageError("there are two kernels: '" + paths[0] + "' and '" + paths[1] +
               "'; a command takes one file");
  return false;
}

ExitCode dispatch() {
  if (compileCommand)
    return checkFlags(compileCommand) ? compileMain() : ExitCode::Usage;
  if (runCommand)
    return checkFlags(runCommand) ? runMain() : ExitCode::Usage;
  if (explainCommand)
    return checkFlags(explainCommand) ? explainMain() : ExitCode::Usage;
  if (targetsCommand)
    return targetsMain();
  return usageError("no command given; there are compile, run, explain and "
                    "targets, each with --help");
}

ExitCode parseAndRun(int argc, char **argv) {
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    cl::HideUnrelatedOptions(flags, *command);
  cl::HideUnrelatedOptions(flags);
  cl::SetVersionPrinter(printVersion);
  if (argc > 1 && argv[1][0] != '-' && !isCommand(argv[1]))
    return usageError("unknown command '" + Twine(argv[1]) +
                      "'; there are compile, run, explain and targets");
  // The stream makes the parser return instead of ending the process with 1.
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  bool parsed = false;
  std::string others = captureErrors([&] {
    parsed = cl::ParseCommandLineOptions(
        argc, argv, "distaff: GPU kernels, lane by lane\n", &stream);
  });
  if (!parsed)
    return reportMessages(others + messages,
                          llvm::sys::path::filename(argv[0]));
  llvm::errs() << others;
  if (!runCommand || device == "simt")
    limitMemory();
  return dispatch();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return runTool([&] { return parseAndRun(argc, argv); });
}
