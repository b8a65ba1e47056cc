//===- RecordPhases.cpp - Logging phases, panels and barriers -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While phases are collective the IR shows which workers run them, on which
// panels, and with which barriers. Once clusters are a switch on a worker's id,
// the IR does not show it any more.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Kernel/Kernel.h"

using namespace distaff;

namespace {
struct RecordPhases final : PassWrapper<RecordPhases, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RecordPhases)

  explicit RecordPhases(DecisionLog &log) : log(&log) {}

  StringRef getName() const final { return "RecordPhases"; }

  void runOnOperation() final {
    for (FunctionOpInterface kernel : findKernels(getOperation()))
      for (PhaseProgram &program : readPhasePrograms(kernel, log->names))
        log->phases.push_back({kernel.getName().str(), std::move(program)});
    markAllAnalysesPreserved();
  }

private:
  DecisionLog *log;
};
} // namespace

std::unique_ptr<Pass> distaff::createRecordPhases(DecisionLog &log) {
  return std::make_unique<RecordPhases>(log);
}
