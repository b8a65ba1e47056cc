//===- explain.cpp - distaff explain --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Explain.h"
#include "Command.h"
#include "distaff/Kernel/Kernel.h"

namespace distaff {
namespace {

class ExplainCommand final : public KernelCommand {
public:
  ExplainCommand() : KernelCommand("explain", "Say what was chosen and why") {
    needsValue(output);
    needsValue(format);
  }

private:
  ExitCode work() override {
    ExplainOptions options{.target = findTarget(target),
                           .function = function,
                           .strictFp = strictFp,
                           .requireAnchors = anchors};
    if (!options.target)
      return ExitCode::Usage;
    if (ExitCode code = findPipeline(pipeline, options.pipeline);
        code != ExitCode::Fine)
      return code;
    if (ExitCode code = findSpecialization(specialize, options.specialization);
        code != ExitCode::Fine)
      return code;
    auto *print = findPrinter();
    if (!print)
      return usageError("unknown format '" + format +
                        "'; there are text, json and html");
    if (ExitCode code = checkOutput(output); code != ExitCode::Fine)
      return code;
    KernelFile file;
    if (ExitCode code = loadKernel(file); code != ExitCode::Fine)
      return code;
    options.names = file.getNames();
    return explainAll(file.getModule(), options, print);
  }

  /// Explains the named kernel, or all kernels of a file one after the other.
  ExitCode explainAll(ModuleOp module, ExplainOptions &options,
                      void (*print)(const Explanation &, raw_ostream &)) {
    SmallVector<std::string> names;
    for (FunctionOpInterface kernel : findKernels(module))
      names.push_back(kernel.getName().str());
    if (!options.function.empty() || names.size() < 2)
      names = {options.function};
    if (names.size() > 1 && print == printHtml) {
      printError("schedules are drawn of one kernel, and the file has several: "
                 "name one with --func");
      return ExitCode::Usage;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    ExitCode code = ExitCode::Fine;
    bool isJsonList = names.size() > 1 && print == printJson;
    for (const std::string &name : names) {
      if (&name != &names.front())
        stream << (isJsonList ? ",\n" : "\n");
      options.function = name;
      if (ExitCode one = explainOne(module, options, print, stream);
          one != ExitCode::Fine && code == ExitCode::Fine)
        code = one;
    }
    // A file contains the whole explanation or is not written.
    if (text.empty() || (code != ExitCode::Fine && output != "-"))
      return code;
    ExitCode written =
        writeOutput(output, isJsonList ? "[" + text + "]\n" : text);
    return code == ExitCode::Fine ? written : code;
  }

  ExitCode explainOne(ModuleOp module, const ExplainOptions &options,
                      void (*print)(const Explanation &, raw_ostream &),
                      raw_ostream &stream) {
    ExplainedLaunches all = explainLaunches(module, options);
    if (all.launches.size() > 1)
      return printLaunches(all, print, stream);
    const Explained &explained = all.launches.front();
    const Explanation &explanation = explained.explanation;
    if (!explanation.saysSomething())
      return exitCodeOf(explained.answer);
    if (print == printHtml && explanation.phases.empty()) {
      printError("@" + explanation.function +
                 " has no phases, and only schedules are drawn yet; --format "
                 "text or json says what there is");
      return ExitCode::No;
    }
    print(explanation, stream);
    return exitCodeOf(explained.answer);
  }

  /// Prints "launches of @f: 2 launches: linalg.matmul line 5 | linalg.softmax
  /// line 7 (cost 9107)", or "reduction of @f, line 5: ...", and the rejected
  /// choices.
  static void printChoice(const ChoiceDecision &choice, raw_ostream &stream) {
    stream << choice.subject << " of @" << choice.function;
    if (choice.line != 0)
      stream << ", line " << choice.line;
    stream << ": " << choice.chosen.what << " (cost " << choice.chosen.cost
           << ")\n";
    for (const Alternative &loser : choice.losers)
      // An impossible choice has no cost.
      stream << "   over " << loser.what
             << (loser.cost > 0 ? " (cost " + std::to_string(loser.cost) + ")"
                                : "")
             << (loser.reason.empty() ? "" : ": ") << loser.reason << "\n";
  }

  /// Prints the explanation of each launch of a function with several launches.
  ExitCode printLaunches(const ExplainedLaunches &all,
                         void (*print)(const Explanation &, raw_ostream &),
                         raw_ostream &stream) {
    if (all.answer != Answer::Yes)
      return exitCodeOf(all.answer);
    if (print == printHtml) {
      printError("several launches have no schedules to draw; --format text or "
                 "json says what there is");
      return ExitCode::No;
    }
    bool isJson = print == printJson;
    if (isJson)
      stream << "[";
    else
      for (const ChoiceDecision &choice : all.choices)
        printChoice(choice, stream);
    llvm::interleave(
        all.launches, stream,
        [&](const Explained &launch) { print(launch.explanation, stream); },
        isJson ? ",\n" : "\n");
    if (isJson)
      stream << "]\n";
    return ExitCode::Fine;
  }

  /// Returns the printer of a format, null for an unknown one.
  void (*findPrinter() const)(const Explanation &, raw_ostream &) {
    if (format == "html")
      return printHtml;
    if (format == "json")
      return printJson;
    return format == "text" ? printText : nullptr;
  }

  StringFlag output{"o",           cl::desc("File to write, - for stdout"),
                    cl::init("-"), cl::value_desc("FILE"),
                    cl::sub(sub),  cl::cat(flagCategory())};
  StringFlag format{"format", cl::desc("text, json, or html: schedules"),
                    cl::init("text"), cl::sub(sub), cl::cat(flagCategory())};
};

} // namespace

std::unique_ptr<Command> createExplainCommand() {
  return std::make_unique<ExplainCommand>();
}

} // namespace distaff
