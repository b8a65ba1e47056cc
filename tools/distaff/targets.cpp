//===- targets.cpp - distaff targets --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Command.h"
#include "distaff/Target/ThisMachine.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {
namespace {

class TargetsCommand final : public Command {
public:
  TargetsCommand() : Command("targets", "List the targets") {}

  ExitCode run() override {
    for (const Target *known : allTargets()) {
      llvm::outs() << known->name << "\t";
      if (known->isHost())
        llvm::outs() << known->simd.registers << " vectors of "
                     << known->simd.vectorBits << " bits per core, "
                     << known->computeUnits << " cores"
                     << (runsOnThisMachine(*known) ? "" : ", not on this CPU")
                     << "\n";
      else
        llvm::outs() << known->subgroupSize << " lanes per subgroup, "
                     << known->mma.size() << " MMA instructions\n";
    }
    return ExitCode::Fine;
  }
};

} // namespace

std::unique_ptr<Command> createTargetsCommand() {
  return std::make_unique<TargetsCommand>();
}

} // namespace distaff
