//===- Command.h - The subcommands of distaff -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One subcommand, one file, one class: its members are its flags, and `run`
// does what they say through one function of the Driver. A subcommand exists
// from before the command line is parsed to the end of its work.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_DISTAFF_COMMAND_H
#define DISTAFF_TOOLS_DISTAFF_COMMAND_H

#include "CommandLine/ExitCode.h"
#include "CommandLine/Files.h"
#include "distaff/Pipelines/Pipeline.h"
#include "llvm/Support/CommandLine.h"

namespace distaff {

struct Target;
class PricedTarget;

namespace cl = llvm::cl;

/// What --help lists; the options of LLVM's libraries are left out of it.
cl::OptionCategory &flagCategory();

class Command {
public:
  Command(StringRef name, StringRef description) : sub(name, description) {}
  virtual ~Command() = default;

  /// Does the work; says what is wrong.
  virtual ExitCode run() = 0;
  /// Whether memory may be limited (CommandLine/Process.h).
  virtual bool opensGpu() const { return false; }

  cl::SubCommand sub;
};

/// A subcommand that works on one file of kernels.
class KernelCommand : public Command {
public:
  KernelCommand(StringRef name, StringRef description);
  ~KernelCommand() override;

  ExitCode run() final;

protected:
  using StringFlag = cl::opt<std::string>;

  ExitCode printConfigHelp() const;

  /// The work once the flags that every subcommand has are in order.
  virtual ExitCode work() = 0;
  /// Makes --NAME with an empty value an error, which LLVM's parser lets pass.
  void needsValue(StringFlag &flag) { withValue.push_back(&flag); }

  StringRef path() const { return paths.front(); }

  StringFlag target;
  StringFlag costs;
  StringFlag function;
  StringFlag pipeline;
  StringFlag specialize;
  cl::opt<bool> strictFp;
  cl::opt<bool> tf32;
  cl::opt<bool> anchors;
  cl::list<std::string> config;

  /// Loads the kernel's file, marked as the flags say.
  ExitCode loadKernel(KernelFile &file) const;

private:
  ExitCode checkFlags() const;
  ExitCode loadCosts();

  std::unique_ptr<PricedTarget> priced; // as --costs says

  // Counted by us: LLVM's parser says less of what is missing.
  cl::list<std::string> paths;
  SmallVector<StringFlag *> withValue;
};

std::unique_ptr<Command> createCompileCommand();
std::unique_ptr<Command> createExplainCommand();
std::unique_ptr<Command> createRunCommand();
std::unique_ptr<Command> createTargetsCommand();

/// Returns the target, or null after an error that lists the known ones.
const Target *findTarget(StringRef name);

/// Returns the pipeline, null where none is named; an error lists the known
/// ones.
ExitCode findPipeline(StringRef name, const Pipeline *&pipeline);

/// Returns what a word of --specialize means; an error lists the known ones.
ExitCode findSpecialization(StringRef name, Specialization &specialization);

/// Says where a pipeline, or if it is null every pipeline, has no such stage,
/// and which it has.
ExitCode checkStage(StringRef name, const Pipeline *pipeline);

/// What --stop-after takes, for --help.
StringRef stopAfterDescription();

} // namespace distaff

#endif // DISTAFF_TOOLS_DISTAFF_COMMAND_H
