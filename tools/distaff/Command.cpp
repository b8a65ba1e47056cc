//===- Command.cpp - The subcommands of distaff ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Command.h"
#include "distaff/Driver/AllowTf32.h"
#include "distaff/Driver/ConfigFlags.h"
#include "distaff/Driver/CostFile.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Target/Costs.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace distaff {

cl::OptionCategory &flagCategory() {
  static cl::OptionCategory flags("Flags");
  return flags;
}

static StringRef specializeDescription() {
  static const std::string text =
      "How subgroups share out phases: " + listSpecializations();
  return text;
}

KernelCommand::~KernelCommand() = default;

KernelCommand::KernelCommand(StringRef name, StringRef description)
    : Command(name, description),
      target("target", cl::desc("GPU to compile for"), cl::value_desc("NAME"),
             cl::sub(sub), cl::cat(flagCategory())),
      costs("costs",
            cl::desc("Costs to choose by, as `distaff targets NAME --costs` "
                     "writes them"),
            cl::value_desc("FILE.json"), cl::sub(sub), cl::cat(flagCategory())),
      function("func", cl::desc("Kernel to take, of several"),
               cl::value_desc("NAME"), cl::sub(sub), cl::cat(flagCategory())),
      pipeline("pipeline",
               cl::desc("Pipeline through the stages; else the kernel's own"),
               cl::value_desc("NAME"), cl::sub(sub), cl::cat(flagCategory())),
      specialize("specialize", cl::desc(specializeDescription()),
                 cl::value_desc("NAME"), cl::init("none"), cl::sub(sub),
                 cl::cat(flagCategory())),
      strictFp(
          "strict-fp",
          cl::desc("Keep the order of float sums and products, and every op "
                   "as it is defined"),
          cl::sub(sub), cl::cat(flagCategory())),
      tf32("allow-tf32",
           cl::desc("Let instructions drop bits of f32 operands of products"),
           cl::sub(sub), cl::cat(flagCategory())),
      anchors("require-anchors",
              cl::desc("Refuse vectors that no to_layout reaches, instead of "
                       "choosing for them"),
              cl::sub(sub), cl::cat(flagCategory())),
      config("config",
             cl::desc("Override a choice: workgroup=64x64x0, mma_kind=NAME, "
                      "workgroup_size=256, ..., of a CPU contractions=dot, "
                      "...; help lists them"),
             cl::value_desc("[KERNEL.]KEY=VALUE"), cl::sub(sub),
             cl::cat(flagCategory())),
      paths(cl::Positional, cl::desc("KERNEL.mlir"), cl::sub(sub),
            cl::cat(flagCategory())) {
  needsValue(target);
  needsValue(costs);
  needsValue(function);
  needsValue(pipeline);
  needsValue(specialize);
}

ExitCode KernelCommand::loadKernel(KernelFile &file) const {
  if (path().ends_with(".ptx"))
    return usageError("'" + path() + "' is PTX, and distaff " + sub.getName() +
                      " takes MLIR; distaff run runs it, ptxas assembles it");
  ExitCode code = file.load(path());
  if (code != ExitCode::Fine)
    return code;
  if (tf32)
    allowTf32(file.getModule());
  for (const std::string &flag : config)
    if (std::optional<std::string> why = overrideConfig(
            file.getModule(), function, flag, lookupTarget(target)))
      return usageError("--config " + flag + ": " + *why);
  return ExitCode::Fine;
}

static std::string spelling(StringRef name) {
  return (name.size() == 1 ? "-" : "--") + name.str();
}

/// Checks flags that are given twice or without a value, which LLVM's parser
/// accepts.
ExitCode KernelCommand::checkFlags() const {
  for (auto &[name, option] : sub.OptionsMap) {
    bool isOurs = llvm::is_contained(option->Categories, &flagCategory());
    bool isList = option->getNumOccurrencesFlag() == cl::ZeroOrMore;
    if (isOurs && !isList && option->getNumOccurrences() > 1)
      return usageError(spelling(name) + " is given more than once");
  }
  for (const StringFlag *flag : withValue)
    if (flag->getNumOccurrences() && flag->empty())
      return usageError(spelling(flag->ArgStr) + " needs a value");
  if (paths.size() == 1)
    return ExitCode::Fine;
  if (paths.empty())
    return usageError("no kernel given: distaff " + sub.getName() +
                      " KERNEL.mlir");
  return usageError("there are two kernels: '" + paths[0] + "' and '" +
                    paths[1] + "'; a command takes one file");
}

/// Lists the values of --config instead of doing the work.
ExitCode KernelCommand::printConfigHelp() const {
  const Target *known = findTarget(target);
  if (!known)
    return ExitCode::Usage;
  KernelFile file;
  if (ExitCode code = file.load(path()); code != ExitCode::Fine)
    return code;
  llvm::outs() << describeConfig(file.getModule(), function, *known);
  return ExitCode::Fine;
}

ExitCode KernelCommand::run() {
  ExitCode code = checkFlags();
  if (code != ExitCode::Fine)
    return code;
  if (code = loadCosts(); code != ExitCode::Fine)
    return code;
  return llvm::is_contained(config, "help") ? printConfigHelp() : work();
}

/// Replaces the target's costs by those in a file.
ExitCode KernelCommand::loadCosts() {
  if (costs.empty())
    return ExitCode::Fine;
  const Target *known = findTarget(target);
  std::unique_ptr<llvm::MemoryBuffer> file =
      known ? readFile(costs) : std::unique_ptr<llvm::MemoryBuffer>();
  if (!file)
    return ExitCode::Usage;
  priced = std::make_unique<PricedTarget>(*known, costs);
  if (std::string why = readCosts(file->getBuffer(), known->name, *priced);
      !why.empty())
    return usageError("--costs " + costs + ": " + why);
  priced->install();
  return ExitCode::Fine;
}

const Target *findTarget(StringRef name) {
  if (const Target *target = lookupTarget(name))
    return target;
  std::string known;
  for (const Target *target : allTargets())
    known += (known.empty() ? "" : ", ") + target->name.str();
  if (name.empty())
    printError("no target given: --target is one of " + known);
  else
    printError("unknown target '" + name + "', known are " + known);
  return nullptr;
}

ExitCode findPipeline(StringRef name, const Pipeline *&pipeline) {
  pipeline = name.empty() ? nullptr : lookupPipeline(name);
  if (pipeline || name.empty())
    return ExitCode::Fine;
  return usageError("unknown pipeline '" + name + "', there is " +
                    listPipelines());
}

ExitCode findSpecialization(StringRef name, Specialization &specialization) {
  std::optional<Specialization> found = lookupSpecialization(name);
  if (!found)
    return usageError("unknown specialization '" + name + "', there is " +
                      listSpecializations());
  specialization = *found;
  return ExitCode::Fine;
}

/// Returns the stages of a pipeline, or of all.
static std::string listStages(const Pipeline *pipeline) {
  if (pipeline)
    return pipeline->listStages();
  llvm::SetVector<StringRef> names;
  for (const Pipeline *each : allPipelines())
    for (const Stage *stage : each->stages)
      names.insert(stage->name);
  return llvm::join(names, ", ");
}

ExitCode checkStage(StringRef name, const Pipeline *pipeline) {
  auto hasStage = [&](const Pipeline *each) { return each->findStage(name); };
  if (pipeline ? hasStage(pipeline) != nullptr
               : llvm::any_of(allPipelines(), hasStage))
    return ExitCode::Fine;
  return usageError("unknown stage '" + name + "', stages are " +
                    listStages(pipeline));
}

StringRef stopAfterDescription() {
  static const std::string text =
      "Last stage to run: " + listStages(/*pipeline=*/nullptr);
  return text;
}

} // namespace distaff
