//===- distaff.cpp - Command line of Distaff ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line and runs the subcommand that it names.
//
//===----------------------------------------------------------------------===//
#include "Command.h"
#include "CommandLine/Process.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace distaff;

/// The options of jemalloc. A compile touches some 15 MB and frees little of it
/// before its end; huge pages halve the page faults, which are a tenth of the
/// time for a small kernel.
extern "C" {
extern const char *malloc_conf;
const char *malloc_conf = "thp:always";
}

namespace {

using Commands = SmallVector<std::unique_ptr<Command>>;

Commands makeCommands() {
  Commands commands;
  commands.push_back(createCompileCommand());
  commands.push_back(createRunCommand());
  commands.push_back(createExplainCommand());
  commands.push_back(createTargetsCommand());
  return commands;
}

bool isCommand(const Commands &commands, StringRef name) {
  return llvm::any_of(commands, [&](const auto &command) {
    return command->sub.getName() == name;
  });
}

/// Runs `parse` and returns its output on stderr: LLVM's parser writes some of
/// its messages there, without marking them as errors. It may end the process,
/// for --help, so no temporary file may exist.
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

/// Reports the first of LLVM's messages in Distaff's wording; the rest are
/// guesses.
ExitCode reportMessages(StringRef messages, StringRef program) {
  StringRef line = messages.ltrim().split('\n').first;
  line.consume_front(program);
  line.consume_front(": ");
  if (line.consume_front("Unknown command line argument '"))
    return usageError(
        Twine("unknown ") + (line.starts_with("-") ? "flag" : "argument") +
        " '" + line.split("'.").first + "'; --help lists what a command takes");
  if (line.consume_front("for the ")) {
    auto [flag, what] = line.split(" option: ");
    return usageError(flag + (what.starts_with("requires a value")
                                  ? " needs a value"
                                  : ": " + what.trim()));
  }
  return usageError(line.trim());
}

/// Parses the command line; reports errors.
ExitCode parse(int argc, char **argv) {
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
  return ExitCode::Fine;
}

/// Refuses flags of LLVM's libraries, --stop-after among them, which its parser
/// accepts with every command.
ExitCode refuseFlagsOfLibraries() {
  for (auto &[name, option] : cl::SubCommand::getTopLevel().OptionsMap)
    if (option->getNumOccurrences() &&
        !llvm::is_contained(option->Categories, &flagCategory()))
      return usageError("unknown flag '--" + name +
                        "'; --help lists what a command takes");
  return ExitCode::Fine;
}

ExitCode parseAndRun(int argc, char **argv) {
  Commands commands = makeCommands();
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    cl::HideUnrelatedOptions(flagCategory(), *command);
  cl::HideUnrelatedOptions(flagCategory());
  cl::SetVersionPrinter(printVersion);
  if (argc > 1 && argv[1][0] != '-' && !isCommand(commands, argv[1]))
    return usageError("unknown command '" + Twine(argv[1]) +
                      "'; there are compile, run, explain and targets");
  if (ExitCode code = parse(argc, argv); code != ExitCode::Fine)
    return code;
  if (ExitCode code = refuseFlagsOfLibraries(); code != ExitCode::Fine)
    return code;
  for (const auto &command : commands) {
    if (!command->sub)
      continue;
    if (!command->opensGpu())
      limitMemory();
    return command->run();
  }
  return usageError("no command given; there are compile, run, explain and "
                    "targets, each with --help");
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return runTool([&] { return parseAndRun(argc, argv); });
}
