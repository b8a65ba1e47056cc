//===- targets.cpp - distaff targets --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Command.h"
#include "distaff/Driver/CostFile.h"
#include "distaff/Driver/TargetList.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {
namespace {

class TargetsCommand final : public Command {
public:
  TargetsCommand()
      : Command("targets", "List the targets, or the instructions of some"),
        names(cl::Positional, cl::sub(sub), cl::cat(flagCategory()),
              cl::desc("[TARGET ...]")),
        format("format", cl::sub(sub), cl::cat(flagCategory()),
               cl::desc("text or json"), cl::value_desc("FORMAT"),
               cl::init("text")),
        costs("costs", cl::sub(sub), cl::cat(flagCategory()),
              cl::desc("Write the costs of one target, for --costs")) {}

  ExitCode run() override {
    if (format != "text" && format != "json")
      return usageError("unknown format '" + format +
                        "'; there are text and json");
    SmallVector<const Target *> targets;
    for (StringRef name : names) {
      targets.push_back(findTarget(name));
      if (!targets.back())
        return ExitCode::Usage;
    }
    if (costs && (names.size() != 1 || format.getNumOccurrences()))
      return usageError("--costs writes the costs of one target, as JSON: "
                        "distaff targets NAME --costs");
    if (costs) {
      llvm::outs() << writeCosts(*targets.front());
      return ExitCode::Fine;
    }
    if (names.empty())
      llvm::append_range(targets, allTargets());
    if (format == "json")
      printTargetsJson(targets, llvm::outs());
    else if (names.empty())
      printTargets(targets, llvm::outs());
    else
      llvm::interleave(
          targets, llvm::outs(),
          [](const Target *target) {
            printInstructions(*target, llvm::outs());
          },
          "\n");
    return ExitCode::Fine;
  }

private:
  cl::list<std::string> names;
  cl::opt<std::string> format;
  cl::opt<bool> costs;
};

} // namespace

std::unique_ptr<Command> createTargetsCommand() {
  return std::make_unique<TargetsCommand>();
}

} // namespace distaff
