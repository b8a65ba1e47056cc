//===- Command.h - The subcommands of distaff -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One subcommand is one file and one class: its members are its flags, and
// `run` calls one function of the Driver with them. A subcommand exists from
// before the command line is parsed to the end of its work.
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

/// Returns the category that --help lists; LLVM's own options are not in it.
cl::OptionCategory &flagCategory();

class Command {
public:
  Command(StringRef name, StringRef description) : sub(name, description) {}
  virtual ~Command() = default;

  /// Does the work; reports errors.
  virtual ExitCode run() = 0;
  /// Returns whether it opens a GPU; otherwise memory may be limited
  /// (CommandLine/Process.h).
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

  /// Does the work after the check of the flags that every subcommand has.
  virtual ExitCode work() = 0;
  /// Makes --NAME with an empty value an error, which LLVM's parser accepts.
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

  /// Loads the kernel's file, with the attributes that the flags set.
  ExitCode loadKernel(KernelFile &file) const;

private:
  ExitCode checkFlags() const;
  ExitCode loadCosts();

  std::unique_ptr<PricedTarget> priced; // the target with --costs

  // Counted here: LLVM's parser reports less about a missing one.
  cl::list<std::string> paths;
  SmallVector<StringFlag *> withValue;
};

std::unique_ptr<Command> createCompileCommand();
std::unique_ptr<Command> createExplainCommand();
std::unique_ptr<Command> createRunCommand();
std::unique_ptr<Command> createTargetsCommand();

/// Returns the target, or null after an error that lists the known ones.
const Target *findTarget(StringRef name);

/// Finds a pipeline, null for an empty name; an error lists the known ones.
ExitCode findPipeline(StringRef name, const Pipeline *&pipeline);

/// Finds the specialization of a word; an error lists the known ones.
ExitCode findSpecialization(StringRef name, Specialization &specialization);

/// Checks that a pipeline, or any pipeline if it is null, has such a stage; an
/// error lists its stages.
ExitCode checkStage(StringRef name, const Pipeline *pipeline);

/// Returns the values of --stop-after, for --help.
StringRef stopAfterDescription();

} // namespace distaff

#endif // DISTAFF_TOOLS_DISTAFF_COMMAND_H
