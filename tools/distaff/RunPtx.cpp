//===- RunPtx.cpp - distaff run k.ptx -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunPtx.h"
#include "CommandLine/Files.h"
#include "PtxArguments.h"
#include "distaff/Pipelines/Backend.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace distaff {
namespace {

/// Parses "X", "X,Y" or "X,Y,Z"; missing extents are 1.
llvm::Error parseExtents(StringRef flag, StringRef text,
                         std::array<int64_t, 3> &extents) {
  if (text.empty())
    return refuse("--" + flag + " is not given: --" + flag +
                  " X[,Y,Z] says how many " +
                  (flag == "grid" ? "workgroups" : "threads of a workgroup") +
                  " there are");
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  extents = {1, 1, 1};
  bool isGood = parts.size() <= 3;
  for (size_t i = 0; isGood && i < parts.size(); ++i)
    isGood = !parts[i].getAsInteger(10, extents[i]) && extents[i] > 0;
  return isGood ? llvm::Error::success()
                : refuse("--" + flag +
                         " takes X, X,Y or X,Y,Z of at least 1, "
                         "not '" +
                         text + "'");
}

/// A launch as described by the flags: parses all of them, then runs.
class PtxCommand {
public:
  PtxCommand(const RunPtxOptions &options, StringRef text)
      : options(options), text(text) {}

  /// Runs the entry. An error is a mistake in the flags or in the file.
  llvm::Expected<ptx::Outcome> run() {
    llvm::Expected<PtxKernel> kernel = load();
    if (!kernel)
      return kernel.takeError();
    if (llvm::Error error = parseLaunch())
      return std::move(error);
    if (llvm::Error error = makeArguments(*kernel))
      return std::move(error);
    return kernel->run(launch);
  }

  llvm::Error write() const {
    std::string why = writeNpys(arguments.written());
    return why.empty() ? llvm::Error::success() : refuse(why);
  }

private:
  llvm::Expected<PtxKernel> load() const {
    llvm::Expected<PtxKernel> kernel =
        PtxKernel::load(text, options.target->chip, options.entry);
    return kernel ? std::move(kernel)
                  : refuse("'" + options.path +
                           "': " + llvm::toString(kernel.takeError()));
  }

  llvm::Error parseLaunch() {
    if (llvm::Error error = parseExtents("grid", options.grid, launch.grid))
      return error;
    if (llvm::Error error =
            parseExtents("block", options.block, launch.workgroup))
      return error;
    if (!options.shared.empty() &&
        (StringRef(options.shared)
             .getAsInteger(10, launch.dynamicSharedBytes) ||
         launch.dynamicSharedBytes < 0))
      return refuse("--shared takes a number of bytes, not '" + options.shared +
                    "'");
    if (options.contract != "on" && options.contract != "off")
      return refuse("--contract is on or off, not '" + options.contract + "'");
    launch.contracts = options.contract == "on";
    launch.seed = options.schedule;
    launch.stepLimit = options.maxSteps;
    return llvm::Error::success();
  }

  llvm::Error makeArguments(const PtxKernel &kernel) {
    if (llvm::Error error = arguments.parse(kernel, options.inputs,
                                            options.shapes, options.outputs))
      return error;
    llvm::Expected<std::vector<ptx::Argument>> made = arguments.make(kernel);
    if (!made)
      return made.takeError();
    launch.arguments = std::move(*made);
    return llvm::Error::success();
  }

  const RunPtxOptions &options;
  StringRef text;
  ptx::Launch launch;
  PtxArguments arguments;
};

ExitCode report(llvm::Error error) {
  return usageError(llvm::toString(std::move(error)));
}

} // namespace

void printPtxCounters(const ptx::Counters &counters) {
  for (auto [name, value] : counterRows(counters))
    llvm::outs() << llvm::formatv("{0,-22}{1}\n", name, value);
}

ExitCode runPtxFile(const RunPtxOptions &options) {
  if (!isKindOf(*options.target, "ptx"))
    return usageError("target " + options.target->name + " does not run PTX");
  std::unique_ptr<llvm::MemoryBuffer> text = readFile(options.path);
  if (!text)
    return ExitCode::Usage;
  PtxCommand command(options, text->getBuffer());
  llvm::Expected<ptx::Outcome> outcome = command.run();
  if (!outcome)
    return report(outcome.takeError());
  for (const std::string &sentence : describeFailure(*outcome))
    printError("'" + options.path + "': " + sentence);
  if (Answer answer = answerOf(*outcome); answer != Answer::Yes)
    return exitCodeOf(answer);
  if (options.counters)
    printPtxCounters(outcome->counters);
  if (llvm::Error error = command.write())
    return report(std::move(error));
  return ExitCode::Fine;
}

} // namespace distaff
