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
#include "distaff/Driver/Run.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
namespace cl = llvm::cl;

namespace {

cl::SubCommand compileCommand("compile", "Compile a kernel");
cl::SubCommand runCommand("run", "Run a kernel and check what it computes");
cl::SubCommand explainCommand("explain", "Say what was chosen and why");
cl::SubCommand targetsCommand("targets", "List the targets");

// What --help lists; the options of LLVM's libraries are left out of it.
cl::OptionCategory flags("Flags");

cl::opt<std::string> path(cl::Positional, cl::desc("KERNEL.mlir"), cl::Required,
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
cl::opt<uint64_t> schedule("schedule",
                           cl::desc("Seed of the order in which subgroups run"),
                           cl::init(0), cl::value_desc("SEED"),
                           cl::sub(runCommand), cl::cat(flags));
cl::opt<unsigned> threads("threads", cl::desc("Host threads, 0 for all"),
                          cl::init(0), cl::sub(runCommand), cl::cat(flags));

cl::opt<int64_t>
    maxSteps("max-steps",
             cl::desc("Instructions after which a workgroup counts as endless"),
             cl::init(simt::Options().maxSteps), cl::sub(runCommand),
             cl::cat(flags));

InputOptions inputOptions() { return {path, target, function}; }

ExitCode compileMain() {
  return compile({.input = inputOptions(),
                  .emit = emit,
                  .stopAfter = stopAfter,
                  .output = output,
                  .strictFp = strictFp});
}

ExitCode runMain() {
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
              .schedule = schedule,
              .threads = threads,
              .maxSteps = maxSteps,
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

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    cl::HideUnrelatedOptions(flags, *command);
  cl::HideUnrelatedOptions(flags);
  if (argc > 1 && argv[1][0] != '-' && !isCommand(argv[1])) {
    llvm::errs() << "error: unknown command '" << argv[1]
                 << "'; there are compile, run, explain and targets\n";
    return static_cast<int>(ExitCode::Usage);
  }
  // The stream makes the parser return instead of ending the process with 1.
  std::string messages;
  llvm::raw_string_ostream errors(messages);
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "distaff: GPU kernels, lane by "
                                   "lane\n",
                                   &errors)) {
    llvm::errs() << "error: " << messages;
    return static_cast<int>(ExitCode::Usage);
  }
  if (compileCommand)
    return static_cast<int>(compileMain());
  if (runCommand)
    return static_cast<int>(runMain());
  if (explainCommand)
    return static_cast<int>(explainMain());
  if (targetsCommand)
    return static_cast<int>(targetsMain());
  llvm::errs() << "error: no command given; there are compile, run, explain "
                  "and targets, each with --help\n";
  return static_cast<int>(ExitCode::Usage);
}
